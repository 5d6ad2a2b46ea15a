"""Exact arithmetic on floats, rows and ledgers, which the theorems use."""
