"""The network of the report page as a file: SVG and PNG by a button, PDF by printing."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page

import arcwise

Opened = Callable[..., Page]
Posteriors = dict[str, arcwise.Posterior]
SVG = "{http://www.w3.org/2000/svg}"


def saved(page: Page, button: str, wanted: str) -> Path:
    with page.expect_download() as waiting:
        page.locator(button).click()
    assert waiting.value.suggested_filename == wanted
    return Path(waiting.value.path())


@pytest.mark.parametrize("name", ["ten", "eighty", "many"])
def test_the_svg_stands_alone_with_every_name_and_link(name: str, opened: Opened) -> None:
    page = opened(name, 700)
    file = saved(page, "#save-svg", "survey-of-1999-network.svg")
    root = ElementTree.parse(file).getroot()
    width, height = float(root.get("width")), float(root.get("height"))
    shown = page.locator("#graph .node").evaluate_all(
        "nodes => nodes.map((node) => node.getAttribute('aria-label'))"
    )
    nodes = [group for group in root.iter(f"{SVG}g") if group.get("class", "").startswith("node")]
    assert [node.find(f"{SVG}title").text for node in nodes] == shown
    assert all(node.find(f"{SVG}text").get("display") == "inline" for node in nodes)
    for node in nodes:
        box = node.find(f"{SVG}rect")
        left, top = float(box.get("x")), float(box.get("y"))
        assert 0 <= left <= left + float(box.get("width")) <= width
        assert 0 <= top <= top + float(box.get("height")) <= height
        assert box.get("stroke")
        assert node.find(f"{SVG}text").get("fill")
    links = [group for group in root.iter(f"{SVG}g") if group.get("class", "").startswith("edge")]
    assert len(links) == page.locator("#graph .edge").count()
    text = file.read_text(encoding="utf-8")
    assert "var(--" not in text
    assert "style=" not in text
    assert not re.search(r'(?:href|src)="', text)


def pixels(file: Path) -> tuple[int, int, bytes]:
    """Return the width, the height and the filtered rows of a PNG file."""
    data = file.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", data[16:24])
    parts, place = b"", 8
    while place < len(data):
        length = struct.unpack(">I", data[place : place + 4])[0]
        if data[place + 4 : place + 8] == b"IDAT":
            parts += data[place + 8 : place + 8 + length]
        place += length + 12
    return width, height, zlib.decompress(parts)


def test_the_png_is_large_enough_to_print_and_not_blank(opened: Opened) -> None:
    page = opened("eighty")
    width, height, rows = pixels(saved(page, "#save-png", "survey-of-1999-network.png"))
    assert width >= 3000  # 10 inches at 300 dots each
    assert height > 600
    assert len(set(rows[: len(rows) // 2])) > 20


def test_the_pdf_is_the_picture_alone_on_a_sheet_of_its_size(opened: Opened) -> None:
    page = opened("ten")
    # The dialog is the browser's own; what it would print is taken instead.
    page.evaluate("window.print = () => { window.printed = true; }")
    page.locator("#save-pdf").click()
    assert page.evaluate("window.printed")
    size = page.evaluate(
        """() => { const svg = document.querySelector('#sheet svg');
            return [Number(svg.getAttribute('width')), Number(svg.getAttribute('height'))]; }"""
    )
    page.emulate_media(media="print")
    assert page.locator("#sheet svg").is_visible()
    assert not page.locator("main").is_visible()
    assert not page.locator("h1").is_visible()
    file = page.pdf(prefer_css_page_size=True)
    assert file[:5] == b"%PDF-"
    box = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", file)
    assert box
    points = [float(number) for number in box.groups()]
    assert points == pytest.approx([0.75 * pixel for pixel in size], abs=1.5)
    assert len(re.findall(rb"/Type /Page\b", file)) == 1
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert page.locator("#sheet").count() == 0
    page.emulate_media(media="screen")
    assert page.locator("main").is_visible()


def test_the_threshold_and_the_view_are_those_shown(opened: Opened) -> None:
    page = opened("eighty")
    page.locator("#view").select_option("2")
    page.locator("#threshold").fill("0.95")
    root = ElementTree.parse(saved(page, "#save-svg", "survey-of-1999-network.svg")).getroot()
    drawn = {g.get("data-edge") for g in root.iter(f"{SVG}g") if g.get("data-edge")}
    shown = page.locator("#graph .edge").evaluate_all("edges => edges.map((e) => e.dataset.edge)")
    assert drawn == set(shown)
    page = opened("exact")
    saved(page, "#save-svg", "network.svg")
