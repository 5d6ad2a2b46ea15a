"""Many machines, on Dask: data cut into shards, a driver, and pure functions that run on workers.

Workers keep nothing that cannot be made again from storage. What learns is in `learners` and
`runs`; nothing here is imported unless a cluster is used.
"""

from novikoff.cluster.driver import Cluster, ClusterProblem, connected
from novikoff.cluster.fitting import fit
from novikoff.cluster.shards import Shards, shards_of_files
from novikoff.cluster.training import ClusterTraining

__all__ = [
    "Cluster",
    "ClusterProblem",
    "ClusterTraining",
    "Shards",
    "connected",
    "fit",
    "shards_of_files",
]
