"""Findings about the computation as warnings, each of a class of its own."""

from __future__ import annotations

from arcwise.errors import (
    ArcwiseWarning,
    ChainsApartWarning,
    ConvergenceWarning,
    ExchangeWarning,
    RareChangeWarning,
    WeightCollapseWarning,
)
from arcwise.records.findings import Finding

_WARNINGS: dict[str, type[ArcwiseWarning]] = {
    "disagreement": ChainsApartWarning,
    "convergence": ConvergenceWarning,
    "rare changes": RareChangeWarning,
    "exchanges": ExchangeWarning,
    "importance weights": WeightCollapseWarning,
}


def is_warning(finding: Finding) -> bool:
    """Return whether a finding is a reason to warn."""
    return finding.part == "computation" and finding.topic in _WARNINGS


def as_warning(finding: Finding) -> ArcwiseWarning:
    """Return a finding as a warning that can be understood without the others."""
    return _WARNINGS[finding.topic](finding.sentence)
