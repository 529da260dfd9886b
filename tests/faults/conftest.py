"""Runs that are killed write to disk as they do for users; at the end comes a table of kills."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture(autouse=True)
def _no_waiting_for_the_disk() -> None:
    """Undo what the fixture of this name does for all other tests."""


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print what was killed, how often, and how many checkpoints the ledger had each time."""
    kills: dict[str, list[str]] = {}
    for report in terminalreporter.getreports("passed"):
        for name, value in report.user_properties:
            if name == "kill":
                what, before, found = value
                at = "busy" if found is None else f"{before} to {found}"
                kills.setdefault(what, []).append(at)
    if not kills:
        return
    terminalreporter.section("kills, and the checkpoints in the ledger from the start to each")
    for what in sorted(kills):
        terminalreporter.line(f"{what:24} {len(kills[what]):3}   {', '.join(kills[what])}")
    terminalreporter.line(f"{'all':24} {sum(map(len, kills.values())):3}")
