"""One module a file format, from bytes to chunks of examples.

What is common to all formats (opening, numbering features, caching) lives one level up.
"""
