"""Notebooks: results are shown as tables, plots as pictures, and progress without widgets."""

from __future__ import annotations

import base64
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import Posterior
from arcwise.posterior.estimate import Estimate, Interval
from arcwise.records.runs import ExactRun
from arcwise.support import html
from support.notebooks import executed, shown

NASTY = ("<script>alert(1)</script>", '"quoted" & \\', "größe", "</table>")

TAGS = {"div", "p", "strong", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "span"}

SET_UP = """
import warnings; warnings.simplefilter("ignore")
import arcwise
data = arcwise.simulate("asia", 300, seed=1)
model = arcwise.Model(data, max_indegree=2)
posterior = arcwise.exact(model, dags=200)
sampled = arcwise.mcmc(model, steps=2000, seed=1)
"""
# The first line of what each shows.
TABLES = {
    "data": "300 rows, 8 discrete variables",
    "model": "Model of 8 variables",
    "posterior": "Posterior over the DAGs of 8 variables",
    "sampled": "Posterior over the DAGs of 8 variables",
    'posterior.estimate("smoke -> lung")': "smoke -&gt; lung",
    'sampled.estimate("smoke ~> lung")': "95 % interval",
    "sampled.diagnose()": "<strong>Computation: ",
    "posterior.evidence": "<strong>Evidence of the data",
    'arcwise.effects(posterior, "bronc", "dysp")': "do(bronc = no)",
    "arcwise.compare(posterior, sampled)": "The posteriors ",
    "arcwise.compare(posterior, arcwise.networks.asia().dag)": "Posterior and known graph",
    "arcwise.compare(posterior.map_dag, arcwise.networks.asia().dag)": "Estimated and true graph",
    'arcwise.compare_models({"two": model, "one": arcwise.Model(data, max_indegree=1)})': (
        "Models of the same data"
    ),
}
PICTURES = ["arcwise.plots.network(posterior)", "arcwise.plots.edge_matrix(posterior)"]
# A stage of seconds, as its clock shows a second more whenever it is read.
PROGRESS = """
from itertools import count
from types import SimpleNamespace
import arcwise.support.running as module
from arcwise.support.running import running
module.time = SimpleNamespace(**vars(module.time) | {"monotonic": count().__next__})
with running(1, True, "Waiting") as run:
    for share in range(1, 11):
        run.progress(share / 10)
"""


