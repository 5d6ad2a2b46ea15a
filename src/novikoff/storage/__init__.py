"""What survives a crash: the file format, checked loading and atomic writes.

It stores settings and arrays; what they mean is up to the modules that save them.
"""
