"""The command line, one verb a file.

A verb reads its options, calls the library and prints. No learning and no theory here.
"""