class Checked(HTMLParser):
    """Notes the tags of a piece of HTML, each of which must be closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.open.append(tag)
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_a_notebook_shows_tables_pictures_and_progress(tmp_path: Path) -> None:
    cells = [SET_UP, *TABLES, *PICTURES, PROGRESS]
    first, *others = executed(tmp_path, *cells)
    assert first == []
    tables, pictures = others[: len(TABLES)], others[len(TABLES) : -1]
    for (cell, words), outputs in zip(TABLES.items(), tables, strict=True):
        (text,) = shown(outputs, "text/html")
        assert words in text, cell
        assert "table" in Checked(text).tags
    for outputs in pictures:
        (picture,) = shown(outputs, "image/png")
        assert base64.b64decode(picture).startswith(b"\x89PNG")
    # One output, which was kept up to date and says at the end how long the stage took.
    (line,) = shown(others[-1], "text/plain")
    assert re.fullmatch(r"Waiting: [1-9]\d s", line)
    assert not [output for output in others[-1] if output["output_type"] == "stream"]


def posterior_of(names: tuple[str, ...]) -> Posterior:
    n = len(names)
    edges = np.triu(np.full((n, n), 0.5), 1)
    return Posterior(names, "modular", ExactRun(), edges)


def test_names_cannot_break_out_of_a_table() -> None:
    columns = {name: [NASTY[0], NASTY[3], NASTY[0]] for name in NASTY}
    comparison = arcwise.compare(posterior_of(NASTY), posterior_of(NASTY))
    data = arcwise.read(columns)
    forbidden = [(NASTY[0], NASTY[3])]
    for text in (
        posterior_of(NASTY)._repr_html_(),
        data._repr_html_(),
        arcwise.Model(data, forbidden_edges=forbidden)._repr_html_(),
        comparison._repr_html_(),
        Estimate(NASTY[0], 0.5, 0.1, Interval(0.4, 0.6))._repr_html_(),
    ):
        assert Checked(text).tags <= TAGS
        assert "script&gt;" in text


def test_reliability_comes_first_by_its_parts_then_the_pairs() -> None:
    posterior = arcwise.learn(arcwise.simulate("asia", 300, seed=1), seed=1, progress=None)
    text = posterior._repr_html_()
    order = (
        "Computation: exact",
        "Data and model: questionable",
        "<li>! ",
        "smoke",
        "sampled DAGs",
    )
    places = [text.index(words) for words in order]
    assert places == sorted(places)
    diagnosis = posterior.diagnose()._repr_html_()
    assert "<strong>Data and model: questionable</strong></p><ul><li>! " in diagnosis
    assert "draws of each" not in diagnosis  # an exact posterior has no chains


def test_an_account_is_shown_in_sentences_not_as_code() -> None:
    account = arcwise.learn(arcwise.simulate("asia", 300, seed=1), progress=None).account
    assert account is not None
    shown_page, printed = account._repr_html_(), str(account)
    for words in ("What was done", "Under other assumptions", "The table has 300 rows", "! "):
        assert words in shown_page
        assert words in printed
    assert "sparse (expected parents" in printed
    assert Checked(shown_page).tags <= TAGS
    assert not re.search(r"\w\(\w+=", printed + shown_page)


def test_a_description_keeps_its_lines() -> None:
    text = arcwise.describe({"<a>": [0, 1, 0], "b": [1, 1, 0]})._repr_html_()
    assert text.startswith("<pre>3 rows, 2 discrete variables\n")
    assert "&lt;a&gt;" in text


def test_an_exact_estimate_has_no_error_and_no_bounds() -> None:
    model = arcwise.Model(arcwise.simulate("asia", 100, seed=1), max_indegree=2)
    text = arcwise.exact(model).estimate("smoke -> lung")._repr_html_()
    assert "exactly" in text
    assert "standard error" not in text
    assert "bounds" not in text


def test_tables_are_legible_on_dark_pages_and_stand_alone() -> None:
    model = arcwise.Model(arcwise.simulate("asia", 100, seed=1), max_indegree=1)
    text = arcwise.exact(model)._repr_html_() + model._repr_html_()
    # Only colours of the text around: neither named ones nor numbers.
    assert not re.search(r"#[0-9a-f]{3,6}|rgb|\b(white|black|gr[ae]y)\b", text)
    assert set(re.findall(r"background: (\w+)", text)) == {"currentColor"}
    assert not re.search(r"<style|<link|src=|href=|class=", text)


def test_the_most_probable_pairs_come_first_with_both_directions() -> None:
    edges = np.zeros((3, 3))
    edges[0, 1], edges[1, 0], edges[2, 1] = 0.2, 0.25, 0.9
    text = Posterior(("a", "b", "c"), "modular", ExactRun(), edges)._repr_html_()
    rows = re.findall(r"<tr><td[^>]*>(.*?)</tr>", text)[-3:]
    cells = [re.sub(r"<[^>]*>", " ", row).split() for row in rows]
    assert cells[0] == ["c", "b", "0.900", "0.900", "0.000"]
    assert cells[1] == ["b", "a", "0.450", "0.250", "0.200"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.25, "0.25"),
        (np.float64(3.0), "3"),
        (np.int64(12345), "12,345"),
        (None, ""),
        ("<", "&lt;"),
    ],
)
def test_values_in_tables(value: object, expected: str) -> None:
    assert f">{expected}</td>" in html.table({"column": [value]})


def test_long_tables_say_how_much_is_left_out() -> None:
    data = arcwise.read({f"x{i}": [0, 1, i % 2] for i in range(60)})
    assert "and 10 more" in data._repr_html_()
