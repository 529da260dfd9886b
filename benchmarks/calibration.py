"""How often intervals of 95 % hold the truth, over many runs of every kind of draws.

The model has four variables and the truth is by enumeration of all its DAGs; the
larger sister of tests/algorithms/test_calibration.py.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path

from measuring import heading, line

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import algorithms.test_calibration as calibration
from arcwise.errors import ArcwiseWarning


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    options = parser.parse_args()
    calibration.RUNS = options.runs
    warnings.simplefilter("ignore", ArcwiseWarning)
    texts = (*calibration.COMMON, *calibration.RARE)
    for kind, samples in calibration.KINDS.items():
        error = (0.95 * 0.05 / options.runs) ** 0.5
        heading(f"{kind}, {options.runs} runs (one standard error is {error:.1%})")
        for text, share in calibration.coverage(samples(), texts).items():
            truth = calibration.truths()[text]
            line(f"{text} ({truth:.3g})", f"{share:.1%}")


if __name__ == "__main__":
    main()
