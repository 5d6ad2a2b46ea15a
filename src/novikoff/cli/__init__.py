"""The command line, one verb a file: a verb reads its options, calls the library and prints.

Learning, theory and file formats belong to the library, and what a page or figure shows to `show`.
"""
