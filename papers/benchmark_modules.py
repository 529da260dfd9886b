"""Lets the scripts of the papers import what `benchmarks` has already: import it before those."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "benchmarks"))
