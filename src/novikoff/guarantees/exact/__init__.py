"""Exact arithmetic on floats, rows and ledgers: the integers and fractions that the theorems use.

No theorem is stated here.
"""
