"""`novikoff web`: a local server that runs the real learners, and the page that plays a run back.

Learning, proofs and the words for them belong to other rooms; a new picture for files or slides
belongs in `show/plots`.
"""
