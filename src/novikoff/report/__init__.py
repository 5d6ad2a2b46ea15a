"""One page about a data set: what it is, whether it is separable and why, and what was learned."""

from novikoff.report.gathering import Known, Settings, gather
from novikoff.report.origins import File, Origin, origin_of
from novikoff.report.pages import page
from novikoff.report.runs import ended

__all__ = ["File", "Known", "Origin", "Settings", "ended", "gather", "origin_of", "page"]
