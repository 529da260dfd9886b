"""Every sub-command calls the public function of its own name."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import arcwise
from arcwise.cli import main
from arcwise.cli.app import application
from arcwise.cli.composition import save_data

COMMANDS: Mapping[str, Any] = application().commands
_OF_TABLES = ("learn", "exact", "sample", "map", "evidence", "score", "describe")
ARGUMENTS = {
    **{name: ["TABLE"] for name in _OF_TABLES},
    "simulate": ["asia"],
    "report": ["FOLDER"],
    "draw": ["FOLDER", "network.svg"],
    "estimate": ["FOLDER", "smoke -> lung"],
    "effects": ["FOLDER", "bronc", "dysp"],
    "predict": ["FOLDER", "TABLE", "--target", "dysp"],
    "impulse-response": ["FOLDER", "bronc", "dysp"],
    "forecast": ["FOLDER", "TABLE"],
    "cross-validate": ["TABLE", "--target", "dysp"],
    "summary-graph": ["FOLDER"],
    "compare": ["FOLDER", "FOLDER"],
    "compare-models": ["EVIDENCE", "OTHER"],
    "resume": ["RUN"],
    "status": ["RUN"],
}


class CalledError(Exception):
    """Raised in place of what the function would do."""


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("places")
    table = folder / "table.csv"
    arcwise.simulate("asia", 300, seed=3).write_csv(table)
    model = arcwise.Model(table, max_indegree=1)
    arcwise.exact(model).save(folder / "posterior.npz")
    save_data(arcwise.read(table), folder)
    arcwise.mcmc(model, steps=100, chains=2, directory=folder / "run")
    for name in ("evidence.json", "other.json"):
        arcwise.exact(model).write_evidence(folder / name)
    return {
        "TABLE": str(table),
        "FOLDER": str(folder),
        "RUN": str(folder / "run"),
        "EVIDENCE": str(folder / "evidence.json"),
        "OTHER": str(folder / "other.json"),
    }


def test_every_command_has_a_case() -> None:
    assert set(ARGUMENTS) == set(COMMANDS)


@pytest.mark.filterwarnings("ignore::arcwise.errors.ArcwiseWarning")
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_calls_the_function_of_its_name(
    name: str, places: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    function = name.replace("-", "_")
    assert function in dir(arcwise)
    assert callable(getattr(arcwise, function))

    def called(*_: object, **__: object) -> None:
        raise CalledError

    monkeypatch.setattr(arcwise, function, called)
    with pytest.raises(CalledError):
        main([name, *(places.get(part, part) for part in ARGUMENTS[name])])


@pytest.mark.filterwarnings("ignore::arcwise.errors.ArcwiseWarning")
def test_sampling_has_the_same_defaults_in_python_and_in_the_shell(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    arcwise.simulate("asia", 300, seed=3).write_csv(table)
    short = ["--max-indegree", "1", "--steps", "200", "--out", str(tmp_path)]
    for algorithm in ("mcmc", "mc3", "ais"):
        assert main(["sample", str(table), "--algorithm", algorithm, *short]) == 0
        saved = arcwise.Posterior.load(tmp_path / "posterior.npz")
        model = arcwise.Model(table, prior="by-evidence", max_indegree=1)
        found = arcwise.sample(model, algorithm=algorithm, steps=200)
        assert (saved.edges == found.edges).all()
        timings = {"seconds", "seconds_sampling"}
        one, other = (each.summary_dict() for each in (saved, found))
        assert {k: v for k, v in one.items() if k not in timings} == {
            k: v for k, v in other.items() if k not in timings
        }


def test_one_table_has_one_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "table.csv"
    arcwise.simulate("asia", 200, seed=3).write_csv(table)
    options = [str(table), "--max-indegree", "2", "--json"]
    found = {}
    for command in ("learn", "exact", "evidence", "map"):
        assert main([command, *options]) == 0
        captured = capsys.readouterr()
        found[command] = json.loads(captured.out)
    learned = arcwise.learn(table, max_indegree=2, progress=None)
    assert learned.account is not None
    chosen = learned.account.chosen
    assert (chosen.score, chosen.prior) != (repr(arcwise.scores.BDeu()), "Sparse(1.0)")
    for command in ("learn", "exact"):
        assert found[command]["evidence"]["log_evidence"] == learned.log_evidence
    assert found["evidence"]["log_evidence"] == learned.log_evidence
    assert found["map"]["log_weight"] == pytest.approx(learned.map_log_weight)
    # The same in Python, and with what the account says fixes it.
    model = arcwise.Model(table, prior="by-evidence", max_indegree=2)
    assert (repr(model.score), repr(model.prior)) == (chosen.score, chosen.prior)
    said = next(each for each in learned.account.choices if "chosen by the evidence" in each)
    words = re.search(
        r"the prior (\S+) and the score (\S+) with the equivalent sample size ([\d.]+)\.$", said
    )
    assert words is not None
    prior, score, size = words.groups()
    fixed = ["--prior", prior, "--score", score, "--equivalent-sample-size", size]
    assert main(["exact", *options, *fixed]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["evidence"]["log_evidence"] == learned.log_evidence
    # A prior that is given is not changed, and nor is the score then.
    assert main(["exact", *options, "--prior", "sparse"]) == 0
    other = json.loads(capsys.readouterr().out)
    expected = arcwise.exact(arcwise.Model(table, max_indegree=2))
    assert other["evidence"]["log_evidence"] == expected.log_evidence
