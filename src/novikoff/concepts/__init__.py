"""Finite classes of Boolean concepts, their learners, and the ways of teaching them."""
