"""The text of features: what it means, that writing and reading are inverse, and refusals."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise.errors import ArgumentError
from arcwise.features import (
    Blanket,
    Comparison,
    Conditional,
    CpdagEdge,
    Edge,
    Feature,
    InBlanket,
    Not,
    NumberOfEdges,
    ParentSet,
    Path,
    SkeletonEdge,
    VStructure,
    parse,
)

NAMES = ["a", "b", "c", "blood pressure", "and", "x-1", 'say "so"', "back\\slash", "7", "é.2"]

MEANINGS: dict[str, Feature | Conditional] = {
    "a -> b": Edge("a", "b"),
    "a<-b": Edge("b", "a"),
    "a ~> b": Path("a", "b"),
    "a <~ b": Path("b", "a"),
    "a ~>{2} b": Path("a", "b", 2),
    "a ~> { 2 } b": Path("a", "b", 2),
    "a ~> b ~> c": Path("a", "b") & Path("b", "c"),
    "a -> b ~>{3} c": Edge("a", "b") & Path("b", "c", 3),
    "a <- b -> c": Edge("b", "a") & Edge("b", "c"),
    "a -- b": SkeletonEdge("a", "b"),
    "a → b ⇝{3} c": Edge("a", "b") & Path("b", "c", 3),
    "a→c←b": VStructure("a", "c", "b"),
    "a ⇜ b – c and edges ≥ 5": Path("b", "a") & SkeletonEdge("b", "c") & (NumberOfEdges() >= 5),
    "a -> c <- b": VStructure("a", "c", "b"),
    "blanket(a) has b": InBlanket("a", "b"),
    "blanket( a ) = {c, b}": Blanket("a", ["b", "c"]),
    "parents(a) = {}": ParentSet("a", []),
    "parents(a) == {b, 7}": ParentSet("a", ["7", "b"]),
    "edges": NumberOfEdges(),
    "edges >= 5": NumberOfEdges() >= 5,
    "edges == 2.5": Comparison(NumberOfEdges(), "=", 2.5),
    "cpdag: a -> b": CpdagEdge("a", "b"),
    "cpdag: a <- b": CpdagEdge("b", "a"),
    "cpdag: a -- b": CpdagEdge("a", "b", directed=False),
    "a -> b and b -> c or not c -> a": (Edge("a", "b") & Edge("b", "c")) | ~Edge("c", "a"),
    "a -> b & (b -> c | !c -> a)": Edge("a", "b") & (Edge("b", "c") | ~Edge("c", "a")),
    "not not a -> b": Not(Not(Edge("a", "b"))),
    "a -> b given c -> b or a ~> c": Conditional(
        Edge("a", "b"), given=Edge("c", "b") | Path("a", "c")
    ),
    "edges given a -> b": Conditional(NumberOfEdges(), Edge("a", "b")),
    "'blood pressure' -> \"and\"": Edge("blood pressure", "and"),
    r'"say \"so\"" -> "x-1"': Edge('say "so"', "x-1"),
    "é.2 -> 7": Edge("é.2", "7"),
}


@pytest.mark.parametrize("text", MEANINGS)
def test_what_text_means(text: str) -> None:
    assert parse(text, NAMES) == MEANINGS[text]


@st.composite
def different(draw: st.DrawFn, count: int) -> list[str]:
    return draw(st.lists(st.sampled_from(NAMES), min_size=count, max_size=count, unique=True))


@st.composite
def single_features(draw: st.DrawFn) -> Feature:
    a, b, c = draw(different(3))
    return draw(
        st.sampled_from(
            [
                Edge(a, b),
                SkeletonEdge(a, b),
                Path(a, b, draw(st.none() | st.integers(1, 99))),
                InBlanket(a, b),
                Blanket(a, [b, c]),
                VStructure(a, b, c),
                CpdagEdge(a, b, draw(st.booleans())),
                ParentSet(a, [b, c][: draw(st.integers(0, 2))]),
                Comparison(
                    NumberOfEdges(),
                    draw(st.sampled_from(["<", "<=", ">", ">=", "=", "!="])),
                    draw(st.integers(-5, 2000) | st.sampled_from([0.5, 1e-5, 1e20])),
                ),
            ]
        )
    )


events = st.recursive(
    single_features(),
    lambda inner: st.one_of(
        inner.map(Not),
        st.tuples(inner, inner).map(lambda pair: pair[0] & pair[1]),
        st.tuples(inner, inner).map(lambda pair: pair[0] | pair[1]),
    ),
    max_leaves=8,
)


@settings(deadline=None)
@given(events)
def test_reading_what_was_written(feature: Feature) -> None:
    assert parse(str(feature), NAMES) == feature


@settings(deadline=None)
@given(events | st.just(NumberOfEdges()), events)
def test_reading_conditions_that_were_written(feature: Feature, condition: Feature) -> None:
    asked = Conditional(feature, condition)
    assert parse(str(asked), NAMES) == asked


@settings(deadline=None)
@given(st.text(alphabet='ab ->~<{}()=&|!,:"\\andgivenedges5', max_size=30))
def test_any_text_is_read_or_refused_with_a_place(text: str) -> None:
    said = ""
    try:
        feature = parse(text, NAMES)
    except ArgumentError as error:
        said = str(error)
    if said:
        assert " has an error at character " in said
        assert "; " in said
    else:
        assert parse(str(feature), NAMES) == feature


REFUSED = {
    "a -> bb": r"character 6: it names 'bb' \(did you mean 'b'\?\); the variables are",
    "": "character 1: a name is missing before the end; add a name",
    "a ->": "character 5: a name is missing before the end",
    "a -> and": "character 6: a name is missing before 'and'; add a name, and quote it",
    "a b": "character 3: there is no arrow after 'a'; write an edge as",
    "a -> b c": "character 8: unexpected 'c'; combine features by",
    "(a -> b": r"character 8: '\)' is missing before the end; add it",
    "a -> a": "character 1: an edge names 'a' twice; give different variables",
    "b -> c and a ~> a": "character 12: a path names 'a' twice",
    "a ~>{0} b": "character 1: max_length is 0; give a whole number, 1 or more",
    "parents a = {b}": r"character 9: '\(' is missing before 'a'; add it",
    "parents(a) {b}": "character 12: '=' is missing before '{'; add it",
    "parents(a) = {b c}": "character 17: ',' is missing before 'c'; add it",
    "parents(a) = {a}": "character 1: a parent set names 'a' twice",
    "blanket(a) b": "character 12: 'has' is missing before 'b'; add it",
    "cpdag: a ~> b": "character 10: an edge of a CPDAG is '->', '<-' or '--'; give one of these",
    "cpdag a -> b": "character 7: ':' is missing before 'a'; add it",
    "edges >= b": "character 10: 'b' is not a number; compare with one",
    "edges and a -> b": "character 1: 'edges' is a number, not an event; compare it",
    "a -> b given edges": "character 14: 'edges' is a number, not an event",
    "not edges": "character 5: 'edges' is a number, not an event",
    "a -> b <- c -> a": "character 3: a v-structure has three names; combine the edges of longer",
    "a -> b given b -> c given c -> a": "character 21: unexpected 'given'",
    "a -> $b": r"character 6: unexpected '\$'; write an edge as 'a -> b' or 'a -- b', and",
    "a -> 'b": 'character 6: unexpected "\'"',
}


@pytest.mark.parametrize("text", REFUSED)
def test_refusals_say_where_and_why(text: str) -> None:
    with pytest.raises(ArgumentError, match=r"^the feature .* has an error at " + REFUSED[text]):
        parse(text, NAMES)


def test_no_text() -> None:
    with pytest.raises(ArgumentError, match=r"^text is 3; give a string such as 'a -> b'"):
        parse(3, NAMES)  # type: ignore[arg-type]


@pytest.mark.parametrize("nested", ["(", "not ", "!"])
def test_deep_nesting_is_refused_in_a_sentence(nested: str) -> None:
    with pytest.raises(ArgumentError, match="more than 100 parentheses and negations") as refusal:
        parse(nested * 20_000 + "a -> b", ["a", "b"])
    assert len(str(refusal.value)) < 500
    assert str(parse("not " * 90 + "a -> b", ["a", "b"])).endswith("not a -> b")


def test_long_texts_are_shown_around_the_error() -> None:
    text = "a -> b and " * 2_000 + "a => b"
    with pytest.raises(ArgumentError, match="at character 22003") as refusal:
        parse(text, ["a", "b"])
    assert "a => b" in str(refusal.value)
    assert len(str(refusal.value)) < 600
    with pytest.raises(ArgumentError, match="has 110,000 characters; give at most 100,000"):
        parse("a -> b and " * 10_000, ["a", "b"])
