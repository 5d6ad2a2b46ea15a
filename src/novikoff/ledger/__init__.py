"""The ledger of mistakes, the rows kept for it, and its readings: final, average and vote.

What counts as a mistake is decided by learners; what follows from the mistakes, by guarantees.
"""
