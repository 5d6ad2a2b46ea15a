"""Linear classifiers learned online from their mistakes, with proof of what was learned.

The public names are listed in `__init__.pyi` and loaded when they are first used, so importing
novikoff loads neither NumPy nor scikit-learn.
"""

from novikoff._lazy import public_names

__version__ = "0.2.0"
__all__, __getattr__, __dir__ = public_names(__name__)
