"""Boolean concepts: finite classes, their learners, teachers, adversaries and dimensions.

Numeric learners and their theorems are elsewhere: `learners` and `guarantees`.
"""

from novikoff._lazy import public_names

__all__, __getattr__, __dir__ = public_names(__name__)
