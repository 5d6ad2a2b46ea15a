"""Is it separable? A verdict with a proof that anybody can check, for any data."""

from novikoff.separability.certifying import Stopped, certify, verify

__all__ = ["Stopped", "certify", "verify"]
