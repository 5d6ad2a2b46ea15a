"""`novikoff web`: a local server that runs the real learners, and a page that plays a run back."""
