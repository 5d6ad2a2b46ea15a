"""The loop that runs a learner over a stream, its search for cycles, and Ctrl-C.

Only this room holds a learner and a ledger together. Update rules and theorems do not belong here.
"""
