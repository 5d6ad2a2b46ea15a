"""What people look at: figures, lab experiments, the report on a data set, and the web page.

What is shown is computed elsewhere: runs in `runs`, facts and the words for them in `guarantees`.
"""
