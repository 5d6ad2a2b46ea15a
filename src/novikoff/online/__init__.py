"""One example at a time: feature names, labels that arrive late, progressive validation.

The update rules are those of `learners`; only the way in differs.
"""
