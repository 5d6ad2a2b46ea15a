"""Many machines, on Dask: a driver, and pure functions that run on workers.

Workers keep nothing that cannot be made again from storage. How data are cut into shards is in
`sources`, what learns in `learners` and `runs`. The public names are in `__init__.pyi`.
"""

from novikoff._lazy import public_names

__all__, __getattr__, __dir__ = public_names(__name__)
