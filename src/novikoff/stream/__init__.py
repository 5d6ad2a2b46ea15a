"""What a learner is shown: rows, blocks of labelled rows, labels, their order and their scaling.

Nothing here reads a file or learns; it only describes examples.
"""
