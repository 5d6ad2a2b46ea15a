"""Where examples come from: files, arrays, random streams, adversaries, bundled data.

Features get their columns here; what a learner is shown (`Block`) is defined in `stream`.
The public names are in `__init__.pyi`.
"""

from novikoff._lazy import public_names

__all__, __getattr__, __dir__ = public_names(__name__)
