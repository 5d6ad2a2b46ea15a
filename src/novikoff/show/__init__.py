"""What people look at: figures, experiments, the report and the page.

It computes no bound and trains nothing of its own; it shows what the rooms below know.
"""
