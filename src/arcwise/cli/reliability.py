"""Tells how reliable a result is, in its two parts: computation, and data and model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arcwise.diagnostics.diagnosis import Diagnosis
from arcwise.posterior import Posterior
from arcwise.records.findings import Finding, with_signs


def print_reliability(diagnosis: Diagnosis) -> None:
    """Print both verdicts, each with its findings."""
    print("Reliability")
    print(f"  computation: {diagnosis.verdict}")
    _print_findings([each for each in diagnosis.findings if each.part == "computation"])
    print(f"  data and model: {diagnosis.data_verdict}")
    _print_findings([each for each in diagnosis.findings if each.part == "data and model"])
    print()


def _print_findings(findings: Sequence[Finding]) -> None:
    for sentence in with_signs(findings):
        print(f"    {sentence}")


def reliability_result(posterior: Posterior) -> Mapping[str, Any]:
    """Return both verdicts with all their findings, as --json prints them with every answer."""
    diagnosis = posterior.diagnose()
    return {
        "computation": diagnosis.verdict,
        "data_and_model": diagnosis.data_verdict,
        "sentences": [*diagnosis.sentences, *diagnosis.data_sentences],
    }


def print_verdicts(posterior: Posterior) -> None:
    """Print both verdicts and what is serious about them, to go with a single figure or graph."""
    diagnosis = posterior.diagnose()
    print(f"Computation: {diagnosis.verdict}; data and model: {diagnosis.data_verdict}.")
    for sentence in with_signs(each for each in diagnosis.findings if each.severity == "serious"):
        print(f"  {sentence}")
