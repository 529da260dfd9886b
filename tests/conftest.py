"""Settings for all tests: the same generated cases on every run, no deadline, no fsync."""

import gc

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

# What is imported to collect the tests stays: 400,000 objects that need not be gone through
# again and again, neither now nor later.
gc.disable()


def pytest_collection_finish() -> None:
    """Look for garbage among what the tests themselves leave."""
    gc.freeze()
    gc.enable()


@pytest.fixture(autouse=True)
def _no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let thousands of checkpoints be quick: nobody cuts the power here."""
    monkeypatch.setattr("arcwise.runs.ledger._SYNCHRONOUS", "OFF")
