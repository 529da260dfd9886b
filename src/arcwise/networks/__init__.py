"""Networks: random DAGs, networks with parameters, and data drawn from them."""

from arcwise.networks.discrete import DiscreteNetwork, asia, discrete_network
from arcwise.networks.gaussian import (
    ConditionalGaussianNetwork,
    GaussianNetwork,
    Regression,
    conditional_gaussian_network,
    gaussian_network,
)
from arcwise.networks.network import Network
from arcwise.networks.simulate import random_dag, simulate

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
