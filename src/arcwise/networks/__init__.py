"""Networks: random DAGs, networks with parameters, and data drawn from them."""

from arcwise.networks.asia import asia
from arcwise.networks.conditional_gaussian import ConditionalGaussianNetwork, Regression
from arcwise.networks.dags import random_dag
from arcwise.networks.discrete import DiscreteNetwork
from arcwise.networks.gaussian import GaussianNetwork, gaussian_network
from arcwise.networks.network import Network
from arcwise.networks.random_regressions import conditional_gaussian_network
from arcwise.networks.random_tables import discrete_network
from arcwise.networks.simulate import simulate

__all__ = [
    "ConditionalGaussianNetwork",
    "DiscreteNetwork",
    "GaussianNetwork",
    "Network",
    "Regression",
    "asia",
    "conditional_gaussian_network",
    "discrete_network",
    "gaussian_network",
    "random_dag",
    "simulate",
]
