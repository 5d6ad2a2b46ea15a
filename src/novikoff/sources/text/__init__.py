"""Text as examples: pieces of files, and a parser for each format, in the compiled core."""
