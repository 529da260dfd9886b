"""Plots: what is drawn, where and how wide, judged by the artists and not by pixels."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

import arcwise
from arcwise import Dag, Posterior, plots
from arcwise.errors import ArgumentError, MissingDependencyError
from arcwise.graphs import Cpdag
from arcwise.layout.drawing import layered_drawing
from arcwise.layout.marks import SHADES, forest_rows
from arcwise.plots.figures import shortened
from arcwise.records.runs import ChainRun, ExactRun
from arcwise.results import EffectEstimate, LevelEffects, LinearEffect
from support.edge_chains import chain_posterior, flipping
from support.exact_models import names
from support.run_records import annealing_run
from support.sampled_posteriors import sampled_posterior


def posterior_of(edges: dict[tuple[int, int], float], n: int, **changes: Any) -> Posterior:
    matrix = np.zeros((n, n))
    for pair, probability in edges.items():
        matrix[pair] = probability
    return Posterior(changes.pop("variables", names(n)), "modular", ExactRun(), matrix, **changes)


def arrows(axes: Any) -> dict[str, FancyArrowPatch]:
    return {p.get_gid(): p for p in axes.patches if isinstance(p, FancyArrowPatch)}


def test_network_joins_pairs_above_the_threshold_wider_and_darker_if_more_probable() -> None:
    edges = {(0, 1): 0.95, (1, 2): 0.6, (0, 2): 0.55, (2, 3): 0.2, (3, 1): 0.3}
    axes = plots.network(posterior_of(edges, 5))
    drawn = arrows(axes)
    assert set(drawn) == {"x0 -> x1", "x1 -> x2", "x0 -> x2"}
    drawn = arrows(plots.network(posterior_of(edges, 5), 0.3))
    order = ["x3 -> x1", "x0 -> x2", "x1 -> x2", "x0 -> x1"]
    assert set(drawn) == set(order)
    widths = [drawn[edge].get_linewidth() for edge in order]
    assert widths == sorted(widths)
    assert len(set(widths)) == 4
    brightness = [sum(to_rgb(drawn[edge].get_edgecolor()[:3])) for edge in order]
    assert brightness == sorted(brightness, reverse=True)
    assert {text.get_text() for text in texts(axes, "node")} == set(names(5))
    assert [text.get_text() for text in texts(axes, "rule")] == ["without an edge"]
    assert axes.get_title() == "Adjacent with probability 0.5 or more"
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["50%", "75%", "100%"]
    assert len(arrows(plots.network(posterior_of(edges, 5), 0.1))) == 5
    with pytest.raises(ArgumentError, match="threshold is 2"):
        plots.network(posterior_of(edges, 5), 2)


def texts(axes: Any, kind: str) -> list[Any]:
    return [text for text in axes.texts if text.get_gid() == kind]


def boxes_of(axes: Any) -> dict[str, Any]:
    axes.figure.draw_without_rendering()
    patches = {text.get_text(): text.get_bbox_patch() for text in texts(axes, "node")}
    return {
        label: patch.get_path().transformed(patch.get_transform()).get_extents()
        for label, patch in patches.items()
    }


@pytest.mark.parametrize(
    ("prefix", "n"),
    [
        *(("x", n) for n in (1, 2, 8, 30, 120)),
        *(("a rather long name number ", n) for n in (1, 2, 8, 30, 50)),
    ],
)
def test_labels_of_a_network_do_not_overlap_and_arrows_end_at_their_boxes(
    prefix: str, n: int
) -> None:
    random = np.random.default_rng(n)
    pairs = np.argwhere(np.triu(random.random((n, n)) < 2.0 / n, 1))
    edges = {(int(u), int(v)): float(random.uniform(0.5, 1.0)) for u, v in pairs}
    variables = [f"{prefix}{i}" for i in range(n)]
    axes = plots.network(posterior_of(edges, n, variables=variables))
    boxes = boxes_of(axes)
    assert len(boxes) == n
    ordered = list(boxes.values())
    for number, box in enumerate(ordered):
        assert not any(box.overlaps(other) for other in ordered[number + 1 :])
        assert axes.figure.bbox.x0 <= box.x0
        assert box.x1 <= axes.figure.bbox.x1
        assert axes.figure.bbox.y0 <= box.y0
        assert box.y1 <= axes.figure.bbox.y1
    assert len(arrows(axes)) == len(edges)
    labels = dict(zip(variables, (text.get_text() for text in texts(axes, "node")), strict=True))
    for edge, arrow in arrows(axes).items():
        source, target = (labels[name] for name in edge.split(" -> "))
        # The line without its head, from the rim of one box to that of the other.
        points = arrow._get_path_in_displaycoord()[0][0].vertices  # type: ignore[attr-defined]
        for name, end in ((source, points[0]), (target, points[-1])):
            box = boxes[name]
            apart = np.maximum(np.abs(end - (box.p0 + box.p1) / 2) - (box.p1 - box.p0) / 2, 0.0)
            assert np.hypot(*apart) < 12.0
            inside = (points > box.p0 + 4.0).all(axis=1) & (points < box.p1 - 4.0).all(axis=1)
            assert not inside.any()


def test_names_are_shortened_unless_they_would_look_the_same() -> None:
    given = [
        "short",
        "concentration of x",
        "concentration of y",
        "beginning 1 end",
        "beginning 2 end",
    ]
    expected = ["short", "conc…of x", "conc…of y", *given[3:]]
    assert shortened(given, 9) == expected


def test_an_open_direction_is_a_line_with_both_probabilities() -> None:
    axes = plots.network(posterior_of({(0, 1): 0.5, (1, 0): 0.45, (1, 2): 0.9}, 3))
    drawn = arrows(axes)
    assert set(drawn) == {"x0 -- x1", "x1 -> x2"}
    styles = {type(arrow.get_arrowstyle()).__name__ for arrow in drawn.values()}
    assert len(styles) == 2
    assert [text.get_text() for text in texts(axes, "shares")] == ["↓0.50 ↑0.45"]


def test_numbers_on_links_are_clear_of_nodes_and_of_each_other() -> None:
    edges = {(i, j): 0.6 for i in range(4) for j in range(i + 1, 6)}
    edges |= {(j, i): 0.3 for i, j in edges}
    axes = plots.network(posterior_of(edges, 6))
    axes.figure.draw_without_rendering()
    numbers = [text.get_window_extent() for text in texts(axes, "shares")]
    assert len(numbers) >= 6
    nodes = list(boxes_of(axes).values())
    for number, box in enumerate(numbers):
        assert not any(box.overlaps(other) for other in [*nodes, *numbers[:number]])


def test_a_large_network_is_drawn_in_modules() -> None:
    random = np.random.default_rng(4)
    pairs = np.argwhere(np.triu(random.random((90, 90)) < 3.0 / 90, 1))
    posterior = posterior_of({(int(u), int(v)): 0.9 for u, v in pairs}, 90)
    axes = plots.network(posterior)
    frames = [p for p in axes.patches if type(p).__name__ == "FancyBboxPatch"]
    assert len(frames) > 1
    faint = [arrow for arrow in arrows(axes).values() if arrow.get_alpha() < 0.5]
    assert 0 < len(faint) < len(arrows(axes)) / 2
    one = plots.network(posterior, module=2)
    inside = {text.get_text() for text in texts(one, "node")}
    assert 2 <= len(inside) <= 40
    leaving = sum((f"x{u}" in inside) != (f"x{v}" in inside) for u, v in pairs)
    assert sum(int(text.get_text()) for text in texts(one, "elsewhere")) == leaving > 0
    with pytest.raises(ArgumentError, match="but the network has"):
        plots.network(posterior, module=99)


def test_network_of_graphs_long_names_and_axes_given() -> None:
    long = "a name that goes on and on"
    dag = Dag([long, "b $x$", "c"], {"b $x$": [long], "c": ["b $x$"]})
    figure = Figure(figsize=(4, 4))
    given = figure.add_subplot()
    axes = plots.network(dag, axes=given)
    assert axes is given
    assert axes.get_legend() is None
    shown = [text.get_text() for text in texts(axes, "node")]
    assert shown == ["a name that goes\non and on", "b $x$", "c"]
    figure.draw_without_rendering()
    mixed = plots.network(Cpdag(["a", "b", "c"], [("a", "b")], [("b", "c")]))
    styles = {edge: type(arrow.get_arrowstyle()).__name__ for edge, arrow in arrows(mixed).items()}
    assert styles["a -> b"] != styles["b -- c"]
    assert texts(mixed, "shares") == []


@pytest.mark.parametrize("ending", ["svg", "pdf", "png"])
def test_draw_writes_the_same_file_again(ending: str, tmp_path: Path) -> None:
    posterior = posterior_of({(0, 1): 0.9, (1, 2): 0.4, (2, 1): 0.4}, 5)
    written = [posterior.draw(tmp_path / f"{i}.{ending}", dpi=60).read_bytes() for i in range(2)]
    assert written[0] == written[1]
    start = {"svg": b"<?xml", "pdf": b"%PDF-", "png": b"\x89PNG"}[ending]
    assert written[0].startswith(start)


def size_of(file: Path) -> tuple[float, float]:
    """Return the width and height of an SVG file in points."""
    found = re.search(r'<svg[^>]*?width="([\d.]+)pt"', file.read_text(encoding="utf-8"), re.DOTALL)
    tall = re.search(r'<svg[^>]*?height="([\d.]+)pt"', file.read_text(encoding="utf-8"), re.DOTALL)
    assert found
    assert tall
    return float(found.group(1)), float(tall.group(1))


def test_draw_scales_to_a_width_and_names_stay_text(tmp_path: Path) -> None:
    posterior = posterior_of({(0, 1): 0.9, (1, 2): 0.8}, 3, variables=["first_one", "b", "c<d"])
    natural = size_of(posterior.draw(tmp_path / "a.svg"))
    file = posterior.draw(tmp_path / "b.svg", threshold=0.85, width=2.5)
    narrow = size_of(file)
    assert narrow[0] == pytest.approx(180.0)
    assert narrow[1] / natural[1] == pytest.approx(narrow[0] / natural[0], rel=0.01)
    text = file.read_text(encoding="utf-8")
    assert "first_one" in text
    assert "c&lt;d" in text
    assert "probability 0.85 or more" in text


def test_draw_refuses_what_it_cannot_write(tmp_path: Path) -> None:
    posterior = posterior_of({(0, 1): 0.9}, 2)
    for name in ("network.jpg", "network", "svg"):
        with pytest.raises(ArgumentError, match=r"ends in \.svg, \.pdf or \.png"):
            posterior.draw(tmp_path / name)
    for width in (0.1, 1e9, float("nan"), "3"):
        with pytest.raises(ArgumentError, match="width is"):
            posterior.draw(tmp_path / "a.svg", width=width)
    with pytest.raises(ArgumentError, match="dpi is 0"):
        posterior.draw(tmp_path / "a.png", dpi=0)
    with pytest.raises(ArgumentError, match=r"2400, too many for a picture of 90\.0 by .*svg"):
        posterior.draw(tmp_path / "a.png", dpi=2400, width=90)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("n", "written"), [(5, 5), (130, 130), (150, 75)])
def test_edge_matrix(n: int, written: int) -> None:
    posterior = posterior_of({(0, 1): 0.75, (2, 1): 0.25}, n)
    axes = plots.edge_matrix(posterior)
    (image,) = axes.images
    shown = image.get_array()
    assert shown[0, 1] == 0.75
    assert shown[2, 1] == 0.25
    assert np.ma.getmaskarray(shown).diagonal().all() or np.isnan(np.diag(shown)).all()
    assert image.get_clim() == (0.0, 1.0)
    for place, colour in SHADES:
        assert image.cmap(place)[:3] == pytest.approx(to_rgb(colour), abs=0.02)
    assert len(axes.get_xticklabels()) == len(axes.get_yticklabels()) == written
    assert axes.get_ylabel() == "source"
    axes.figure.draw_without_rendering()


def test_traces() -> None:
    posterior = chain_posterior({(0, 1): flipping(3, 5000, 0.3, 1)})
    axes = plots.traces(posterior)
    assert [line.get_label() for line in axes.lines] == ["chain 1", "chain 2", "chain 3"]
    assert len({line.get_color() for line in axes.lines}) == 3
    assert posterior.traces is not None
    x, y = axes.lines[1].get_data()
    assert len(x) == 4000
    assert x[0] == 1
    assert x[-1] == 5000
    assert y == pytest.approx(posterior.traces.log_weights[1][x.astype(int) - 1])
    runs = chain_posterior({(0, 1): flipping(1, 50, 0.3, 1)}, run=annealing_run())
    assert plots.traces(runs).get_xlabel() == "particle"
    with pytest.raises(ArgumentError, match="has no traces; give one of mcmc"):
        plots.traces(posterior_of({}, 2))


def test_agreement_marks_the_edge_chains_differ_most_about() -> None:
    apart = np.zeros((3, 400), dtype=np.bool_)
    apart[2, :300] = True
    posterior = chain_posterior({(0, 1): flipping(3, 400, 0.4, 1), (0, 3): apart})
    axes = plots.agreement(posterior)
    points, ring = axes.collections
    assert len(points.get_offsets()) == 12
    assert sorted(ring.get_offsets()[0]) == pytest.approx([0.0, 0.75])
    (words,) = axes.texts
    assert words.get_text() == "x0 → x3\ndifference 0.75"
    assert "chain 3" in axes.get_ylabel()
    axes.figure.draw_without_rendering()
    box = words.get_window_extent()
    assert axes.figure.bbox.contains(box.x0, box.y0)
    assert axes.figure.bbox.contains(box.x1, box.y1)
    chosen = plots.agreement(posterior, (1, 0))
    assert chosen.get_xlabel() == "edge probability, chain 2"
    for wrong in ((0, 0), (0, 3)):
        with pytest.raises(ArgumentError, match="two different numbers from 0 to 2"):
            plots.agreement(posterior, wrong)
    with pytest.raises(ArgumentError, match="does not have two chains"):
        plots.agreement(posterior_of({}, 2))


def test_forest() -> None:
    posterior = sampled_posterior(6, 90)
    rows, _ = forest_rows(posterior)
    axes = plots.forest(posterior)
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert labels == [f"{row.source} – {row.target}" for row in rows]
    dots = next(line for line in axes.lines if line.get_marker() == "o")
    assert dots.get_xdata() == pytest.approx([row.probability for row in rows])
    (bars,) = axes.collections
    spans = [segment[:, 0].tolist() for segment in bars.get_segments()]
    assert np.array(spans) == pytest.approx(np.array([(row.low, row.high) for row in rows]))
    assert plots.forest(posterior, 2).get_title().startswith("2 of ")
    none = plots.forest(posterior_of({(0, 1): 1.0}, 2))
    assert "no pair is adjacent" in none.texts[0].get_text()


def test_ranks_show_a_chain_that_tells_otherwise() -> None:
    posterior = chain_posterior({(0, 1): flipping(3, 500, 0.3, 1)})
    axes = plots.ranks(posterior)
    stairs = [patch for patch in axes.patches if hasattr(patch, "get_data")]
    assert len(stairs) == 3
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [
        f"chain {i}" for i in (1, 2, 3)
    ]
    for other in (posterior_of({}, 2), chain_posterior({(0, 1): flipping(1, 50, 0.3, 1)})):
        with pytest.raises(ArgumentError, match="two or more Markov chains"):
            plots.ranks(other)


def test_round_trips() -> None:
    model = arcwise.Model(arcwise.simulate("asia", 200, seed=1), max_indegree=2)
    posterior = arcwise.mc3(model, steps=600, temperatures=4, chains=3, seed=1)
    axes = plots.round_trips(posterior)
    assert isinstance(posterior.run, ChainRun)
    trips = list(posterior.run.exchanges.round_trips)
    assert [bar.get_height() for bar in axes.patches] == trips
    assert "lowest acceptance rate" in axes.get_title()
    with pytest.raises(ArgumentError, match="no coupled chains; give one of mc3"):
        plots.round_trips(posterior_of({}, 2))


def test_roc() -> None:
    posterior = sampled_posterior()
    truth = Dag(names(5), {"x1": ["x0"], "x2": ["x1"]})
    axes = plots.roc(posterior, truth)
    curve = arcwise.comparison.roc(posterior, truth)
    _, directed, _ = axes.lines
    assert (directed.get_xdata() == curve.false_positive_rate).all()
    assert (directed.get_ydata() == curve.true_positive_rate).all()
    words = [text.get_text() for text in axes.get_legend().get_texts()]
    assert words[0] == f"directed, AUC {curve.auc:.3f}"
    assert axes.get_xlim() == axes.get_ylim() == (0.0, 1.0)


def test_effect() -> None:
    random = np.random.default_rng(2)
    samples = np.where(random.random(2000) < 0.25, 0.0, random.normal(1.0, 0.2, 2000))
    weights = np.where(samples == 0.0, 1.0, 2.0)
    axes = plots.effect(samples, weights, label="effect of x0 on x1")
    none = weights[samples == 0.0].sum() / weights.sum()
    words = [text.get_text() for text in axes.get_legend().get_texts()]
    assert words[0] == "95% interval"
    assert words[2] == f"no effect: {none:.0%}"
    stairs = [patch for patch in axes.patches if hasattr(patch, "get_data")]
    heights, edges, _ = stairs[0].get_data()
    assert (heights * np.diff(edges)).sum() == pytest.approx(1.0 - none)
    assert axes.get_xlabel() == "effect of x0 on x1"
    assert len(plots.effect([0.0, 0.0]).lines) == 2
    for wrong in (([], None), ([1.0], [1.0, 2.0]), ([np.nan], None), ([1.0], [0.0])):
        with pytest.raises(ArgumentError, match="samples"):
            plots.effect(*wrong)
    with pytest.raises(ArgumentError, match="level is 1"):
        plots.effect([1.0], level=1)


def test_an_effect_with_two_modes_shows_both() -> None:
    random = np.random.default_rng(3)
    values = np.concatenate([random.normal(0.5, 0.1, 2000), random.normal(3.0, 0.2, 1000)])
    estimate = EffectEstimate(0.0, 0.0, 0.6, values, np.full(3000, 1 / 3000))
    axes = plots.effect(LinearEffect("rain", "wet", estimate))
    assert axes.get_xlabel() == "effect of rain on wet"
    words = [text.get_text() for text in axes.get_legend().get_texts()]
    assert words[0] == "95% intervals"
    assert words[2] == "no effect: 40%"
    spans = [patch for patch in axes.patches if not hasattr(patch, "get_data")]
    assert len(spans) == len(estimate.intervals()) == 2
    with pytest.raises(ArgumentError, match="weights is for plain samples"):
        plots.effect(estimate, [1.0])


def test_effects_of_discrete_variables_have_a_row_for_each_level() -> None:
    data = arcwise.simulate("asia", 500, seed=1)
    dag = Dag(["smoke", "bronc"], {"bronc": ["smoke"]})
    found = arcwise.effects(dag, "smoke", "bronc", model=arcwise.Model(data.select(dag.variables)))
    assert isinstance(found, LevelEffects)
    axes = plots.effect(found, level=0.8)
    words = [text.get_text() for text in axes.get_yticklabels()]
    assert words == [what for what, _ in found.at_levels()]
    assert words[0] == "P(bronc = no | do(smoke = no))"
    means = [float(line.get_xdata()[0]) for line in axes.lines]
    assert means == [estimate.mean for _, estimate in found.at_levels()]
    ends = [span.get_segments()[0][:, 0].tolist() for span in axes.collections]
    wanted = [list(each) for _, one in found.at_levels() for each in one.intervals(0.8)]
    assert np.allclose(ends, wanted)
    assert "no directed path" in axes.get_title(loc="left")
    with pytest.raises(ArgumentError, match="weights is for plain samples"):
        plots.effect(found, [1.0])


def test_nothing_global_is_touched() -> None:
    code = (
        "import sys, arcwise\n"
        "arcwise.plots.effect([1.0, 2.0, 0.0])\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=600)


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("matplotlib", "matplotlib.figure", "matplotlib.patches"):
        monkeypatch.setitem(sys.modules, module, None)
    posterior = sampled_posterior()
    for plot in (plots.network, plots.edge_matrix, plots.traces):
        with pytest.raises(MissingDependencyError, match=r"pip install 'arcwise\[plots\]'"):
            plot(posterior)


def test_links_that_bend_beyond_all_nodes_are_in_the_picture() -> None:
    six = names(6)
    dag = Dag(six, {name: six[:place] for place, name in enumerate(six) if place})
    axes = arcwise.plots.network(dag)
    drawing = layered_drawing(six, dict.fromkeys(combinations(range(6), 2), 1.0))
    across = [x for route in drawing.routes.values() for x, _ in route]
    low, high = axes.get_xlim()
    assert across
    assert low + 0.5 < min(across)
    assert max(across) < high - 0.5
