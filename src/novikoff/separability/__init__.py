"""`certify` decides whether data are separable and proves it; `verify` checks the proof.

The certificate itself and the standalone checker belong in `guarantees`.
"""

from novikoff.separability.certifying import Stopped, certify, verify
from novikoff.separability.regressions import certify_fit, certify_formula, regression_data

__all__ = ["Stopped", "certify", "certify_fit", "certify_formula", "regression_data", "verify"]
