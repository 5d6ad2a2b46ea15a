"""What people look at: figures, lab experiments, the report on a data set, and the web page."""
