"""Simulation: random DAGs, networks with parameters, and data drawn from them."""

from arcwise.simulate.asia import asia
from arcwise.simulate.dags import random_dag
from arcwise.simulate.discrete import DiscreteNetwork
from arcwise.simulate.gaussian import GaussianNetwork, gaussian_network
from arcwise.simulate.network import Network
from arcwise.simulate.random_tables import discrete_network

__all__ = [
    "DiscreteNetwork",
    "GaussianNetwork",
    "Network",
    "asia",
    "discrete_network",
    "gaussian_network",
    "random_dag",
]
