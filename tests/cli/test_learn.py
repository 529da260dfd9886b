"""`arcwise learn` and what goes on from its folder: `report`, `estimate` and `compare`."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import Posterior
from arcwise.cli import main
from arcwise.errors import MissingDependencyError
from support.command_line import Captured, refusal, run
from support.interrupting import output_after_interruption


@pytest.fixture(scope="module")
def folders(table: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the folders of an exact posterior, and of two sampled ones."""
    base = tmp_path_factory.mktemp("results")
    options = {
        "exact": [],
        "one": ["--algorithm", "mcmc", "--steps", "30000", "--seed", "1"],
        "two": ["--algorithm", "mc3", "--steps", "6000", "--seed", "2", "--temperatures", "5"],
    }
    for name, extra in options.items():
        assert main(["learn", str(table), "--out", str(base / name), *extra]) == 0
    return {name: base / name for name in options}


def test_learn_leaves_everything_in_its_folder(
    table: Path, tmp_path: Path, capsys: Captured
) -> None:
    said = run(capsys, "learn", table, "--out", tmp_path / "out", "--title", "Lungs")
    names = {"edges.csv", "summary.json", "evidence.json", "posterior.npz", "report.html"}
    assert {path.name for path in (tmp_path / "out").iterdir()} == names | {"data.npz"}
    saved = Posterior.load(tmp_path / "out" / "posterior.npz")
    expected = arcwise.learn(table, progress=None)
    assert np.array_equal(saved.edges, expected.edges)
    assert saved.dags is not None
    assert expected.dags is not None
    assert np.array_equal(saved.dags.parents, expected.dags.parents)
    with (tmp_path / "out" / "edges.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 28
    first = saved.adjacencies()[0]
    assert (rows[0]["source"], rows[0]["target"]) == (first.source, first.target)
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    for sentence in (*summary["choices"], *summary["trust"]):
        assert sentence in said
    assert "  computation: exact" in said
    assert f"  data and model: {summary['data_verdict']}" in said
    for finding in summary["findings"]:
        assert finding["fact"] in said
    assert "The 15 most probable of 28 pairs of variables, of which" in said
    assert said.index("Reliability") < said.index("The 15 most probable")
    for figure in (first.probability, first.forward, first.backward):
        assert f"{figure:.4f}" in said
    assert "log evidence" in said
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "Lungs" in page
    assert summary["chosen"]["algorithm"] == "exact"


def test_learn_takes_every_override(table: Path, tmp_path: Path, capsys: Captured) -> None:
    required = tmp_path / "required.csv"
    required.write_text("source,target\nsmoke,bronc\n")
    said = run(
        capsys,
        *("learn", table, "--score", "bdeu", "--equivalent-sample-size", 10, "--prior", "fair"),
        *("--max-indegree", 2, "--candidates", "greedy:4", "--required-edges", required),
        *("--algorithm", "mc3", "--space", "linear", "--modularity", "order-modular"),
        *("--chains", 2, "--steps", 3000, "--until", "none"),
        *("--temperatures", 10, "--ladder", "adapted"),
        *("--seed", 5, "--threads", 1, "--out", tmp_path / "out"),
    )
    chosen = json.loads((tmp_path / "out" / "summary.json").read_text())["chosen"]
    expected = {
        "score": "BDeu(equivalent_sample_size=10.0)",
        "prior": "Fair()",
        "modularity": "order-modular",
        "parents": "candidates",
        "algorithm": "mc3",
        "space": "LinearOrders(moves=None)",
        "steps": 3000,
        "chains": 2,
        "until": None,
        "temperatures": 10,
        "ladder": "adapted",
        "seed": 5,
    }
    assert {key: chosen[key] for key in expected} == expected
    assert Posterior.load(tmp_path / "out" / "posterior.npz").edges[2, 4] == pytest.approx(1.0)
    assert "as requested" in said
    assert "The run ended when its budget was spent." in said


def test_learn_grows_where_it_is_told_to(table: Path, capsys: Captured) -> None:
    options = ["--grow", "--candidates", "greedy:2", "--until", "ess>500"]
    assert main(["learn", str(table), *options, "--quiet"]) == 0
    said = capsys.readouterr()
    assert "Candidate parents were grown from 'greedy:2'" in said.out
    assert "The run ended when its stopping rule was met (ess>500)." in said.out
    # Beforehand it says how long the chains may take, if that is long.
    assert all("make at most" in sentence for sentence in said.err.splitlines())


def test_the_same_seed_writes_the_same_edges(table: Path, tmp_path: Path) -> None:
    files = {}
    for name, seed in (("first", 1), ("again", 1), ("other", 2)):
        options = ["--algorithm", "mcmc", "--steps", "9000", "--seed", str(seed)]
        threads = ["--threads", "1" if name == "first" else "2"]
        out = tmp_path / name
        assert main(["learn", str(table), *options, *threads, "--out", str(out)]) == 0
        files[name] = (out / "edges.csv").read_bytes()
    assert files["first"] == files["again"]
    assert files["first"] != files["other"]


def test_learn_goes_on_without_the_report(
    table: Path, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_: Any, **__: Any) -> None:
        raise MissingDependencyError("jinja2 is not installed; pip install jinja2")

    monkeypatch.setattr("arcwise.report", missing)
    assert main(["learn", str(table), "--out", str(tmp_path)]) == 0
    said = capsys.readouterr()
    assert (
        said.err
        == "arcwise: report.html was not written: jinja2 is not installed; pip install "
        + "jinja2\n"
    )
    assert {"edges.csv", "posterior.npz"} <= {path.name for path in tmp_path.iterdir()}
    assert "pip install jinja2" in refusal(capsys, "report", tmp_path)


def test_report_writes_the_page_anew(folders: dict[str, Path], capsys: Captured) -> None:
    for folder in folders.values():
        page = folder / "report.html"
        page.unlink(missing_ok=True)
        assert run(capsys, "report", folder) == f"Report written to {page}\n"
        assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_draw_writes_what_python_draws(
    folders: dict[str, Path], tmp_path: Path, capsys: Captured
) -> None:
    folder = folders["exact"]
    saved = Posterior.load(folder / "posterior.npz")
    for file in ("network.svg", "network.pdf", "network.png"):
        said = run(
            *(capsys, "draw", folder, tmp_path / file),
            *("--threshold", "0.3", "--width", "3.5", "--dpi", "60"),
        )
        assert said == f"Picture written to {tmp_path / file}\n"
        saved.draw(tmp_path / f"python-{file}", threshold=0.3, width=3.5, dpi=60)
        assert (tmp_path / file).read_bytes() == (tmp_path / f"python-{file}").read_bytes()
    words = refusal(capsys, "draw", folder, tmp_path / "network.jpeg")
    assert "ends in .svg, .pdf or .png" in words
    for option, value in (
        ("--threshold", "3"),
        ("--width", "0"),
        ("--dpi", "0"),
        ("--module", "9"),
    ):
        words = refusal(capsys, "draw", folder, tmp_path / "a.svg", option, value)
        assert words.startswith(f"arcwise: {option} is ")


def test_the_page_names_the_file_of_the_table(folders: dict[str, Path], table: Path) -> None:
    page = (folders["exact"] / "report.html").read_text(encoding="utf-8")
    assert f"<title>Posterior over network structures: {table.name}</title>" in page


def test_estimate_says_what_is_asked(folders: dict[str, Path], capsys: Captured) -> None:
    for name, folder in folders.items():
        saved = Posterior.load(folder / "posterior.npz")
        diagnosis = saved.diagnose()
        verdicts = f"Computation: {diagnosis.verdict}; data and model: {diagnosis.data_verdict}.\n"
        said = run(capsys, "estimate", folder, "smoke ~> dysp")
        assert said.startswith(f"{saved.estimate('smoke ~> dysp')}\n{verdicts}")
        said = run(capsys, "estimate", folder, "smoke ~> dysp", "--given", "smoke -> bronc")
        given = saved.estimate("smoke ~> dysp", given="smoke -> bronc")
        assert said.startswith(f"{given}\n{verdicts}")
        exact = "(exact)\n" in run(capsys, "estimate", folder, "smoke -> bronc")
        assert exact == (name == "exact")
    assert "did you mean 'dysp'" in refusal(capsys, "estimate", folders["one"], "smoke ~> dsp")


def test_compare_tells_agreement(folders: dict[str, Path], capsys: Captured) -> None:
    said = run(capsys, "compare", folders["exact"], folders["one"])
    assert "The posteriors agree" in said
    assert "The edges that differ most" in said
    assert "log evidence" not in said
    said = run(capsys, "compare", folders["exact"], folders["two"])
    assert "The log evidence of the second is" in said


@pytest.mark.parametrize("name", ["learn", "sample"])
@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (None, "there is no file"),
        (["a,b", "1,2"], "a single row"),
        (["a,a", "1,2", "2,3"], "'a'"),
        ([], "data.csv"),
    ],
)
def test_bad_tables_are_refused_in_one_line(
    name: str, rows: list[str] | None, words: str, tmp_path: Path, capsys: Captured
) -> None:
    path = tmp_path / "data.csv"
    if rows is not None:
        path.write_text("\n".join(rows))
    assert words in refusal(capsys, name, path)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--steps", 10, "--seconds", 1], "both --steps and --seconds were given"),
        (["--until", "speed>4"], "until has 'speed>4'"),
        (["--algorithm", "exact", "--space", "dags"], "algorithm is 'exact'"),
        (["--temperatures", 4], "--temperatures is an option of --algorithm mc3 only"),
        (["--space", "trees"], "space is 'trees'"),
        (["--prior", "soft"], "prior is 'soft'"),
        (["--seed", -1], "seed is -1"),
        (["--grow", "--candidates", "EDGES"], "--grow starts from a method"),
        (["--required-edges", "CYCLE"], "--required-edges has the cycle"),
        (["--out", "EDGES"], "is a file; give a folder for --out"),
    ],
)
def test_bad_options_are_refused_in_one_line(
    options: list[object], words: str, table: Path, tmp_path: Path, capsys: Captured
) -> None:
    (tmp_path / "EDGES").write_text("source,target\nsmoke,lung\n")
    (tmp_path / "CYCLE").write_text("source,target\nsmoke,lung\nlung,smoke\n")
    named = [tmp_path / str(o) if str(o).isupper() and str(o).isalpha() else o for o in options]
    assert words in refusal(capsys, "learn", table, *named)


