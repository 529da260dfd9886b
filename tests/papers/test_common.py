"""What the scripts of the papers share: tables, figures, published numbers, data by name."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import pytest
from common import (
    MissingDataError,
    Published,
    Results,
    Table,
    label_few_seconds,
    load,
    main,
    options,
    published,
)


def test_tables_are_markdown_with_numbers_on_the_right(tmp_path: Path) -> None:
    table = Table("Errors", ["data", "error", "steps"])
    table.add("flare", 0.01234, 6.1e8)
    table.add("credit", None, 1200)
    Results(tmp_path / "out").table(table)
    written = (tmp_path / "out" / "tables.md").read_text(encoding="utf-8").splitlines()
    assert written[0] == "Errors"
    assert written[3] == "| --- | ---: | ---: |"
    assert written[4] == "| flare | 0.012 | 6.1 × 10^8 |"
    assert written[5] == "| credit | – | 1,200 |"


def test_the_same_figure_is_the_same_file(tmp_path: Path) -> None:
    files = []
    for name in ("first", "second"):
        figure, axes = plt.subplots(figsize=(3.0, 2.0))
        axes.plot([1.0, 2.0], [3.0, 1.0])
        files.append(Results(tmp_path).figure(name, figure))
        assert not plt.fignum_exists(figure.number)
    first, second = (path.read_bytes() for path in files)
    assert files[0] == tmp_path / "first.png"
    assert first.startswith(b"\x89PNG")
    assert first == second


def test_few_seconds_of_a_decade_are_labelled() -> None:
    figure, axes = plt.subplots()
    axes.semilogx([0.004, 0.5], [0.0, 1.0])
    label_few_seconds(axes)
    formatter = axes.xaxis.get_minor_formatter()
    labels = [formatter(value) for value in (0.02, 0.03, 0.2, 6.0)]
    plt.close(figure)
    assert labels == [r"$\mathdefault{2\times10^{-2}}$", "", r"$\mathdefault{2\times10^{-1}}$", ""]


def test_a_row_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="2 cells for 3 columns"):
        Table("Errors", ["data", "error", "steps"]).add("flare", 1.0)


def test_published_numbers_are_found_once_or_not_at_all() -> None:
    rows = [Published("Table 1", "a", 2.0, about=True), Published("Table 2", "b", 3.0)]
    assert str(published(rows, "a")) == "about 2.00"
    with pytest.raises(LookupError, match="0 published numbers are 'c'"):
        published(rows, "c")
    with pytest.raises(LookupError, match="2 published numbers are 'b'"):
        published([*rows, rows[1]], "b")


def test_data_are_found_by_name(tmp_path: Path) -> None:
    (tmp_path / "coins.csv").write_text("a,b\n0,1\n1,0\n1,1\n")
    assert load(tmp_path, "coins", kinds="discrete").variables == ("a", "b")
    with pytest.raises(MissingDataError, match=r"dice\.csv is not in .*; put the data set there"):
        load(tmp_path, "dice")


def test_missing_data_end_a_script_with_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = options("A script.", "script", 10.0, ["--data", str(tmp_path), "--out", str(tmp_path)])
    assert given.seconds == 10.0
    with pytest.raises(SystemExit) as ended:
        main(lambda read: print(load(read.data, "dice")), given)
    assert ended.value.code == 2
    assert "dice.csv is not in" in capsys.readouterr().err


def test_each_page_ends_with_what_was_left_open_and_what_there_is_now() -> None:
    pages = sorted((Path(__file__).parents[2] / "docs" / "papers").glob("*.md"))
    about_a_paper = [page for page in pages if page.name != "index.md"]
    assert len(about_a_paper) == 5
    for page in about_a_paper:
        title, _, last = page.read_text(encoding="utf-8").rpartition("\n## ")[2].partition("\n")
        assert title == "What was left open", page.name
        assert "convergence" in last, page.name
        assert "33" in last, page.name  # variables, exactly
