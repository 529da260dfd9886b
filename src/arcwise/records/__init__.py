"""Records of runs: settings, draws, traces, temperature ladders, convergence figures."""

from arcwise.records.traces import Traces

__all__ = ["Traces"]
