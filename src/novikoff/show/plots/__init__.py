"""Figures: functions that draw the nouns of the theory with matplotlib (the extra `plot`).

Each returns matplotlib's Axes; pass `ax` to draw into your own. The public names are in
`__init__.pyi`.
"""

from novikoff._lazy import public_names

__all__, __getattr__, __dir__ = public_names(__name__)
