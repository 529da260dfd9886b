"""Results in time: edges by lag, the process graph, impulse responses, forecasts, steps."""
