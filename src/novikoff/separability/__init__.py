"""`certify` decides whether data are separable and proves it; `verify` checks the proof.

The certificate itself and the standalone checker belong in `guarantees`.
"""

from novikoff.separability.certifying import Stopped, certify, verify

__all__ = ["Stopped", "certify", "verify"]
