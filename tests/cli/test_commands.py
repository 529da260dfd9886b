"""The command line: the same results as in Python, and one line to refuse whatever is wrong."""

from __future__ import annotations

import csv
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise.cli import main
from arcwise.cli.options import read_edge_file
from arcwise.errors import FileFormatError
from support.command_line import Captured, refusal, status

ROWS = 2000


@pytest.fixture
def measured(tmp_path: Path) -> Path:
    values = np.random.default_rng(1).standard_normal((30, 3))
    path = tmp_path / "measured.csv"
    lines = ["x,y,z", *(",".join(map(repr, row)) for row in values.tolist())]
    path.write_text("\n".join(lines))
    return path


def test_score_writes_what_python_computes(table: Path, tmp_path: Path, capsys: Captured) -> None:
    edges = tmp_path / "edges.csv"
    edges.write_text("source,target\nsmoke,lung\n")
    out = tmp_path / "scores.jkl"
    options = [
        "--max-indegree",
        2,
        "--required-edges",
        edges,
        "--equivalent-sample-size",
        10,
        "--out",
        out,
    ]
    command = ["score", table, "--score", "bdeu", *options, "--best", 2, "--threads", 1]
    assert status(*command) == 0
    expected = arcwise.score(
        table, arcwise.scores.BDeu(10), max_indegree=2, required_edges=[("smoke", "lung")]
    )
    written = arcwise.scores.read_scores(out)
    assert written.variables == expected.variables
    for name in expected.variables:
        assert dict(written.families(name)) == dict(expected.families(name))
    said = capsys.readouterr()
    assert said.err == "Data: 2,000 rows, 8 discrete variables.\n"
    assert f"{len(expected):,} families scored by BDeu (equivalent sample size 10)" in said.out
    assert f"Scores written to {out}\n" in said.out
    best, value = expected.best("either", 1)[0]
    assert ", ".join(best) in said.out
    assert f"{value:.3f}" in said.out


@pytest.mark.parametrize(
    ("options", "score"),
    [
        ([], arcwise.scores.BGe()),
        (["--score", "bge", "--alpha-mu", "0.5", "--alpha-w", "9"], arcwise.scores.BGe(0.5, 9.0)),
        (["--score", "BIC"], arcwise.scores.BIC()),
    ],
)
def test_scores_of_measurements(
    options: list[str], score: Any, measured: Path, tmp_path: Path
) -> None:
    out = tmp_path / "scores.jkl"
    assert main(["score", str(measured), *options, "--best", "0", "--out", str(out)]) == 0
    expected = arcwise.score(measured, score)
    written = arcwise.scores.read_scores(out)
    for name in expected.variables:
        assert dict(written.families(name)) == dict(expected.families(name))


def test_options_of_reading(measured: Path, tmp_path: Path, capsys: Captured) -> None:
    assert main(["describe", str(measured), "--discretize", "uniform:4"]) == 0
    cut = arcwise.discretize(measured, method="uniform", bins=4)
    assert capsys.readouterr().out == cut.describe() + "\n"
    path = tmp_path / "all.csv"
    path.write_text("a,b,w,set\n1,1,2,a\n2,1,1,none\n1,1,1,b\n3,1,1,\n")
    options = ["--continuous", "a", "--weights", "w", "--interventions", "set"]
    assert main(["describe", str(path), *options, "--constant", "keep"]) == 0
    data = arcwise.read(
        path, kinds={"a": "continuous"}, weights="w", interventions="set", constant="keep"
    )
    assert capsys.readouterr().out == data.describe() + "\n"
    assert (
        main(
            [
                "describe",
                str(path),
                "--continuous",
                "*",
                "--constant",
                "drop",
                "--weights",
                "w",
                "--interventions",
                "set",
            ]
        )
        == 0
    )
    said = capsys.readouterr()
    assert "left out the constant column 'b', which no edge can concern" in said.out
    assert said.err == ""
    path.write_text("a,b\n1,2\n,3\n2,3\n")
    assert main(["describe", str(path), "--missing", "level"]) == 0
    assert "3  1, 2, None" in capsys.readouterr().out


