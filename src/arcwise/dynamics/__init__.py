"""Results for time series: lagged edges, process graph, impulse responses, forecasts, steps."""

from arcwise.dynamics.forecast import forecast
from arcwise.dynamics.impulse_response import impulse_response
from arcwise.dynamics.lagged_edges import lagged_edges, process_graph
from arcwise.dynamics.steps import learn_steps

__all__ = ["forecast", "impulse_response", "lagged_edges", "learn_steps", "process_graph"]
