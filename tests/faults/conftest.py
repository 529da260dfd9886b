"""Runs that are really killed write to disk as they do for users."""

import pytest


@pytest.fixture(autouse=True)
def _no_waiting_for_the_disk() -> None:
    """Undo what the fixture of this name does for all other tests."""