def test_simulate_prints_or_writes_what_python_draws(tmp_path: Path, capsys: Captured) -> None:
    expected = arcwise.simulate("asia", 20, seed=5)
    path = tmp_path / "asia.csv"
    assert main(["simulate", "asia", "--rows", "20", "--seed", "5", "--out", str(path)]) == 0
    assert capsys.readouterr().out == f"20 rows written to {path}\n"
    assert main(["simulate", "asia", "--rows", "20", "--seed", "5"]) == 0
    printed = capsys.readouterr().out
    assert printed == path.read_text()
    rows = list(csv.DictReader(printed.splitlines()))
    assert {name: [row[name] for row in rows] for name in rows[0]} == expected.to_dict()


def test_names_that_look_like_markup(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "markup.csv"
    path.write_text("[/bold],[red]b\n0,1\n1,0\n0,0\n1,1\n")
    assert main(["score", str(path)]) == 0
    assert "[/bold]" in (said := capsys.readouterr().out)
    assert "[red]b" in said


def test_long_paths_are_not_broken(table: Path, tmp_path: Path, capsys: Captured) -> None:
    out = tmp_path / ("long" * 40 + ".jkl")
    assert main(["score", str(table), "--max-indegree", "1", "--out", str(out)]) == 0
    assert f"Scores written to {out}\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("e.csv", "source,target\na,b\nc,b\n"),
        ("e.csv", "\ufeffsource,target,weight\n a , b ,3\n\n c,b,4\n"),
        ("e.csv", "a,b,c\n0,1,0\n0,0,0\n0,1,0\n"),
        ("e.JSON", '[["a", "b"], ["c", "b"]]'),
        ("e.json", '{"b": ["a", "c"]}'),
    ],
)
def test_edge_files_of_every_form(name: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert read_edge_file(path) == [("a", "b"), ("c", "b")]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("e.csv", b""),
        ("e.csv", b"\n\n"),
        ("e.csv", b"\xff\xfe\x00"),
        ("e.csv", b"source,target\na\n"),
        ("e.csv", b"a,b\n0,1\n"),
        ("e.csv", b"a,b\n0,2\n0,0\n"),
        ("e.csv", b"from,target\na,b\n"),
        ("e.csv", b"x" * 200_000),
        ("e.json", b"{"),
        ("e.json", b"null"),
        ("e.json", b'"ab"'),
        ("e.json", b'["ab"]'),
        ("e.json", b'{"b": "ac"}'),
        ("e.json", b'{"b": {"a": 1}}'),
        ("e.json", b'[["a", "b", "c"]]'),
        ("e.json", b'[["a", 1]]'),
        ("e.json", b"[" * 100_000),
        ("absent.csv", None),
    ],
)
def test_damaged_edge_files(name: str, content: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(FileFormatError, match="give") as error:
        read_edge_file(path)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


BAD_TABLES = {
    "missing values": (
        "a,b\n1,2\n,3\n2,2\n",
        [],
        "values are missing in 'a' (1); give --missing drop to drop the rows concerned, 1 of 3, or "
        "--missing level to make missing a level of discrete columns; learn imputes them by itself",
    ),
    "missing continuous values": (
        "a b,c\n1.5,2\n,3\n2,2\n",
        ["--missing", "level"],
        "--missing level is for discrete columns, but values are missing in the continuous 'a b' "
        "(1); give --discretize quantile:3 as well to cut continuous columns into intervals, "
        "--missing drop instead, or --discrete 'a b' if",
    ),
    "constant column": (
        "a,b\n1,2\n1,3\n",
        ["--constant", "error"],
        "column 'a' has a single value and thus no information; give --constant drop to leave "
        "constant columns out or --constant keep to keep them",
    ),
    "numbers for names": ("1.5,2.5\n3,4\n5,6\n", [], "not names; add a line of names"),
    "one row": ("a,b\n1,2\n", [], "the table has a single row"),
    "no rows": ("a,b\n", [], "no rows"),
    "duplicated names": ("a,a\n1,2\n2,1\n", [], "'a' occurs more than once"),
    "infinities": ("a,b\n1.5,2\ninf,3\n2,2\n", [], "values are infinite in 'a' (1)"),
    "labels in a continuous column": (
        "a,b\n1.5,x\n2.5,y\n3.0,x\n",
        ["--continuous", "b"],
        "column 'b' cannot be continuous, because its value 'x' is not a finite number; give "
        "--discrete b or correct the value",
    ),
    "ragged rows": ("a,b\n1,2\n1,2,3\n", [], "line 3 of"),
    "empty file": ("", [], "is empty"),
}
UNREADABLE_TABLES = ("numbers for names", "duplicated names", "ragged rows", "empty file")


@pytest.mark.parametrize("kind", BAD_TABLES)
@pytest.mark.parametrize("command", ["score", "describe"])
def test_bad_tables(kind: str, command: str, tmp_path: Path, capsys: Captured) -> None:
    text, options, message = BAD_TABLES[kind]
    path = tmp_path / "bad.csv"
    path.write_text(text)
    if command == "describe" and kind not in UNREADABLE_TABLES:
        assert main(["describe", str(path), *options]) == 0
        said = capsys.readouterr().out
        wanted = "for anything but learn" if kind == "missing values" else "before the table can"
        assert f"To be mended {wanted}" in said
    else:
        said = refusal(capsys, command, path, *options)
    assert message in said
    # Nothing is assigned as in Python.
    assert not re.search(r"\b(missing|constant|kinds|drop|discretize|identifiers)=", said)


def test_a_warning_names_options(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "passengers.csv"
    path.write_text(
        "\n".join(["PassengerId,sex,age", *(f"{i},{i % 2},{i % 30}" for i in range(60))])
    )
    assert main(["score", str(path), "--best", "0", "--quiet"]) == 0
    assert capsys.readouterr().err == (
        "arcwise: warning: left out 'PassengerId' (it numbers the rows), as it seems to identify "
        "rows; to keep it, give --identifiers keep, or the kind of a column, as in --discrete "
        "PassengerId\n"
        "arcwise: warning: 'age' (30 different whole numbers) counts as continuous; give "
        "--continuous age if that is right, --discrete age if each number is a category, or "
        "--discretize age=quantile:3 to cut them into intervals\n"
    )


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("damaged.parquet", b"PAR1" + bytes(range(200)), "damaged or not a Parquet file"),
        ("damaged.csv.gz", b"\x1f\x8b123", "damaged or not compressed"),
        ("binary.csv", bytes(range(256)) * 3, "arcwise: "),
        ("table.xlsx", b"", "cannot tell the format"),
    ],
)
def test_damaged_tables(
    name: str, content: bytes, message: str, tmp_path: Path, capsys: Captured
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert message in refusal(capsys, "describe", path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["score", "absent.csv"], "there is no file 'absent.csv'"),
        (["score"], "Missing argument 'DATA'"),
        (["score", "DATA", "--score", "bdu"], "score is 'bdu'; give one of 'bdeu'"),
        (
            ["score", "DATA", "--score", "bge", "--equivalent-sample-size", "3"],
            "--equivalent-sample-size is a parameter of bdeu",
        ),
        (
            ["score", "DATA", "--equivalent-sample-size", "3"],
            "--equivalent-sample-size is a parameter of bdeu",
        ),
        (
            ["score", "DATA", "--score", "bdeu", "--alpha-mu", "3"],
            "--alpha-mu is a parameter of bge, conditional-gaussian and degenerate-gaussian",
        ),
        (
            ["score", "DATA", "--score", "bdeu", "--equivalent-sample-size", "0"],
            "equivalent_sample_size is 0.0",
        ),
        (
            ["score", "DATA", "--score", "bdeu", "--equivalent-sample-size", "much"],
            "--equivalent-sample-size is 'much'; give a number",
        ),
        (["score", "DATA", "--score", "bge"], "BGe needs continuous columns"),
        (["score", "DATA", "--best", "-1"], "--best is -1"),
        (["score", "DATA", "--threads", "0"], "threads is 0"),
        (["score", "DATA", "--max-indegree", "-1"], "--max-indegree is -1; give a whole number"),
        (
            ["score", "DATA", "--max-indegree", "two"],
            "--max-indegree is 'two'; give a whole number",
        ),
        (["score", "DATA", "--missing", "ignore"], "--missing is 'ignore'; give one of"),
        (["score", "DATA", "--discrete", "x"], "--discrete names 'x'"),
        (["score", "DATA", "--discrete", "asia", "--continuous", "asia"], "choose one"),
        (["score", "DATA", "--discrete", "*", "--continuous", "asia"], "name no others beside it"),
        (["score", "DATA", "--weights", "x"], "--weights names 'x'"),
        (["score", "DATA", "--interventions", "x"], "--interventions names 'x'"),
        (
            ["score", "DATA", "--discretize", "median"],
            "the method of --discretize is 'median'; give one of",
        ),
        (["score", "DATA", "--discretize", "quantile:x"], "--discretize has 'x' bins"),
        (["score", "DATA", "--discretize", "quantile:²"], "--discretize has '²' bins"),
        (["score", "DATA", "--discretize", "quantile:" + "9" * 5000], "bins; give a whole number"),
        (["score", "DATA", "--candidates", "absent.csv"], "there is no file 'absent.csv'"),
        (
            ["score", "DATA", "--required-edges", "CYCLE"],
            "--required-edges has the cycle asia -> tub -> asia",
        ),
        (["score", "DATA", "--forbidden-edges", "UNKNOWN"], "--forbidden-edges names 'wet'"),
        (
            ["score", "DATA", "--out", "no folder/scores.jkl"],
            "there is no folder 'no folder'",
        ),
        (["score", "DATA", "--out", "."], "'.' is a folder"),
        (["score", "DATA", "--no-such-option"], "No such option"),
        (["simulate", "moon"], "there is no bundled network 'moon'; choose from: asia"),
        (["simulate", "asia", "--rows", "0"], "rows is 0"),
        (["simulate", "asia", "--seed", "-3"], "seed is -3"),
        (["simulate", "asia", "--out", "asia.txt"], "its ending is not one of .csv"),
        (
            ["simulate", "asia", "--out", "no folder/asia.csv"],
            "there is no folder 'no folder'",
        ),
        (["guess"], "No such command 'guess'"),
        (["--no-such-option"], "No such option"),
    ],
)
def test_bad_arguments(
    arguments: list[str],
    message: str,
    table: Path,
    tmp_path: Path,
    capsys: Captured,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cycle.csv").write_text("source,target\nasia,tub\ntub,asia\n")
    (tmp_path / "unknown.csv").write_text("source,target\nasia,wet\n")
    files = {"DATA": str(table), "CYCLE": "cycle.csv", "UNKNOWN": "unknown.csv"}
    assert message in refusal(capsys, *(files.get(part, part) for part in arguments))


def test_too_many_families_are_refused_before_they_are_made(
    tmp_path: Path, capsys: Captured
) -> None:
    names = [f"x{i}" for i in range(60)]
    rows = [",".join(str(int(i % 2 == j)) for i in range(60)) for j in range(2)]
    path = tmp_path / "wide.csv"
    path.write_text("\n".join([",".join(names), *rows]))
    assert "lower --max-indegree or give --candidates" in refusal(capsys, "score", path)


def test_help_names_every_option(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    from arcwise.cli.app import application

    monkeypatch.setenv("COLUMNS", "200")
    commands: Mapping[str, Any] = application().commands
    assert {"score", "describe", "simulate"} <= set(commands)
    for name, command in commands.items():
        assert main([name, "--help"]) == 0
        said = capsys.readouterr().out
        assert len(command.params) >= 2
        for parameter in command.params:
            assert parameter.help, f"{name} does not say what {parameter.name} is"
            assert all(flag.lower() in said.lower() for flag in parameter.opts), parameter.opts
    assert main(["--help"]) == 0
    said = capsys.readouterr().out
    assert all(name in said for name in commands)


def test_version_and_nothing_at_all(capsys: Captured) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"arcwise {arcwise.__version__}\n"
    assert main([]) == 0
    assert "score" in capsys.readouterr().out


def test_warnings_go_back_to_what_they_were(table: Path, capsys: Captured) -> None:
    import warnings

    before = warnings.showwarning, list(warnings.filters)
    assert main(["describe", str(table)]) == 0
    assert (warnings.showwarning, list(warnings.filters)) == before


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    code = "import sys; from arcwise.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)


def test_the_real_program(tmp_path: Path) -> None:
    data, out = tmp_path / "asia.csv", tmp_path / "asia.jkl"
    made = run("simulate", "asia", "--rows", "2000", "--out", str(data))
    assert (made.returncode, made.stderr) == (0, "")
    scored = run("score", str(data), "--max-indegree", "2", "--out", str(out), "--quiet")
    assert (scored.returncode, scored.stderr) == (0, "")
    expected = arcwise.score(data, max_indegree=2)
    assert arcwise.scores.read_scores(out).best("dysp") == expected.best("dysp")
    failed = run("score", str(tmp_path / "absent.csv"))
    assert failed.returncode == 2
    assert failed.stdout == ""
    assert failed.stderr.startswith("arcwise: there is no file")
    assert failed.stderr.count("\n") == 1


def test_a_reader_that_has_seen_enough() -> None:
    code = "import sys; from arcwise.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", code, "simulate", "asia", "--rows", "200000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith(b"asia,")
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1
