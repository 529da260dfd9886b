"""The network of the report page: threshold, search, choosing nodes, keys, zoom."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Page

import arcwise
from browser.sampled_pages import WIDTHS

Opened = Callable[..., Page]
Posteriors = dict[str, arcwise.Posterior]


def set_threshold(page: Page, value: str) -> int:
    page.locator("#threshold").fill(value)
    return page.locator("#graph .edge").count()


def show_all(page: Page) -> None:
    if page.locator("#view-control").is_visible():
        page.locator("#view").select_option("0")


@pytest.mark.parametrize("name", ["ten", "many", "exact"])
def test_the_slider_joins_pairs_adjacent_with_at_least_that_probability(
    name: str, opened: Opened, posteriors: Posteriors
) -> None:
    page = opened(name)
    show_all(page)
    edges = posteriors[name].edges.round(6)
    either = np.minimum(1.0, edges + edges.T)[np.triu_indices(len(edges), 1)]
    for value in ("0.00", "0.05", "0.50", "0.95", "1.00"):
        wanted = int(((either >= float(value)) & (either > 0.001)).sum())
        assert set_threshold(page, value) == wanted
        assert page.locator("#edge-count").inner_text().startswith(f"{wanted:,} of ")
        assert page.locator("#threshold-value").inner_text() == value


def test_an_open_direction_is_a_line_with_both_probabilities(
    opened: Opened, posteriors: Posteriors
) -> None:
    page = opened("exact")
    edges = posteriors["exact"].edges
    variables = posteriors["exact"].variables
    lines = page.locator("#graph .edge")
    assert lines.count() > 3
    numbers = 0
    for edge in lines.all():
        u, v = (int(node) for node in edge.get_attribute("data-edge").split())
        is_open = edges[v, u] >= 0.1 * (edges[u, v] + edges[v, u])
        assert edge.locator(".head").count() == (0 if is_open else 1)
        words = edge.locator("title").text_content()
        assert f"{variables[u]} → {variables[v]} {edges[u, v]:.3f}" in words
        shown = page.locator(f'#graph .numbers[data-edge="{u} {v}"] .share')
        numbers += shown.count()
        if shown.count():
            assert is_open
            assert f"{edges[u, v]:.2f} " in shown.text_content()
            assert shown.text_content().endswith(f"{edges[v, u]:.2f}")
    assert numbers >= 2


def test_no_line_strikes_through_the_numbers(opened: Opened) -> None:
    page = opened("exact")
    drawn = page.evaluate(
        """() => { const all = [...document.querySelectorAll('#graph .edge, #graph .numbers')];
          return all.map((each) => [
            each.classList.contains('numbers'), each.getAttribute('opacity')]); }"""
    )
    kinds = [is_number for is_number, _ in drawn]
    assert any(kinds)
    assert kinds == sorted(kinds)  # on top of all lines, ...
    assert {opacity for is_number, opacity in drawn if is_number} == {
        "1"
    }  # which do not shine through


BEHIND = """() => {
  const nodes = [...document.querySelectorAll('#graph .node:not(.dot)')].map((node) =>
    [node.dataset.node, node.querySelector('rect').getBBox()]);
  const found = [];
  for (const edge of document.querySelectorAll('#graph .edge')) {
    const [line, ends] = [edge.querySelector('.line'), edge.dataset.edge.split(' ')];
    if (!line) continue;
    for (const [node, { x, y, width, height }] of nodes) {
      if (ends.includes(node)) continue;
      for (let i = 0; i <= 200; i++) {
        const at = line.getPointAtLength((line.getTotalLength() * i) / 200);
        const [right, down] = [at.x - x - width / 2, at.y - y - height / 2];
        if (Math.abs(right) < width / 2 - 2 && Math.abs(down) < height / 2 - 2) {
          found.push([edge.dataset.edge, node]);
          break;
        }
      }
    }
  }
  return found; }"""


@pytest.mark.parametrize(("name", "most"), [("exact", 0), ("ten", 0), ("eighty", 1), ("wide", 1)])
def test_links_go_round_the_nodes_between(name: str, most: int, opened: Opened) -> None:
    assert len(opened(name, 1400).evaluate(BEHIND)) <= most


def names_shown(page: Page) -> list[bool]:
    shown: list[bool] = page.evaluate(
        "() => [...document.querySelectorAll('#graph .node text:not(.elsewhere)')]"
        ".map((text) => text.getAttribute('display') === 'inline')"
    )
    return shown


@pytest.mark.parametrize("name", ["exact", "ten", "eighty", "many"])
@pytest.mark.parametrize("width", [1100, 1600])
def test_every_name_is_there_at_the_start(name: str, width: int, opened: Opened) -> None:
    page = opened(name, width)
    shown = names_shown(page)
    assert 2 <= len(shown) <= 60
    assert all(shown)
    # Whole: no letter is left out, and none is outside the picture.
    found = page.evaluate(
        """() => [...document.querySelectorAll('#graph .node')].map((node) =>
            [node.getAttribute('aria-label'), node.querySelector('text').textContent])"""
    )
    assert all(name.replace(" ", "") == text.replace(" ", "") for name, text in found)


def test_a_large_network_starts_with_a_module_and_has_all_of_them(
    opened: Opened, posteriors: Posteriors
) -> None:
    page = opened("many")
    options = page.locator("#view option").all_text_contents()
    assert options[0] == "Whole network"
    assert page.locator("#view").input_value() == "1"
    assert options[1].startswith("Module 1: ")
    seen: set[str] = set()
    for number in range(1, len(options)):
        page.locator("#view").select_option(str(number))
        nodes = page.locator("#graph .node")
        assert nodes.count() <= 60
        seen |= set(nodes.evaluate_all("nodes => nodes.map((n) => n.getAttribute('aria-label'))"))
    assert seen == set(posteriors["many"].variables)
    show_all(page)
    assert page.locator("#graph .node").count() == 400
    assert page.locator("#graph .frame").count() >= 2


def test_links_out_of_a_module_are_counted(opened: Opened) -> None:
    page = opened("eighty")
    more = page.locator("#graph .elsewhere").all_text_contents()
    total = sum(int(words) for words in more if words)
    assert total > 0
    assert f"{total} more lead to variables outside" in page.locator("#edge-count").inner_text()


def test_nodes_without_an_edge_stand_beneath_the_others(opened: Opened) -> None:
    page = opened("ten")
    set_threshold(page, "0.50")
    found = page.evaluate(
        """() => { const joined = new Set([...document.querySelectorAll('#graph .edge')]
            .flatMap((edge) => edge.dataset.edge.split(' ')));
          return [...document.querySelectorAll('#graph .node')].map((node) => [
            joined.has(node.dataset.node), node.querySelector('rect').getBBox().y]); }"""
    )
    joined = [y for is_joined, y in found if is_joined]
    alone = [y for is_joined, y in found if not is_joined]
    assert not alone or min(alone) > max(joined)
    page = opened("many")
    show_all(page)
    rule = page.locator("#graph .rule-words")
    assert rule.text_content() == "without an edge"


def test_probable_edges_are_wider_and_darker(opened: Opened) -> None:
    page = opened("ten")
    set_threshold(page, "0.00")
    drawn = page.evaluate(
        """() => [...document.querySelectorAll('#graph .edge')].map((edge) => ({
            probability: Number(
                edge.querySelector('title').textContent.match(/probability ([\\d.]+)/)[1]),
            width: Number(edge.querySelector('.line').getAttribute('stroke-width')),
            opacity: Number(edge.getAttribute('opacity'))}))"""
    )
    drawn.sort(key=lambda edge: edge["probability"])
    assert len(drawn) > 5
    for key in ("width", "opacity"):
        assert [edge[key] for edge in drawn] == sorted(edge[key] for edge in drawn)
    assert drawn[0]["width"] < drawn[-1]["width"]
    assert drawn[0]["opacity"] < drawn[-1]["opacity"]


def test_search_marks_the_names_that_contain_the_text(opened: Opened) -> None:
    page = opened("many")
    show_all(page)
    page.locator("#search").fill("GENE 15")
    marked = page.locator("#graph .node.found")
    assert marked.count() == 10
    assert page.locator("#search-count").inner_text() == "10 variables match."
    names = [node.get_attribute("aria-label") for node in marked.all()]
    assert names == [f"gene 15{i}" for i in range(10)]
    page.locator("#search").fill("no such name")
    assert marked.count() == 0
    assert page.locator("#search-count").inner_text() == "No variables match."


def test_enter_in_the_search_chooses_the_first_node_found(opened: Opened) -> None:
    page = opened("many")
    for wanted in ("gene 042", "gene 317"):  # in whichever module it is
        page.locator("#search").fill(wanted)
        page.locator("#search").press("Enter")
        assert page.locator("#chosen-name").inner_text() == wanted
        assert page.locator("#graph .node.chosen").count() == 1


@pytest.mark.parametrize("width", WIDTHS)
def test_a_click_shows_a_node_and_a_button_clears(
    width: int, opened: Opened, posteriors: Posteriors
) -> None:
    page = opened("ten", width)
    assert page.locator("#clear").is_disabled()
    page.locator('#graph .node[data-node="1"] rect').click()
    panel = page.locator("#panel")
    assert panel.locator("#chosen-name").inner_text() == "smoking"
    assert panel.locator("h4").all_inner_texts() == [
        "Parent sets",
        "Markov blanket",
        "Parents",
        "Children",
    ]
    likeliest, probability = posteriors["ten"].parent_sets("smoking", 1)[0]
    first = panel.locator(".bars.sets li").first
    assert first.locator(".names").inner_text().split(", ") == list(likeliest)
    assert first.locator(".number").inner_text() == f"{probability:.3f}"
    assert page.locator("#graph .edge.incoming, #graph .edge.undecided").count() >= 1
    assert page.locator("#graph .node.chosen").count() == 1
    page.locator("#clear").click()
    assert page.locator("#graph .node.chosen").count() == 0
    assert panel.locator("#chosen-name").count() == 0


def test_a_click_on_a_name_or_beside_a_dot_will_do_and_one_on_nothing_clears(
    opened: Opened,
) -> None:
    page = opened("many")
    show_all(page)
    assert page.locator("#graph .node.dot").count() == 400
    shown = page.locator('#graph .node text[display="inline"]').first
    name = shown.evaluate("text => text.parentNode.getAttribute('aria-label')")
    shown.click()
    assert page.locator("#chosen-name").inner_text() == name
    box = page.locator('#graph .node[data-node="0"] rect').bounding_box()
    assert box is not None
    page.mouse.click(box["x"] - 5, box["y"] - 2)
    assert page.locator("#chosen-name").inner_text() == "gene 000"
    page = opened("exact")
    page.locator('#graph .node[data-node="1"]').click()
    assert page.locator("#chosen-name").count() == 1
    page.locator("#graph").click(position={"x": 8, "y": 60})
    assert page.locator("#chosen-name").count() == 0


def test_the_panel_leads_from_node_to_node(opened: Opened) -> None:
    page = opened("ten")
    page.locator('#graph .node[data-node="1"]').click()
    page.locator("#panel button.link", has_text="age").first.click()
    assert page.locator("#chosen-name").inner_text() == "age"


def test_an_exact_posterior_says_why_it_knows_no_blanket(opened: Opened) -> None:
    page = opened("exact")
    page.locator('#graph .node[data-node="0"]').click()
    assert "estimated from sampled DAGs" in page.locator("#panel").inner_text()
    assert page.locator("#panel .bars.sets li").count() >= 1


@pytest.mark.parametrize("name", ["exact", "eighty", "many"])
def test_keys_go_from_node_to_node_and_choose(name: str, opened: Opened) -> None:
    page = opened(name)
    assert page.locator('#graph .node[tabindex="0"]').count() == 1
    # From the slider by the tabulator key alone, past the buttons, to one node and out again.
    page.locator("#threshold").focus()
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.dataset.node !== undefined"):
            break
    before = page.evaluate("document.activeElement.dataset.node")
    assert before is not None
    seen = {before}
    for key in ("Up", "Right", "Up", "Right", "Down", "Left", "Down"):
        page.keyboard.press(f"Arrow{key}")
        seen.add(page.evaluate("document.activeElement.dataset.node"))
    assert len(seen) >= 3
    page.keyboard.press("Enter")
    name = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert page.locator("#chosen-name").inner_text() == name
    page.keyboard.press("Escape")
    assert page.locator("#chosen-name").count() == 0


def test_the_slider_and_the_view_are_worked_by_keys(opened: Opened) -> None:
    page = opened("eighty")
    page.locator("#threshold").focus()
    before = page.locator("#graph .edge").count()
    page.keyboard.press("End")
    assert page.locator("#threshold-value").inner_text() == "1.00"
    assert page.locator("#graph .edge").count() < before
    page.locator("#view").focus()
    names = page.locator("#graph .node").evaluate_all("ns => ns.map((n) => n.dataset.node)")
    page.keyboard.press("ArrowDown")
    assert page.locator("#view").input_value() == "2"
    assert names != page.locator("#graph .node").evaluate_all("ns => ns.map((n) => n.dataset.node)")


def test_zooming_in_gives_names_room_and_back_again(opened: Opened) -> None:
    page = opened("many")
    show_all(page)
    shown = "[...document.querySelectorAll('#graph .node text:not(.elsewhere)')]"
    count = f"{shown}.filter((text) => text.getAttribute('display') === 'inline').length"
    whole = page.evaluate(count)
    for _ in range(4):
        page.locator("#zoom-in").click()
    assert page.evaluate(count) > whole
    page.locator("#zoom-reset").click()
    assert page.evaluate(count) == whole


def test_dragging_moves_the_view_when_zoomed_and_is_no_click(opened: Opened) -> None:
    page = opened("ten")
    page.locator("#zoom-in").click()
    page.locator("#graph").scroll_into_view_if_needed()
    before = page.locator("#graph > g").get_attribute("transform")
    box = page.locator("#graph").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y + 30, steps=4)
    page.mouse.up()
    assert page.locator("#graph > g").get_attribute("transform") != before
    assert page.locator("#chosen-name").count() == 0


def test_scrolling_zooms_only_with_the_control_key(opened: Opened) -> None:
    page = opened("ten")
    page.locator("#graph").scroll_into_view_if_needed()
    page.locator("#graph").hover()
    zoomed = page.locator("#graph.zoomed")
    page.mouse.wheel(0, -120)
    assert zoomed.count() == 0
    page.locator("#graph").hover()
    page.keyboard.down("Control")
    page.mouse.wheel(0, -240)
    page.wait_for_selector("#graph.zoomed")
    page.keyboard.up("Control")
    assert zoomed.count() == 1


@pytest.mark.parametrize("name", ["ten", "eighty", "many"])
def test_names_overlap_neither_each_other_nor_the_frame(name: str, opened: Opened) -> None:
    page = opened(name)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        page.locator("#zoom-reset").click()
        check_names(page)
        for _ in range(3):
            page.locator("#zoom-in").click()
        check_names(page)


def check_names(page: Page) -> None:
    boxes = page.evaluate(
        """() => [...document.querySelectorAll('#graph .node text:not(.elsewhere)')]
            .filter((text) => text.getAttribute('display') === 'inline')
            .map((text) => { const box = text.getBBox();
                return [box.x, box.x + box.width, box.y + 2, box.y + box.height - 2]; })"""
    )
    assert len(boxes) >= 8
    clashes = [
        (a, b)
        for i, a in enumerate(boxes)
        for b in boxes[:i]
        if a[0] < b[1] and b[0] < a[1] and a[2] < b[3] and b[2] < a[3]
    ]
    assert clashes == []
    assert min(box[0] for box in boxes) >= 0
