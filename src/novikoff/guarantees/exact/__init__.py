"""Exact arithmetic on floats, rows and ledgers, which the theorems use.

Theorems belong one level up.
"""
