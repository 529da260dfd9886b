"""The report page as a file: it stands alone, escapes what it is given, and can be reproduced."""

from __future__ import annotations

import html
import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise.errors import MissingDependencyError
from arcwise.report import report, report_contents
from arcwise.spaces import Partitions
from support.run_records import chain_run
from support.sampled_posteriors import sampled_posterior

NASTY = (
    "<b>bold</b>",
    "</script><script>alert(1)</script>",
    '"quoted" & \\',
    "größe\u2028",
    "<!--",
)


def page_of(posterior: arcwise.Posterior, tmp_path: Path, **settings: Any) -> str:
    file = posterior.report(tmp_path / "report.html", **settings)
    return file.read_text(encoding="utf-8")


def test_the_page_asks_nothing_of_the_network(tmp_path: Path) -> None:
    text = page_of(sampled_posterior(), tmp_path)
    assert "default-src 'none'" in text
    assert not re.search(r"\bsrc=", text)
    assert all(link.startswith("#") for link in re.findall(r'href="([^"]*)"', text))
    addresses = set(re.findall(r"https?://[^\"'\s]+", text))
    assert addresses == {"http://www.w3.org/2000/svg"}
    assert "fetch(" not in text
    assert "@import" not in text


def test_the_verdict_comes_before_what_was_found_and_how(tmp_path: Path) -> None:
    text = page_of(sampled_posterior(), tmp_path)
    summary = text[text.index('id="summary"') : text.index('id="network"')]
    heads = re.findall(r"<h3>([^<]*)</h3>", summary)
    assert heads == ["Reliability", "Results", "Methods"]


def test_names_cannot_break_out_of_the_page(tmp_path: Path) -> None:
    posterior = sampled_posterior(5)
    renamed = arcwise.Posterior(
        NASTY,
        "modular",
        chain_run(space=Partitions(), moves={"note</td>": 0.5, "<i>Odd</i>": 0.25}),
        posterior.edges,
        dags=arcwise.results.DagSample(NASTY, posterior.dags.parents),
    )
    text = page_of(renamed, tmp_path, title="</title><script>alert(2)</script>")
    assert text.count("<script") == 2
    assert text.count("</script>") == 2
    assert text.count("</title>") == 1
    assert "<b>bold" not in text
    assert "<!--" not in text
    assert "</table>" in text
    assert html.escape("note</td>") in text or "Note&lt;/td&gt;" in text
    embedded = re.search(r'<script type="application/json" id="contents">(.*?)</script>', text)
    assert embedded
    contents = json.loads(embedded.group(1))
    assert tuple(contents["network"]["variables"]) == NASTY
    assert "\u2028" not in embedded.group(1)


def test_the_contents_in_the_page_are_those_tested(tmp_path: Path) -> None:
    posterior = sampled_posterior()
    text = page_of(posterior, tmp_path, title="One")
    embedded = re.search(r'id="contents">(.*?)</script>', text)
    assert embedded
    assert json.loads(embedded.group(1)) == report_contents(posterior, title="One")


@pytest.mark.parametrize("n", [1, 2])
def test_the_smallest_posteriors_have_a_page(n: int, tmp_path: Path) -> None:
    data = {f"v{i}": [0, 1, 1, 0] * 5 for i in range(n)}
    text = page_of(arcwise.exact(arcwise.Model(data)), tmp_path)
    assert f"<dd>{n}</dd>" in text


def test_a_saved_posterior_has_the_same_page(tmp_path: Path) -> None:
    posterior = sampled_posterior()
    posterior.save(tmp_path / "posterior.npz")
    again = arcwise.Posterior.load(tmp_path / "posterior.npz")
    assert page_of(posterior, tmp_path) == page_of(again, tmp_path)


def test_a_page_is_small(tmp_path: Path) -> None:
    assert len(page_of(sampled_posterior(), tmp_path)) < 150_000


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(MissingDependencyError, match="pip install jinja2"):
        report(sampled_posterior(), tmp_path / "report.html")
    assert not (tmp_path / "report.html").exists()


LIMITS: dict[str, dict[str, Any]] = {
    "exact": {"max_indegree": 2, "required_edges": [("smoke", "lung")]},
    "mcmc": {"candidates": "greedy:3", "plus_one": True},
    "mc3": {"temporal_order": [["asia", "smoke"], ["dysp"]]},
    "ais": {},
}
CALLS = {
    "exact": {},
    "mcmc": {"space": "partitions", "steps": 3_000, "chains": 2, "burn_in": 0.25, "seed": 4},
    "mc3": {
        "steps": 1_000,
        "temperatures": 5,
        "chains": 2,
        "seed": 5,
        "modularity": "order-modular",
    },
    "ais": {"space": "buckets:3", "particles": 20, "steps": 200, "seed": 6},
}


@pytest.mark.parametrize("algorithm", CALLS)
@pytest.mark.filterwarnings("ignore::arcwise.errors.ArcwiseWarning")
def test_the_code_on_the_page_gives_the_same_posterior(
    algorithm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    arcwise.simulate("asia", 1000, seed=1).write_csv("lungs.csv")
    data, limits = arcwise.read("lungs.csv"), LIMITS[algorithm]
    if "candidates" in limits:
        limits = limits | {"candidates": arcwise.candidates(data, limits["candidates"])}
    model = arcwise.Model(data, arcwise.scores.BDeu(2.0), prior=arcwise.priors.Fair(), **limits)
    posterior = getattr(arcwise, algorithm)(model, **CALLS[algorithm])
    posterior.save("posterior.npz")
    code = report_contents(posterior)["reproduction"]["code"]
    found: dict[str, Any] = {}
    exec(code, found)  # the lines a reader would paste
    assert np.array_equal(found["posterior"].edges, posterior.edges)
