"""Posteriors: what comes out of an algorithm, and what can be asked of it."""

from arcwise.posterior.dag_sample import DagSample, Feature
from arcwise.posterior.posterior import Posterior

__all__ = ["DagSample", "Feature", "Posterior"]
