"""One page about a data set: what it is, whether it is separable and why, and what was learned."""

from novikoff.show.report.gathering import File, Known, Origin, Settings, gather, origin_of
from novikoff.show.report.pages import page
from novikoff.show.report.sections import ended

__all__ = ["File", "Known", "Origin", "Settings", "ended", "gather", "origin_of", "page"]
