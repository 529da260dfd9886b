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
    for _ in range(1800):  # other jobs may share the machine
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"{condition} has not come true in ninety seconds")


@pytest.mark.parametrize("name", ["ten", "many", "exact"])
def test_nothing_is_wider_than_the_window(name: str, opened: Opened) -> None:
    page = opened(name, WIDTHS[0])
    for width in (*WIDTHS, 320, 768):
        page.set_viewport_size({"width": width, "height": 900})
        for clicked, chosen in (("#graph .node", 1), ("#clear", 0)):
            page.locator(clicked).first.dispatch_event("click")
            assert page.locator("#chosen-name").count() == chosen
            assert page.evaluate(OVERFLOW) <= 0


@pytest.mark.parametrize("name", ["ten", "eighty", "coupled"])
def test_charts_are_drawn_and_follow_the_window(name: str, opened: Opened) -> None:
    page = opened(name, 1600)
    coupled = ("round_trips", "exchanges") if name == "coupled" else ()
    for chart in ("matrix", "forest", "traces", "agreement", "ranks", *coupled):
        page.wait_for_selector(f"#chart-{chart} svg")
    size = "document.querySelector('#chart-matrix svg').getBoundingClientRect().width"
    wide = page.evaluate(size)
    page.set_viewport_size({"width": 390, "height": 844})
    wait_for(page, f"{size} < 400")
    page.set_viewport_size({"width": 1600, "height": 900})
    wait_for(page, f"Math.abs({size} - {wide}) < 1")


def test_marks_are_where_their_numbers_are(opened: Opened) -> None:
    page = opened("coupled")
    found = page.evaluate(
        """() => { const bars = [...document.querySelectorAll('#chart-round_trips .bars rect')];
            return bars.map((bar) => [Number(bar.getAttribute('height')),
                Number(bar.querySelector('title').textContent.split(': ')[1].replace(',', ''))]);
            }"""
    )
    assert len(found) == 2
    ratios = [height / trips for height, trips in found]
    assert abs(ratios[0] / ratios[1] - 1) < 0.02
    dots = page.evaluate(
        """() => [...document.querySelectorAll('#chart-forest .forest-row')].map((row) => [
            row.querySelector('.adjacency').getBBox().x,
            Number(row.querySelector('.tick').textContent)])"""
    )
    assert len(dots) >= 3
    numbers = [number for _, number in sorted(dots)]
    assert numbers == sorted(numbers)


SHADES = """[...document.querySelectorAll('#chart-matrix g rect')].map((cell) => [
    Number(cell.querySelector('title').textContent.split(': ').pop()),
    cell.getAttribute('fill').match(/\\d+/g).map(Number).reduce((a, b) => a + b)])"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_matrix_has_one_scale_of_shades(scheme: str, opened: Opened) -> None:
    page = opened("exact", 1600, scheme)
    cells = page.evaluate(SHADES)
    assert len(cells) > 20
    # Darker if more probable on white paper, brighter on dark.
    sign = -1 if scheme == "light" else 1
    probabilities = [number for _, number in sorted((sign * shade, p) for p, shade in cells)]
    assert probabilities == sorted(probabilities)


CONTRAST = """() => {
  const parsed = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const luminance = (rgb) => rgb.slice(0, 3).map((c) => c / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (element) => {
    for (let own = element; own; own = own.parentElement) {
      const colour = getComputedStyle(own).backgroundColor;
      if (!/, 0\\)$|transparent/.test(colour)) return parsed(colour);
    }
    return [255, 255, 255];
  };
  const kinds = 'h1, h2, h3, p, td, th, label, button, a, dd, dt, text';
  const words = [...document.querySelectorAll(kinds)];
  return words.filter((own) => own.textContent.trim() && own.checkVisibility()
      && !own.closest('.node.chosen, :disabled, .skip')).map((own) => {
    const style = getComputedStyle(own);
    const svg = own instanceof SVGElement;
    const front = luminance(parsed(svg ? style.fill : style.color));
    const back = luminance(behind(svg ? own.closest('div') : own));
    const ratio = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
    return [ratio, own.textContent.trim().slice(0, 30)];
  });
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["ten", "eighty"])
def test_words_can_be_read_in_light_and_dark(name: str, scheme: str, opened: Opened) -> None:
    found = opened(name, 1400, scheme).evaluate(CONTRAST)
    assert len(found) > 100
    assert [words for ratio, words in found if ratio < 4.5] == []


@pytest.mark.parametrize("width", [390, 768, 1400])
def test_names_in_the_table_are_broken_between_words_alone(width: int, opened: Opened) -> None:
    page = opened("eighty", width)
    broken = page.evaluate(
        """() => { const wrong = [];
          for (const cell of document.querySelectorAll('#edge-table td.name, #panel .link')) {
            for (const piece of cell.childNodes) {
              if (piece.nodeType !== Node.TEXT_NODE) continue;
              const range = document.createRange();
              range.selectNode(piece);
              if (range.getClientRects().length > 1) wrong.push(piece.textContent);
            }
          }
          return wrong; }"""
    )
    assert broken == []


def test_an_exact_posterior_has_no_charts_of_chains(opened: Opened) -> None:
    page = opened("exact")
    assert page.locator("#chart-traces, #chart-agreement, #chart-ranks").count() == 0
    assert "no chains" in page.locator("#convergence").inner_text()


def test_names_are_shown_as_they_are(opened: Opened) -> None:
    page = opened("ten")
    assert page.title() == "<i>ten</i> & more"
    assert page.locator("h1").inner_text() == "<i>ten</i> & more"
    shown = page.locator("#graph .node text:not(.elsewhere)").all_text_contents()
    assert shown[: len(AWKWARD)] == AWKWARD
    assert page.locator("body b").count() == 0
    ticks = page.locator("#chart-matrix .matrix-name.row").all_text_contents()
    assert ticks[: len(AWKWARD)] == AWKWARD
    assert page.locator("#provenance").inner_text().count("survey of 1999.csv") >= 1
    assert "arcwise.read('survey of 1999.csv')" in page.locator("pre").inner_text()


def test_controls_have_names_and_sections_have_headings(opened: Opened) -> None:
    page = opened("ten")
    unnamed = page.evaluate(
        """() => [...document.querySelectorAll('input, button, select')].filter((control) =>
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
    widths = """[...document.querySelectorAll('.chart > svg')]
        .map((svg) => svg.getBoundingClientRect().width)"""
    page.wait_for_selector("#chart-agreement svg")
    before = page.evaluate(widths)
    assert max(before) > 800
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert max(page.evaluate(widths)) <= 680
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    wait_for(page, f"Math.max(...{widths}) > 800")
    assert page.pdf(format="A4")[:4] == b"%PDF"
