"""One example at a time: the engine of the estimators, feature names, late labels, validation.

The update rules are in `learners`, scikit-learn's conventions in `estimators`.
"""
