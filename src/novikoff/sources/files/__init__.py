"""One module a file format, from bytes to chunks of examples.

What all formats share (opening files, numbering features, caching) is one level up.
"""
