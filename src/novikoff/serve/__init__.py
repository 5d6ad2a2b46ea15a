"""The durable prediction service: predict over HTTP now, learn the truth later, lose nothing.

What learns is a `Protocol`; this room keeps its journal, answers requests and has the client. What
a model file holds belongs to `models`, what is printed to `cli`.
"""

from novikoff.serve.client import Client, Refused

__all__ = ["Client", "Refused"]
