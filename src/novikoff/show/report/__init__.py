"""One HTML page about a data set: its shape, whether it is separable and why, what was learned.

What is proved, and the words for it, are in `guarantees`.
"""

from novikoff.show.report.gathering import File, Known, Origin, Settings, origin_of
from novikoff.show.report.sections import page, regression_page

__all__ = ["File", "Known", "Origin", "Settings", "origin_of", "page", "regression_page"]
