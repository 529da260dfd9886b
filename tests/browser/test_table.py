"""The table of edges of the report page: order, filters, download."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable

import pytest
from playwright.sync_api import Page

import arcwise

Opened = Callable[..., Page]
Posteriors = dict[str, arcwise.Posterior]


def column(page: Page, number: int) -> list[str]:
    return page.locator(f"#edge-table tbody td:nth-child({number})").all_inner_texts()


def pairs(posterior: arcwise.Posterior) -> list[tuple[str, str, float, float, float]]:
    """Return what the page holds: each pair with the probabilities of adjacency and directions."""
    names, edges = posterior.variables, posterior.edges
    return [
        (
            names[u],
            names[v],
            float(edges[u, v] + edges[v, u]),
            float(edges[u, v]),
            float(edges[v, u]),
        )
        for i in range(len(names))
        for j in range(i)
        for u, v in [(i, j) if edges[i, j] > edges[j, i] else (j, i)]
        if edges[u, v] + edges[v, u] > 0.001
    ]


def test_it_begins_with_the_most_probable_and_sorts_by_any_column(opened: Opened) -> None:
    page = opened("ten")
    shown = [float(text) for text in column(page, 3)]
    assert shown == sorted(shown, reverse=True)
    head = page.locator("#edge-table thead th")
    assert head.nth(2).get_attribute("aria-sort") == "descending"
    for number in (3, 4, 5, 6):
        page.locator(f"#edge-table thead th:nth-child({number}) button").click()
        order = head.nth(number - 1).get_attribute("aria-sort")
        values = [float(text) for text in column(page, number)]
        assert values == sorted(values, reverse=order == "descending")
    page.locator("#edge-table thead th:nth-child(2) button").click()
    up = column(page, 2)
    assert head.nth(1).get_attribute("aria-sort") == "ascending"
    page.locator("#edge-table thead th:nth-child(2) button").click()
    down = column(page, 2)
    assert head.nth(1).get_attribute("aria-sort") == "descending"
    assert up[0] == down[-1]
    assert up[-1] == down[0]
    assert sorted(up) == sorted(down)


def test_it_is_filtered_by_text_and_probability(opened: Opened, posteriors: Posteriors) -> None:
    page = opened("ten")
    page.locator("#filter-probability").fill("0")
    page.locator("#filter-text").fill("SMOK")
    found = list(zip(column(page, 1), column(page, 2), strict=True))
    wanted = [row for row in pairs(posteriors["ten"]) if "smoking" in row[:2]]
    assert sorted(found) == sorted(row[:2] for row in wanted)
    page.locator("#filter-probability").fill("0.4")
    assert len(column(page, 1)) == sum(row[2] >= 0.4 for row in wanted)
    page.locator("#filter-text").fill("nothing of the kind")
    assert column(page, 1) == []
    assert page.locator("#row-count").inner_text().startswith("0 of ")


def test_long_tables_come_in_pieces(opened: Opened) -> None:
    page = opened("many")
    page.locator("#filter-probability").fill("0")
    assert len(column(page, 1)) == 100
    assert "showing the first 100" in page.locator("#row-count").inner_text()
    page.locator("#more-rows").click()
    assert len(column(page, 1)) > 100


@pytest.mark.parametrize("name", ["ten", "exact"])
def test_the_download_holds_the_rows_chosen(
    name: str, opened: Opened, posteriors: Posteriors
) -> None:
    page = opened(name)
    page.locator("#filter-probability").fill("0.05")
    with page.expect_download() as waiting:
        page.locator("#download").click()
    assert waiting.value.suggested_filename == "edges.csv"
    with open(waiting.value.path(), encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(io.StringIO(file.read())))
    posterior = posteriors[name]
    wanted = [row for row in pairs(posterior) if round(row[2], 6) >= 0.05]
    assert [row["adjacency"] for row in rows] == sorted(
        (row["adjacency"] for row in rows), key=float, reverse=True
    )
    found = {
        (row["source"], row["target"]): [
            float(row[key]) for key in ("adjacency", "forward", "backward")
        ]
        for row in rows
    }
    assert set(found) == {row[:2] for row in wanted}
    for u, v, *numbers in wanted:
        assert found[u, v] == pytest.approx(numbers, abs=2e-6)
    assert ("adjacency_error" in rows[0]) == (posterior.edge_errors is not None)


@pytest.mark.parametrize("width", [1000, 1200, 1400, 1600])
@pytest.mark.parametrize("name", ["wide", "eighty", "exact"])
def test_no_column_is_cut_off(name: str, width: int, opened: Opened) -> None:
    page = opened(name, width)
    hidden = page.evaluate(
        """() => { const box = document.getElementById('edge-table').closest('.scroll');
          return box.scrollWidth - box.clientWidth; }"""
    )
    assert hidden <= 0
