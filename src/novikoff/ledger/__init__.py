"""The record of mistakes, the rows kept for it, and its readings: final, average and vote.

Nothing here decides what a mistake is; learners do.
"""
