"""What can be proved about a run from its ledger: a family of theorems a file, exact.

Here belong theorems, certificates and the words for what is known. What learns, or searches for a
certificate, does not: a guarantee never imports a learner. The public names are in `__init__.pyi`.
"""

from novikoff._lazy import public_names

__all__, __getattr__, __dir__ = public_names(__name__)
