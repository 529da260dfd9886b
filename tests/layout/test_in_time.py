"""Pictures of time series: slices side by side, and edges over all lags."""

from __future__ import annotations

from arcwise.data.table import Place, Slices
from arcwise.dynamics.lagged_edges import ProcessEdge
from arcwise.layout.in_time import process_picture, slices_picture
from arcwise.layout.picture import Link

PLACES = [Place(name, lag) for lag in (0, 1, 2) for name in ("x", "y", "z")]
SLICES = Slices((*PLACES, Place("s", None)))


def test_time_goes_from_left_to_right() -> None:
    positions = slices_picture(SLICES, []).drawing.positions
    across = [positions[name][0] for name in ("s", "x(t-2)", "x(t-1)", "x(t)")]
    assert across == sorted(set(across))
    for name in ("x", "y", "z"):
        assert len({positions[f"{name}{when}"][1] for when in ("(t)", "(t-1)", "(t-2)")}) == 1
    assert len(set(positions.values())) == len(SLICES.places)


def test_links_have_ways_that_miss_what_is_between() -> None:
    links = [Link(0, 2, 0.9, 0.05), Link(6, 0, 0.8, 0.0), Link(3, 1, 0.7, 0.0)]
    picture = slices_picture(SLICES, links)
    routes = picture.drawing.routes
    assert set(routes) == {("x(t)", "z(t)"), ("x(t-2)", "x(t)"), ("x(t-1)", "y(t)")}
    (bulge,) = routes["x(t)", "z(t)"]
    assert bulge[0] > picture.drawing.positions["x(t)"][0]
    assert routes["x(t-2)", "x(t)"]  # round x(t-1)
    assert picture.links == tuple(links)


def test_both_directions_over_lags_have_their_own_ways() -> None:
    edges = [
        ProcessEdge("x", "y", 0.9, {1: 0.9}),
        ProcessEdge("y", "x", 0.8, {1: 0.8}),
        ProcessEdge("x", "x", 0.95, {1: 0.95}),
        ProcessEdge("y", "z", 0.2, {1: 0.2}),
    ]
    picture = process_picture(("x", "y", "z"), edges, 0.5)
    assert picture.variables == ("x ↺ 0.95", "y", "z")
    assert picture.drawing.alone == ("z",)
    assert [(link.source, link.target) for link in picture.links] == [(0, 1), (1, 0)]
    there, back = (
        picture.drawing.routes["x ↺ 0.95", "y"],
        picture.drawing.routes["y", "x ↺ 0.95"],
    )
    assert there != back
