"""A browser, and report pages for it: of 8 variables, ten with awkward names, 36, 80 and 400.

The browser is Debian's chromium; nothing it asks of the network and no complaint on its console
goes unnoticed.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

import arcwise
from browser.sampled_pages import AWKWARD, sampled, worded

OPTIONS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def posteriors() -> dict[str, arcwise.Posterior]:
    """Return the posteriors the pages are of, by the names of the pages."""
    few = sampled([*AWKWARD, "a variable whose name is longer than anyone should make it"], 4)
    model = arcwise.Model(arcwise.simulate("asia", 200, seed=1), max_indegree=2)
    return {
        "ten": few,
        "eighty": sampled(worded(80), 80, degree=3.2),
        "wide": sampled(worded(36), 36),
        "many": sampled([f"gene {i:03d}" for i in range(400)], 2),
        "exact": arcwise.exact(model),
        "coupled": arcwise.mc3(model, steps=800, temperatures=4, chains=2, seed=1),
    }


@pytest.fixture(scope="session")
def pages(
    posteriors: dict[str, arcwise.Posterior], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    """Write the pages and return their files, by name."""
    folder = tmp_path_factory.mktemp("pages")
    return {
        name: posterior.report(folder / f"{name}.html", title=f"<i>{name}</i> & more")
        for name, posterior in posteriors.items()
    }


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Start the browser, with a profile of its own that is thrown away."""
    program = shutil.which("chromium")
    assert program, "chromium is not there; on Debian: apt-get install chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=OPTIONS)
        yield browser
        browser.close()


@pytest.fixture
def opened(browser: Browser, pages: dict[str, Path]) -> Iterator[Callable[..., Page]]:
    """Open a page by name at a width; at the end, nothing may have gone wrong or left the file."""
    wrong: list[str] = []
    contexts: list[Any] = []

    def open_page(name: str, width: int = 1600, scheme: Literal["light", "dark"] = "light") -> Page:
        size: Any = {"width": width, "height": 900}
        context = browser.new_context(viewport=size, color_scheme=scheme)
        context.set_default_timeout(90_000)  # other jobs may share the machine
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: wrong.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
        page.on("request", lambda request: wrong.extend(_outside(request.url)))
        page.goto(pages[name].as_uri())
        page.wait_for_selector("#chart-matrix svg")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert wrong == []


def _outside(address: str) -> list[str]:
    return [] if address.startswith(("file:", "data:", "blob:")) else [f"request: {address}"]
