"""Records of runs: settings, draws, traces, temperature ladders, convergence figures."""
