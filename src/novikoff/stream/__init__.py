"""What a learner is shown: rows, blocks of labelled rows, labels, their order and their scaling.

Nothing here reads a file or learns; files are read in `sources`, and learners are in `learners`.
The public names are in `__init__.pyi`.
"""

from novikoff._lazy import public_names

__all__, __getattr__, __dir__ = public_names(__name__)
