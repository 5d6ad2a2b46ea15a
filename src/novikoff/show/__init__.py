"""What people look at: figures, lab experiments, the report on a data set, and the web page.

These rooms show what others know: bounds, verdicts and the words for them come from `guarantees`,
weights from the ledger, numbers as text from `stream.printing`.
"""
