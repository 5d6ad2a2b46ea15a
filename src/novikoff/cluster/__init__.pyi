from novikoff.cluster.driver import Cluster as Cluster
from novikoff.cluster.driver import ClusterProblem as ClusterProblem
from novikoff.cluster.driver import connected as connected
from novikoff.cluster.fitting import fit as fit

__all__: list[str]
