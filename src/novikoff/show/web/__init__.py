"""`novikoff web`: a local server that runs the real learners, and a page that plays a run back.

The lessons and the page itself are in `static`; learning happens in `learners`.
"""
