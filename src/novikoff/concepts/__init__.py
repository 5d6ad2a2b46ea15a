"""Boolean concepts: finite classes, their learners, teachers, adversaries and dimensions.

Learners of weights belong in `learners`, and the mistake bounds themselves in `guarantees`. The
public names are in `__init__.pyi`.
"""

from novikoff._lazy import public_names

__all__, __getattr__, __dir__ = public_names(__name__)
