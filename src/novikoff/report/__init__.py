"""One page about a data set: what it is, whether it is separable and why, and what was learned."""

from novikoff.report.gathering import Known, Settings, gather
from novikoff.report.origins import File, Origin, origin_of
from novikoff.report.pages import page

__all__ = ["File", "Known", "Origin", "Settings", "gather", "origin_of", "page"]