def test_sample_takes_a_rule(table: Path, capsys: Captured) -> None:
    said = run(capsys, "sample", table, "--space", "partitions", "--until", "rhat<1.1, ess>200")
    assert re.search(r"R-hat of the log posterior: (0\.99|1\.)", said)
    assert "until has 'rhat'" in refusal(capsys, "sample", table, "--until", "rhat")
    words = refusal(capsys, "sample", table, "--algorithm", "ais", "--until", "ess>3")
    assert "--until is an option of --algorithm mcmc or mc3 only" in words


@pytest.mark.parametrize("command", ["report", "draw", "estimate", "compare"])
def test_wrong_folders_are_refused_in_one_line(
    command: str, folders: dict[str, Path], table: Path, tmp_path: Path, capsys: Captured
) -> None:
    arguments: dict[str, list[object]] = {
        "report": [],
        "draw": [tmp_path / "network.svg"],
        "estimate": ["smoke -> dysp"],
        "compare": [folders["exact"]],
    }
    more = arguments[command]
    assert "there is no folder" in refusal(capsys, command, tmp_path / "none", *more)
    assert "is a file; give a folder" in refusal(capsys, command, table, *more)
    assert "has no posterior.npz" in refusal(capsys, command, tmp_path, *more)
    whole = (folders["one"] / "posterior.npz").read_bytes()
    for damaged in (whole[: len(whole) // 2], b"nonsense", b""):
        (tmp_path / "posterior.npz").write_bytes(damaged)
        assert "posterior.npz" in refusal(capsys, command, tmp_path, *more)


def test_posteriors_of_different_variables_are_not_compared(
    folders: dict[str, Path], table: Path, tmp_path: Path, capsys: Captured
) -> None:
    text = table.read_text().replace("asia", "africa", 1)
    (tmp_path / "data.csv").write_text(text)
    assert main(["learn", str(tmp_path / "data.csv"), "--out", str(tmp_path / "out")]) == 0
    capsys.readouterr()
    words = refusal(capsys, "compare", folders["exact"], tmp_path / "out")
    assert "only one of them has 'africa' and 'asia'" in words


INTERRUPTED = """
import contextlib, io, sys
from arcwise.cli import main
print("started", flush=True)
errors, output = io.StringIO(), io.StringIO()
with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(output):
    status = main(["learn", sys.argv[1], "--algorithm", "mcmc", "--until", "ess>1e12",
                   "--prior", "uniform", "--chains", "2", "--quiet", "--out", sys.argv[2]])
print(status, "the run was interrupted" in errors.getvalue())
print("The run was interrupted" in output.getvalue())
"""


def test_ctrl_c_keeps_what_was_sampled(table: Path, tmp_path: Path) -> None:
    output = output_after_interruption(INTERRUPTED, str(table), str(tmp_path / "out"))
    assert output == "0 True\nTrue\n"
    saved = Posterior.load(tmp_path / "out" / "posterior.npz")
    assert saved.run.interrupted is True
    assert (
        np.abs(saved.edges - arcwise.exact(arcwise.Model(table, prior="uniform")).edges).max() < 0.1
    )
    assert (tmp_path / "out" / "edges.csv").exists()
    assert (tmp_path / "out" / "report.html").exists()


STOPPED = """
import contextlib, io, sys
from arcwise.cli import main
print("started", flush=True)
errors = io.StringIO()
with contextlib.redirect_stderr(errors):
    status = main(["learn", sys.argv[1], "--grow", "--prior", "uniform", "--out", sys.argv[2]])
print(status, errors.getvalue(), end="")
"""


def test_ctrl_c_before_anything_is_sampled_is_no_success(tmp_path: Path) -> None:
    values = np.random.default_rng(1).normal(size=(300, 200))
    arcwise.read(values).write_csv(tmp_path / "wide.csv")
    output = output_after_interruption(STOPPED, str(tmp_path / "wide.csv"), str(tmp_path / "out"))
    # It said beforehand what takes so long.
    assert output.startswith("130 Candidate parents are grown (about ")
    assert output.endswith(" s), then the posterior is sampled by mcmc.\narcwise: interrupted\n")
    assert not (tmp_path / "out" / "posterior.npz").exists()


class _Closed(io.StringIO):
    """An output that nobody reads any more."""

    def write(self, text: str, /) -> int:
        raise BrokenPipeError


def test_files_are_written_even_if_nobody_reads_what_is_printed(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout", _Closed())
    main(["learn", str(table), "--max-indegree", "1", "--out", str(tmp_path / "out"), "--quiet"])
    sys.stdout.close()  # what takes its place
    monkeypatch.undo()
    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"posterior.npz", "edges.csv", "report.html"} <= written


def test_a_single_variable_has_no_table_of_pairs(tmp_path: Path, capsys: Captured) -> None:
    one = tmp_path / "one.csv"
    one.write_text("a\n" + "0\n1\n" * 40)
    assert main(["learn", str(one), "--seed", "1"]) == 0
    said = capsys.readouterr().out
    assert "There is a single variable, and so no pair that could be adjacent." in said
    assert "┏" not in said
