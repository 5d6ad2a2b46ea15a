"""The loop that lets a learner play a stream: `play`, the watch for cycles, and interruption.

It is the only place that holds a learner and a ledger together; rules and theorems live elsewhere.
"""
