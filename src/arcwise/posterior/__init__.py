"""Posteriors over DAGs: edge probabilities, features, evidence, and files."""

from arcwise.posterior.consensus import CredibleSet, ThresholdGraph
from arcwise.posterior.dag_sample import DagSample
from arcwise.posterior.estimate import Estimate, Interval
from arcwise.posterior.evidence import Evidence, LowerBound
from arcwise.posterior.map_result import MapResult
from arcwise.posterior.matrices import Adjacency, FeatureMatrix
from arcwise.posterior.posterior import Posterior, checked_posterior
from arcwise.records.chain_record import Traces

__all__ = [
    "Adjacency",
    "CredibleSet",
    "DagSample",
    "Estimate",
    "Evidence",
    "FeatureMatrix",
    "Interval",
    "LowerBound",
    "MapResult",
    "Posterior",
    "ThresholdGraph",
    "Traces",
    "checked_posterior",
]
