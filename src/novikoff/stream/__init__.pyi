from novikoff.stream.blocks import Block as Block
from novikoff.stream.blocks import Example as Example
from novikoff.stream.order import Shuffled as Shuffled
from novikoff.stream.order import arranged as arranged
from novikoff.stream.order import seeded_order as seeded_order
from novikoff.stream.scaling import unit_length as unit_length

__all__: list[str]
