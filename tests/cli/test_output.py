"""What commands print where: results, notes, JSON, and nothing that was not asked for."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

import arcwise
from arcwise.cli import main
from arcwise.cli.app import application
from support.command_line import Captured, refusal, run, status

TRUTH = [("smoke", "lung"), ("smoke", "bronc"), ("asia", "tub")]
# Sub-commands without a result of their own: what they print is a file, or for another worker.
WITHOUT_JSON = {"simulate"}


@pytest.fixture(scope="module")
def places(table: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return a table, two folders of results, a run, files of evidence and a known graph."""
    folder = tmp_path_factory.mktemp("places")
    model = arcwise.Model(table, max_indegree=2)
    for name, seed in (("first", 1), ("second", 2)):
        (folder / name).mkdir()
        arcwise.exact(model, dags=100, seed=seed).save(folder / name / "posterior.npz")
        arcwise.exact(model).write_evidence(folder / f"{name}.json")
    arcwise.mcmc(model, steps=100, chains=2, directory=folder / "run")
    known = folder / "truth.csv"
    known.write_text("source,target\n" + "".join(f"{u},{v}\n" for u, v in TRUTH))
    return {
        "TABLE": str(table),
        "FOLDER": str(folder / "first"),
        "OTHER": str(folder / "second"),
        "RUN": str(folder / "run"),
        "EVIDENCE": str(folder / "first.json"),
        "EVIDENCE2": str(folder / "second.json"),
        "TRUTH": str(known),
    }


@pytest.mark.filterwarnings("ignore::arcwise.errors.ArcwiseWarning")
@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["learn", "TABLE", "--max-indegree", "1"], {"reliability", "adjacencies", "choices"}),
        (["exact", "TABLE", "--max-indegree", "1"], {"adjacencies", "evidence", "best_dag"}),
        (["sample", "TABLE", "--steps", "200"], {"reliability", "adjacencies", "rhat_log_weight"}),
        (["resume", "RUN"], {"adjacencies", "chains"}),
        (["map", "TABLE", "--max-indegree", "1"], {"dag", "log_score", "method"}),
        (["evidence", "TABLE", "--max-indegree", "1"], {"log_evidence", "verdict", "provenance"}),
        (["score", "TABLE", "--max-indegree", "1"], {"score", "families", "best"}),
        (["estimate", "FOLDER", "smoke ~> lung"], {"feature", "value", "standard_error"}),
        (["compare", "FOLDER", "OTHER"], {"agree", "sentences", "edges"}),
        (["compare", "FOLDER", "TRUTH"], {"structural_hamming_distance", "thresholds"}),
        (["compare-models", "EVIDENCE", "EVIDENCE2"], {"models", "decided", "sentences"}),
        (["status", "RUN"], {"state", "done"}),
        (["report", "FOLDER"], {"report"}),
        (["describe", "TABLE"], {"rows", "variables"}),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_json_is_one_object(
    words: list[str], names: set[str], places: dict[str, str], capsys: Captured
) -> None:
    assert status(*(places.get(word, word) for word in words), "--json", "--quiet") == 0
    said = capsys.readouterr()
    assert names <= set(json.loads(said.out, parse_constant=pytest.fail))
    assert all(line.startswith("arcwise: warning: ") for line in said.err.splitlines())


def test_every_command_with_a_result_has_json() -> None:
    for name, command in application().commands.items():
        options = {option for parameter in command.params for option in parameter.opts}
        assert ("--json" in options) == (name not in WITHOUT_JSON)
        assert {"--quiet", "-q"} <= options


def test_json_says_what_python_computes(places: dict[str, str], capsys: Captured) -> None:
    found = json.loads(run(capsys, "exact", places["TABLE"], "--max-indegree", "2", "--json"))
    expected = arcwise.exact(arcwise.Model(places["TABLE"], prior="by-evidence", max_indegree=2))
    assert found["evidence"]["log_evidence"] == expected.log_evidence
    pair = found["adjacencies"][0]
    assert pair["forward"] == expected.edge_probability(pair["source"], pair["target"])
    assert pair["backward"] == expected.edge_probability(pair["target"], pair["source"])
    probabilities = [row["adjacency"] for row in found["adjacencies"]]
    assert probabilities == sorted(probabilities, reverse=True)


def test_every_answer_from_a_posterior_says_how_reliable_it_is(
    places: dict[str, str], tmp_path: Path, capsys: Captured
) -> None:
    folder = str(tmp_path / "learned")
    assert status("learn", places["TABLE"], "--max-indegree", 1, "--out", folder, "--quiet") == 0
    capsys.readouterr()
    posterior = arcwise.Posterior.load(Path(folder) / "posterior.npz")
    for words in (
        ["estimate", folder, "smoke -> lung"],
        ["effects", folder, "smoke", "lung"],
        ["predict", folder, places["TABLE"], "--target", "lung"],
        ["summary-graph", folder],
        ["compare", folder, places["TRUTH"]],
    ):
        found = json.loads(run(capsys, *words, "--json"))["reliability"]
        diagnosis = posterior.diagnose()
        assert found["computation"] == diagnosis.verdict
        assert found["data_and_model"] == diagnosis.data_verdict
        assert set(diagnosis.sentences) <= set(found["sentences"])


