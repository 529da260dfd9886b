"""How long computations run: the same bits on any number of threads, progress, and Ctrl-C."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import Data, Model
from arcwise.model.score_sums import ScoreSums
from arcwise.scores import BIC, BDe, BDeu, BGe, FamilyScores, LocalScore
from support.interrupting import assert_stops_within_two_seconds
from support.strategies import continuous_case, discrete_case


def discrete(rows: int = 400, n: int = 8, mask: bool = False) -> Data:
    random = np.random.default_rng(1)
    codes = random.integers(0, 3, (rows, n))
    intervened = random.random((rows, n)) < 0.1 if mask else None
    if intervened is not None:
        intervened[:, : n // 2] = False
    return discrete_case(codes, [3] * n, None, intervened).data


def continuous() -> Data:
    return continuous_case(np.random.default_rng(1).standard_normal((50, 8))).data


def bits(scores: FamilyScores) -> list[bytes]:
    return [scores.table.values(node).tobytes() for node in range(len(scores.variables))]


@pytest.mark.parametrize(
    ("data", "score", "rule"),
    [
        (discrete(), BDeu(), {}),
        (discrete(), BIC(), {"max_indegree": 3}),
        (discrete(), BDe({}), {"max_indegree": 2}),
        (discrete(mask=True), BDeu(), {}),
        (discrete(), BDeu(), {"candidates": {"a": list("bcdefgh"), "h": list("ab")}}),
        (continuous(), BGe(), {}),
        (continuous(), BGe(prior_scale=np.eye(8) + 0.2), {"required_edges": [("a", "b")]}),
        (continuous(), BIC(), {"max_indegree": 4}),
    ],
)
def test_scores_are_the_same_bits_on_any_number_of_threads(
    data: Data, score: LocalScore, rule: dict[str, Any]
) -> None:
    expected = bits(arcwise.score(data, score, threads=1, **rule))
    for threads in (2, 3, None):
        assert bits(arcwise.score(data, score, threads=threads, **rule)) == expected


def test_many_pieces_are_the_same_bits_on_any_number_of_threads() -> None:
    # Above 16,384 sets a walk is cut into pieces, one or two members deep.
    random = np.random.default_rng(2)
    names = [f"x{i}" for i in range(17)]
    data = arcwise.read({name: random.standard_normal(40) for name in names})
    for rule in ({}, {"candidates": {"x16": names[:16], "x0": names[1:16]}}, {"max_indegree": 5}):
        one = bits(arcwise.score(data, "bge", threads=1, **rule))
        assert bits(arcwise.score(data, "bge", threads=3, **rule)) == one


def test_sums_and_draws_are_the_same_on_any_number_of_threads() -> None:
    model = Model(discrete(), "bdeu")
    first, second = ScoreSums(model, threads=1), ScoreSums(model, threads=3)
    for node in model.variables:
        assert first.log_sum(node) == second.log_sum(node)
        assert first.sample(node, size=20, seed=4) == second.sample(node, size=20, seed=4)


JOBS: dict[str, tuple[bool, dict[str, Any], int]] = {
    "common table": (False, {"max_indegree": 4}, 2),
    "common table and own walks": (True, {"max_indegree": 3}, 4),
    "own walks": (False, {"candidates": {"a": list("bcdefgh")}}, 2),
}
"""With or without interventions, which families, and in how many phases they are scored."""


@pytest.mark.parametrize("job", JOBS)
@pytest.mark.parametrize("threads", [1, 2])
def test_progress_rises_to_1_over_all_phases(job: str, threads: int) -> None:
    mask, rule, phases = JOBS[job]
    shares: list[float] = []
    data = discrete(20_000, 8, mask)
    arcwise.score(data, BDe({}), threads=threads, progress=shares.append, **rule)
    assert shares == sorted(shares)
    assert shares[0] >= 0.0
    assert shares[-1] == pytest.approx(1.0, abs=1e-12)
    # Each phase reports its own end at least, and slow ones more.
    assert len(set(shares)) >= phases


def test_progress_of_other_computations_ends_at_1() -> None:
    shares: list[float] = []
    Model(["a", "b", "c"], lambda node, parents: 0.0, progress=shares.append)
    assert shares == [1.0]
    shares.clear()
    ScoreSums(Model(discrete()), progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_a_progress_bar_needs_a_terminal(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for colours in (None, "1"):
        if colours is not None:
            monkeypatch.setenv("FORCE_COLOR", colours)  # as logs of continuous integration have it
        arcwise.score(discrete(), progress=True)
        assert capfd.readouterr() == ("", "")


ON_A_TERMINAL = """
import os, pty, sys
child, terminal = pty.fork()
if child == 0:
    os.environ.update(TERM="xterm", COLUMNS="160")
    import arcwise
    model = arcwise.Model(arcwise.simulate("asia", 100, seed=1), max_indegree=2)
    arcwise.mcmc(model, "partitions", steps=8_000, seed=1, progress=True)
    os._exit(0)
shown = b""
try:
    while piece := os.read(terminal, 4096):
        shown += piece
except OSError:
    pass
os.waitpid(child, 0)
sys.stdout.write(shown.decode(errors="replace"))
"""


def test_a_progress_bar_tells_how_chains_stand() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ON_A_TERMINAL], capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0
    assert re.search(r"[\d,]+ steps/s, \d+% accepted, R-hat \d\.\d+, ESS [\d,]+", done.stdout)


@pytest.mark.parametrize(
    "run",
    [
        lambda progress: arcwise.score(discrete(), "bdeu", progress=progress),
        lambda progress: arcwise.score(discrete(mask=True), "bdeu", progress=progress),
        lambda progress: arcwise.score(["a", "b"], lambda v, p: 0.0, progress=progress),
        lambda progress: ScoreSums(Model(discrete()), progress=progress),
    ],
)
def test_what_the_progress_function_raises_comes_out(run: Any) -> None:
    class Enough(Exception):
        pass

    def stop(share: float) -> None:
        raise Enough(f"at {share}")

    with pytest.raises(Enough, match=r"at \d"):
        run(stop)


def test_what_a_score_function_raises_comes_out() -> None:
    def fail(node: str, parents: tuple[str, ...]) -> float:
        raise LookupError("no such family")

    with pytest.raises(LookupError, match="no such family"):
        arcwise.score(["a", "b"], fail)


BIG_JOB = """
import numpy as np
import arcwise
from arcwise.data import DiscreteColumn
random = np.random.default_rng(1)
data = arcwise.Data(
    [DiscreteColumn(f"x{i}", random.integers(0, 3, 100_000), (0, 1, 2)) for i in range(24)]
)
def job():
    arcwise.score(data, "bdeu", max_indegree=5)
"""


def test_ctrl_c_stops_a_big_job() -> None:
    assert_stops_within_two_seconds(BIG_JOB)
