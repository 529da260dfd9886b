"""The documentation site as `make docs` builds it: pages open, the search finds, links lead on."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page

SITE = Path(__file__).parents[2] / "build" / "docs"
Opened = Callable[..., Page]

QUESTIONS = {
    "equivalent sample size prior": "Scores, priors and sensitivity",
    "are edges causal": "Equivalence and causality",
    "how many rows": "Small data",
    "modular or order-modular": "Modular and order-modular",
    "threshold report": "Reporting results in a paper",
    "not converged": "Not converged, what next?",
    "mixed ordinal": "Mixed data",
    "missing values": "Missing data",
    "repeated measures": "Time series",
    "how long": "Large networks",
}
"""What those with the ten questions search for, and the page that answers."""
FIRST = 8  # results that one looks at


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Serve the site on a port of this machine: the search reads pages as a browser does."""
    assert (SITE / "index.html").exists(), "the site is not built; run make docs"
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(SITE)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def visited(browser: Browser, address: str) -> Iterator[Opened]:
    """Open a page of the site; at the end nothing may have gone wrong or been asked elsewhere."""
    wrong: list[str] = []
    contexts: list[Any] = []

    def visit(name: str, width: int = 1300, scheme: Literal["light", "dark"] = "light") -> Page:
        size: Any = {"width": width, "height": 900}
        context = browser.new_context(viewport=size, color_scheme=scheme)
        context.set_default_timeout(90_000)  # other jobs may share the machine
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: wrong.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
        page.on("request", lambda request: wrong.extend(_outside(request.url, address)))
        page.on("response", lambda answer: wrong.extend(_failed(answer.status, answer.url)))
        page.goto(f"{address}/{name}")
        return page

    yield visit
    for context in contexts:
        context.close()
    assert wrong == []


def _outside(asked: str, address: str) -> list[str]:
    return [] if asked.startswith((address, "data:")) else [f"request: {asked}"]


def _failed(status: int, asked: str) -> list[str]:
    return [f"{status}: {asked}"] if status >= 400 else []


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("index.html", "arcwise"),
        ("start/first-posterior.html", "A first posterior in five minutes"),
        ("how-to/causal-effects.html", "Causal effects"),
        ("understanding/spaces-and-algorithms.html", "Spaces and algorithms"),
        ("case-study.html", "Case study: what goes with the progression of diabetes?"),
        ("gallery.html", "Gallery of figures"),
        ("reference/posterior.html", "Posteriors"),
        ("reference/command-line.html", "The command line"),
    ],
)
def test_main_pages_open_with_their_pictures(name: str, title: str, visited: Opened) -> None:
    page = visited(name)
    assert page.locator("h1").first.inner_text().rstrip("#¶ ") == title
    broken = page.locator("article img").evaluate_all(
        "images => images.filter((image) => !image.complete || !image.naturalWidth)"
        ".map((image) => image.src)"
    )
    assert broken == []


def _found(page: Page) -> list[str]:
    """Return the titles of the results of a search, as they are listed, when it is done."""
    page.locator("#search-results .search-summary").filter(has_text="found").wait_for()
    return page.locator("#search-results .search > li > a").all_inner_texts()


@pytest.mark.parametrize("words", QUESTIONS)
def test_the_search_finds_the_page_that_answers(words: str, visited: Opened) -> None:
    found = _found(visited(f"search.html?q={words.replace(' ', '+')}"))
    assert any(title.startswith(QUESTIONS[words]) for title in found[:FIRST]), found


def test_each_of_the_ten_questions_is_found_by_its_own_words(visited: Opened) -> None:
    page = visited("questions.html")
    questions = [text.rstrip("#¶ ") for text in page.locator("section h2").all_inner_texts()]
    assert len(questions) == len(QUESTIONS)
    for question in questions:
        page.goto(page.url.split("/questions")[0].split("/search")[0] + "/search.html")
        page.locator("input[name=q]").first.fill(question)
        page.locator("input[name=q]").first.press("Enter")
        page.wait_for_url("**/search.html?q=*")
        assert any("Common questions" in title for title in _found(page)[:FIRST]), question


def test_a_name_of_the_reference_is_found_and_opened(visited: Opened) -> None:
    page = visited("index.html")
    page.locator("input[name=q]").first.fill("cross_validate")
    page.locator("input[name=q]").first.press("Enter")
    page.locator("#search-results a", has_text="arcwise.cross_validate").first.click()
    page.wait_for_url("**/reference/learning.html*")
    assert page.locator("dt#arcwise\\.cross_validate").is_visible()


@pytest.mark.parametrize("name", ["index.html", "benchmarks.html", "reference/command-line.html"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_narrow_pages_do_not_scroll_sideways(
    name: str, scheme: Literal["light", "dark"], visited: Opened
) -> None:
    page = visited(name, 420, scheme)
    wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    assert wide <= 0


def test_the_dark_is_dark(visited: Opened) -> None:
    page = visited("index.html", scheme="dark")
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert all(int(part) < 60 for part in colour.removeprefix("rgb(").rstrip(")").split(","))