def test_codes_for_missing_values_are_told_in_the_shell(tmp_path: Path, capsys: Captured) -> None:
    table = tmp_path / "table.csv"
    table.write_text("a,b\n" + "0,1\n1,1\n0,0\n1,-999\n9,0\n" * 20)
    codes = ["--missing-codes", "-999", "--missing-codes", "a=9"]
    assert status("describe", table, *codes, "--quiet") == 0
    said = capsys.readouterr().out
    assert "values are missing in 'a' (20) and 'b' (20)" in said
    assert status("learn", table, *codes, "--missing", "drop", "--json", "--quiet") == 0
    found = json.loads(capsys.readouterr().out)
    assert any("40 of 100 rows" in each for each in found["reliability"]["sentences"])


def test_notes_go_to_standard_error_and_quiet_leaves_them_out(
    places: dict[str, str], capsys: Captured
) -> None:
    for words in (["exact"], ["map"], ["sample", "--steps", "2000"], ["learn"]):
        command, *options = words
        arguments = [command, places["TABLE"], "--max-indegree", 1, *options]
        assert status(*arguments) == 0
        said = capsys.readouterr()
        assert "Nothing was written; add --out FOLDER to keep the result.\n" in said.err
        if command != "learn":
            assert "Data: 300 rows, 8 discrete variables.\n" in said.err
        assert "discrete variables" not in said.out.partition("What was done")[0]
        assert status(*arguments, "--quiet") == 0
        quiet = capsys.readouterr()
        assert not [line for line in quiet.err.splitlines() if "warning" not in line]
        assert quiet.out


def test_nothing_is_said_about_keeping_what_is_kept(
    places: dict[str, str], tmp_path: Path, capsys: Captured
) -> None:
    assert status("exact", places["TABLE"], "--max-indegree", 1, "--out", tmp_path) == 0
    assert "Nothing was written" not in capsys.readouterr().err


def test_a_known_graph_is_compared_as_in_python(places: dict[str, str], capsys: Captured) -> None:
    words = ["compare", places["FOLDER"], places["TRUTH"]]
    said = run(capsys, *words)
    posterior = arcwise.Posterior.load(Path(places["FOLDER"]) / "posterior.npz")
    known = arcwise.Dag.from_edges(posterior.variables, TRUTH)
    expected = arcwise.compare(posterior, known)
    assert all(sentence in said for sentence in expected.sentences)
    assert "The known graph has 3 edges" in said
    found = json.loads(run(capsys, *words, "--json"))
    counts = expected.skeleton.at(0.5)
    assert found["thresholds"][0] | {"of": "adjacencies", "threshold": 0.5} == {
        "of": "adjacencies",
        "threshold": 0.5,
        "true_positives": counts.true_positives,
        "false_positives": counts.false_positives,
        "false_negatives": counts.false_negatives,
        "true_negatives": counts.true_negatives,
        "precision": counts.precision,
        "recall": counts.recall,
    }


def test_a_graph_of_other_variables_is_refused(
    places: dict[str, str], tmp_path: Path, capsys: Captured
) -> None:
    other = tmp_path / "other.csv"
    other.write_text("source,target\nsmoke,lungs\n")
    assert "lungs" in refusal(capsys, "compare", places["FOLDER"], other)


class Input(io.TextIOWrapper):
    """Standard input with these bytes."""

    def __init__(self, content: bytes) -> None:
        super().__init__(io.BytesIO(content))


@pytest.mark.parametrize("form", ["csv", "tsv", "parquet", None])
def test_a_table_from_standard_input(
    form: str | None,
    table: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Captured,
) -> None:
    file = table
    if form is not None:
        file = tmp_path / f"table.{form}"
        arcwise.read(table).to_polars().write_csv(
            file, separator="\t" if form == "tsv" else ","
        ) if form != "parquet" else arcwise.read(table).to_polars().write_parquet(file)
    monkeypatch.setattr(sys, "stdin", Input(file.read_bytes()))
    options = [] if form is None else ["--format", form]
    assert run(capsys, "describe", "-", *options) == run(capsys, "describe", table)


def test_a_file_whose_name_does_not_tell_its_format(
    table: Path, tmp_path: Path, capsys: Captured
) -> None:
    file = tmp_path / "table.txt"
    file.write_bytes(table.read_bytes())
    assert "--format" in refusal(capsys, "describe", file)
    assert run(capsys, "describe", file, "--format", "csv") == run(capsys, "describe", table)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "the file 'standard input' is empty"),
        (b"a,a\n1,2\n2,3\n", "the column name 'a' occurs more than once"),
        (b"\x00\xff", "standard input"),
    ],
)
def test_what_is_wrong_with_standard_input_is_said(
    content: bytes, words: str, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setattr(sys, "stdin", Input(content))
    assert words in refusal(capsys, "describe", "-")


def test_errors_are_told_on_standard_error_alone(capsys: Captured) -> None:
    assert main(["estimate", "nowhere", "a -> b", "--json"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("arcwise: there is no folder 'nowhere'")
