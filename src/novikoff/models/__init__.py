"""A trained model as one file: training, prediction, testing.

Reading data belongs to `sources`, update rules to `learners`.
"""
