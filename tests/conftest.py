"""Settings for all tests: the same generated cases on every run, no deadline, no fsync."""

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "arcwise",
    derandomize=True,
    deadline=None,
    max_examples=60,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("arcwise")


@pytest.fixture(autouse=True)
def _no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let thousands of checkpoints be quick: nobody cuts the power here."""
    monkeypatch.setattr("arcwise.runs.ledger._SYNCHRONOUS", "OFF")
