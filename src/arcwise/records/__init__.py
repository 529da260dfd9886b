"""What samplers keep: recording settings, kept states, traces, ladders of temperatures."""

from arcwise.records.traces import Traces

__all__ = ["Traces"]
