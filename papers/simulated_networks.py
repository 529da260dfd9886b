"""The Gaussian networks of Kuipers, Suter and Moffa (2022), their score and their prior."""

from __future__ import annotations

import arcwise
from arcwise import Dag
from arcwise.data import Data
from arcwise.scores import BGe

# The paper's score has the same scale for all columns, whose variances grow along a random DAG; the
# default of arcwise, which does not depend on units, adds many edges here.
SCORE = BGe(prior_scale=0.5)
PRIOR = "uniform"  # the paper's scores have no other; the default of arcwise prefers few edges

SIZES = (20, 40, 60, 80)


def simulated(variables: int, rows: int, repetition: int) -> tuple[Dag, Data]:
    """Return a random DAG and data: edge probability 4 / n, strengths from 0.4 to 2, unit noise."""
    dag = arcwise.networks.random_dag(variables, edge_probability=4 / variables, seed=repetition)
    network = arcwise.networks.gaussian_network(dag, weights=(0.4, 2.0), seed=repetition)
    return dag, network.sample(rows, seed=repetition)
