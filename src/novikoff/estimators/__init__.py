"""scikit-learn's and river's conventions over the same learners: parameters, checks, attributes.

Update rules are in `learners`; what keeps the state of an estimator is the engine in `online`.
"""
