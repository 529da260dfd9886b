"""Time series in the shell: from a panel to edges in time, responses, forecasts and pictures."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from support.command_line import Captured, refusal, run


@pytest.fixture(scope="module")
def panel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    random = np.random.default_rng(1)
    rows = []
    for who in range(12):
        x, y = 0.0, 0.0
        for week in range(10):
            x, y = 0.8 * x + random.standard_normal(), 0.8 * x + random.standard_normal()
            rows.append(f"p{who},{week},{x:.4f},{y:.4f},{who % 2 + 0.5}")
    random.shuffle(rows)
    path = tmp_path_factory.mktemp("panel") / "panel.csv"
    path.write_text("\n".join(["id,week,dose,pain,arm", *rows]) + "\n")
    return path


IN_TIME = ("--time", "week", "--subject", "id")


@pytest.fixture(scope="module")
def learned(panel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    import arcwise
    from arcwise.cli.composition import save_data

    folder = tmp_path_factory.mktemp("learned")
    series = arcwise.time_series(panel, time="week", subject="id")
    arcwise.learn(series, dags=300, progress=None).save(folder / "posterior.npz")
    save_data(series, folder)
    return folder


def test_learn_prints_edges_in_time(capsys: Captured, panel: Path, tmp_path: Path) -> None:
    said = run(capsys, "learn", panel, *IN_TIME, "--lags", "2", "--dags", "50", "--out", tmp_path)
    assert "edges into the present slice" in " ".join(said.split())
    assert "dose(t-1) │ → │ pain(t)" in said
    assert "dose → pain" in said
    assert "(lag 0: " in said or "(lag 1: " in said
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Over all lags" in page
    assert "Slices of time stand side by side" in page
    assert "process-graph" in page


def test_tables_without_time_have_no_process_graph(
    capsys: Captured, panel: Path, tmp_path: Path
) -> None:
    run(capsys, "learn", panel, "--drop", "week", "--drop", "id", "--dags", "20", "--out", tmp_path)
    assert "Over all lags" not in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_responses_and_forecasts(
    capsys: Captured, learned: Path, panel: Path, tmp_path: Path
) -> None:
    out = tmp_path / "responses.csv"
    said = run(capsys, "impulse-response", learned, "dose", "pain", "--steps", "3", "--out", out)
    assert said.startswith("Response of pain if dose is raised by one unit at time t")
    assert "pain(t+3)" in said
    assert len(out.read_text().splitlines()) == 5
    found = json.loads(run(capsys, "impulse-response", learned, "dose", "pain", "--hold", "--json"))
    assert [row["step"] for row in found["responses"]] == list(range(11))
    said = run(capsys, "forecast", learned, panel, *IN_TIME)
    assert said.split()[:2] == ["subject", "variable"]
    found = json.loads(run(capsys, "forecast", learned, panel, *IN_TIME, "--json"))
    assert len(found["forecast"]) == 24
    assert "lacks 'arm'" not in said


def test_features_and_pictures(capsys: Captured, learned: Path, tmp_path: Path) -> None:
    said = run(capsys, "estimate", learned, "dose(t-1) -> pain(t) and not dose(t) -> pain(t)")
    assert "has probability" in said
    for words in ([], ["--process"]):
        file = tmp_path / f"network{len(words)}.svg"
        run(capsys, "draw", learned, file, *words)
        assert "dose" in file.read_text(encoding="utf-8")
    assert "↺" in (tmp_path / "network1.svg").read_text(encoding="utf-8")


def test_rules_in_files_have_times(capsys: Captured, panel: Path, tmp_path: Path) -> None:
    edges = tmp_path / "forbidden.csv"
    edges.write_text("source,target\ndose(t-1),pain(t)\n")
    knowledge = tmp_path / "knowledge.txt"
    knowledge.write_text("/knowledge\nforbiddirect\ndose(t) pain(t)\n")
    words = ["exact", panel, *IN_TIME, "--forbidden-edges", edges, "--knowledge", knowledge]
    said = json.loads(run(capsys, *words, "--tiers", "dose < pain", "--json"))
    pairs = {(row["source"], row["target"]) for row in said["adjacencies"]}
    assert ("dose(t-1)", "pain(t)") not in pairs
    assert ("dose(t)", "pain(t)") not in pairs
    assert ("pain(t)", "dose(t)") not in pairs
    assert ("dose(t-1)", "dose(t)") in pairs


def test_each_step_and_the_first_slice(capsys: Captured, panel: Path, tmp_path: Path) -> None:
    words = ["learn", panel, *IN_TIME, "--no-within", "--dags", "20", "--drop", "arm"]
    said = run(capsys, *words, "--each-step", "--out", tmp_path / "steps")
    assert "A network for each of 9 steps" in said
    assert "the sum over all steps" in said
    assert (tmp_path / "steps" / "step-9" / "posterior.npz").exists()
    assert "dose(0)" in run(capsys, *words, "--first-slice")
    assert "--each-step is for the transitions" in refusal(
        capsys, *words, "--first-slice", "--each-step"
    )
    assert "give --out with --each-step" in refusal(
        capsys, *words, "--each-step", "--run", tmp_path / "run"
    )


def test_lags_are_compared_on_the_same_rows(capsys: Captured, panel: Path, tmp_path: Path) -> None:
    for lags in (1, 2):
        words = [*IN_TIME, "--lags", str(lags), "--common-lags", "2", "--no-within"]
        run(capsys, "evidence", panel, *words, "--out", tmp_path / f"{lags}.json")
    said = run(capsys, "compare-models", tmp_path / "1.json", tmp_path / "2.json")
    assert "The models, the most probable first" in said


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--static", "arm"], "--static is an option of time series; add --time, --subject or"),
        (["--first-slice"], "--first-slice is an option of time series"),
        (
            ["--time", "week"],
            "the table has the time 0 twice; give one row for each time, and --sub",
        ),
        (["--time", "when"], "--time names 'when', which is not a column"),
        ([*IN_TIME, "--lags", "two"], "--lags is 'two'; give a number of lags, or lags separated"),
        ([*IN_TIME, "--lags", "12"], "no row has 12 earlier ones: the longest series has 10 rows"),
    ],
)
def test_what_cannot_be_done_is_refused(
    capsys: Captured, panel: Path, words: list[str], message: str
) -> None:
    assert message in refusal(capsys, "learn", panel, *words)


def test_describe_shows_the_lagged_columns(capsys: Captured, panel: Path) -> None:
    assert "pain(t-1)" in run(capsys, "describe", panel, *IN_TIME)


def test_a_mixed_panel_with_gaps_goes_to_the_page_and_on(capsys: Captured, tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    rows = ["id,week,state,dose,pain,sex"]
    for who in range(6):
        state, dose, pain = 0, 0.0, 0.0
        for week in range(14):
            state = state if random.random() < 0.8 else 1 - state
            dose = 0.6 * dose + 1.5 * state + random.standard_normal()
            pain = 0.5 * pain - 0.8 * dose + random.standard_normal()
            values = [["off", "on"][state], f"{dose:.3f}", f"{pain:.3f}"]
            # The last week is known, from which the next one is forecast.
            shown = ["" if week < 13 and random.random() < 0.15 else each for each in values]
            sex = "" if week % 3 else "fm"[who % 2]
            rows.append(",".join([f"p{who}", str(week), *shown, sex]))
    panel = tmp_path / "panel.csv"
    panel.write_text("\n".join(rows) + "\n")
    folder = tmp_path / "learned"
    options = ["--completions", "6", "--dags", "60", "--out", folder]
    said = run(capsys, "learn", panel, *IN_TIME, *options)
    words = " ".join(said.split())
    assert "imputed, as if they were missing at random" in words
    assert "averaged over 6 completed tables" in words
    assert "'sex' is the same at all times of a subject" in words
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "Slices of time stand side by side" in page
    assert "imputed" in page
    found = json.loads(run(capsys, "forecast", folder, panel, *IN_TIME, "--json"))
    assert len(found["forecast"]) == 6 * 4  # two levels, and two numbers
    said = run(capsys, "impulse-response", folder, "state", "dose", "--steps", "2")
    assert "dose(t+2)" in said
    said = refusal(capsys, "exact", panel, *IN_TIME)
    assert "values are missing" in said
