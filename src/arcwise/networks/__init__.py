"""Networks: random DAGs, networks with parameters, and data drawn from them."""

from arcwise.networks.asia import asia
from arcwise.networks.dags import random_dag
from arcwise.networks.discrete import DiscreteNetwork
from arcwise.networks.gaussian import GaussianNetwork, gaussian_network
from arcwise.networks.network import Network
from arcwise.networks.random_tables import discrete_network
from arcwise.networks.simulate import simulate

__all__ = [
    "DiscreteNetwork",
    "GaussianNetwork",
    "Network",
    "asia",
    "discrete_network",
    "gaussian_network",
    "random_dag",
    "simulate",
]
