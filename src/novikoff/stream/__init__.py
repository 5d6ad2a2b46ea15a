"""What a learner is shown: rows, blocks of labelled rows, labels, their order and their scaling.

Nothing here reads a file or learns; files are read in `sources`, and learners are in `learners`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from novikoff._lazy import loader

if TYPE_CHECKING:
    from novikoff.stream.blocks import Block, Example
    from novikoff.stream.order import Shuffled, arranged, seeded_order
    from novikoff.stream.scaling import unit_length

__all__ = ["Block", "Example", "Shuffled", "arranged", "seeded_order", "unit_length"]

__getattr__ = loader(
    __name__,
    {
        "Block": "novikoff.stream.blocks",
        "Example": "novikoff.stream.blocks",
        "Shuffled": "novikoff.stream.order",
        "arranged": "novikoff.stream.order",
        "seeded_order": "novikoff.stream.order",
        "unit_length": "novikoff.stream.scaling",
    },
)
