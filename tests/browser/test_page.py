"""The report page as a whole: it fits every window, shows every part and escapes every name."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from browser.sampled_pages import AWKWARD, WIDTHS

Opened = Callable[..., Page]
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def wait_for(page: Page, condition: str) -> None:
    """Wait until a condition holds; Playwright's own way to wait for one is barred by the page."""
    for _ in range(200):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"{condition} has not come true in ten seconds")


@pytest.mark.parametrize("name", ["ten", "many", "exact"])
def test_nothing_is_wider_than_the_window(name: str, opened: Opened) -> None:
    page = opened(name, WIDTHS[0])
    for width in (*WIDTHS, 320, 768):
        page.set_viewport_size({"width": width, "height": 900})
        for node in ("1", None):
            if node:
                page.locator(f'#graph .node[data-node="{node}"]').dispatch_event("click")
            else:
                page.locator("#clear").dispatch_event("click")
            assert page.locator("#chosen-name").count() == (1 if node else 0)
            assert page.evaluate(OVERFLOW) <= 0


@pytest.mark.parametrize("name", ["ten", "many"])
def test_charts_are_drawn_and_follow_the_window(name: str, opened: Opened) -> None:
    page = opened(name, 1600)
    for chart in ("matrix", "traces", "agreement"):
        page.wait_for_selector(f"#chart-{chart} .main-svg")
    size = "document.querySelector('#chart-matrix .main-svg').getBoundingClientRect().width"
    wide = page.evaluate(size)
    page.set_viewport_size({"width": 390, "height": 844})
    wait_for(page, f"{size} < 400")
    page.set_viewport_size({"width": 1600, "height": 900})
    wait_for(page, f"Math.abs({size} - {wide}) < 1")
    assert page.locator("#chart-matrix .colorbar").count() == 1


def test_an_exact_posterior_has_no_charts_of_chains(opened: Opened) -> None:
    page = opened("exact")
    assert page.locator("#chart-traces, #chart-agreement").count() == 0
    assert "no chains" in page.locator("#convergence").inner_text()


def test_names_are_shown_as_they_are(opened: Opened) -> None:
    page = opened("ten")
    assert page.title() == "<i>ten</i> & more"
    assert page.locator("h1").inner_text() == "<i>ten</i> & more"
    shown = page.locator("#graph .node text").all_text_contents()
    assert shown[: len(AWKWARD)] == AWKWARD
    assert page.locator("body b").count() == 0
    ticks = page.locator("#chart-matrix .ytick text").all_text_contents()
    assert ticks[: len(AWKWARD)] == AWKWARD


def test_controls_have_names_and_sections_have_headings(opened: Opened) -> None:
    page = opened("ten")
    unnamed = page.evaluate(
        """() => [...document.querySelectorAll('input, button')].filter((control) =>
            !(control.labels && control.labels.length) && !control.textContent.trim()
            && !control.getAttribute('aria-label')).length"""
    )
    assert unnamed == 0
    for link in page.locator("nav a").all():
        target = link.get_attribute("href")
        assert target
        assert page.locator(f"{target} h2").count() == 1


def test_it_prints_without_controls(opened: Opened) -> None:
    page = opened("ten")
    page.emulate_media(media="print")
    assert not page.locator("#threshold").is_visible()
    assert not page.locator("nav").is_visible()
    assert page.locator("#graph").is_visible()
    assert page.locator("#edge-table").is_visible()


def test_charts_take_the_width_of_paper(opened: Opened) -> None:
    page = opened("ten", 1100)
    widths = """[...document.querySelectorAll('.chart .main-svg:first-child')]
        .map((svg) => svg.getBoundingClientRect().width)"""
    page.wait_for_selector("#chart-agreement .main-svg")
    before = page.evaluate(widths)
    assert max(before) > 800
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert max(page.evaluate(widths)) <= 680
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    wait_for(page, f"Math.max(...{widths}) > 800")
    assert page.pdf(format="A4")[:4] == b"%PDF"
