"""What happened in a run and what is known of it: on one screen, and for programs."""

from novikoff.summaries.known import Chain
from novikoff.summaries.summary import Summaries, Summary

__all__ = ["Chain", "Summaries", "Summary"]
