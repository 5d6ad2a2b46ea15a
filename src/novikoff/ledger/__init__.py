"""The ledger of mistakes, the rows kept for it, and its readings: final, average and vote.

It knows no learner, so that a proof can be read from it without trusting what made it.
"""
