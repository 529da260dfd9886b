"""`parse`: features written as text, such as ``"smoke ~> dysp and not smoke -> dysp"``.

===============================  ===================================================
``a -> b``, ``a <- b``           an edge
``a -- b``                       an edge in either direction
``a ~> b``, ``a <~ b``           a directed path; ``a ~>{2} b`` of at most two edges
``a -> b ~> c``                  every link of a chain
``a -> c <- b``                  a v-structure: a and b are not adjacent
``parents(a) = {b, c}``          exactly these parents; ``{}`` for none
``blanket(a) has b``             b is in the Markov blanket of a
``blanket(a) = {b, c}``          exactly this Markov blanket
``cpdag: a -> b``                a directed (compelled) edge of the CPDAG
``cpdag: a -- b``                an undirected (reversible) edge of the CPDAG
``edges``, ``edges >= 5``        the number of edges, or a comparison with a number
``and`` ``&``, ``or`` ``|``      both, at least one; ``and`` binds tighter
``not`` ``!``                    negation; binds tightest
``( )``                          grouping
``f given g``                    f conditional on g; binds loosest
===============================  ===================================================

The symbols → ← ⇝ ⇜ – ≤ ≥ ≠ mean the same as -> <- ~> <~ -- <= >= !=.

Names that are keywords, or contain characters other than letters, digits, underscores and dots,
must be quoted: ``"blood pressure" -> stroke``. Variables of a time series are written with their
time, ``x(t-1) -> y(t)``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, NoReturn, TypeVar

from arcwise.errors import ArgumentError
from arcwise.features.edges import (
    Blanket,
    CpdagEdge,
    Edge,
    InBlanket,
    NumberOfEdges,
    ParentSet,
    Path,
    SkeletonEdge,
    VStructure,
)
from arcwise.features.feature import (
    KEYWORDS,
    And,
    Comparison,
    Conditional,
    Feature,
    FunctionOfDag,
    Not,
    Or,
    all_of,
    checked_event,
)
from arcwise.graphs.dag import Dag
from arcwise.support.names import TIME_SUFFIX, canonical_name, checked_variables, positions, shown

_LONGEST = 100_000  # characters of a feature
_SHOWN = 200  # characters of it in a message
_DEEPEST = 100  # nested parentheses and negations

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<arrow>->|<-|--|[→←–—]|(?:~>|<~|[⇝⇜])(?:\s*\{\s*\d{1,9}\s*\})?)
    | (?P<compare><=|>=|!=|==|=|<|>|[≤≥≠])
    | (?P<sign>[&|!(){},:])
    | (?P<quoted>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    | (?P<number>[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?(?![\w.]))
    | (?P<word>\w[\w.]*)
    )""",
    re.VERBOSE,
)
_TIME = re.compile(rf"\s?{TIME_SUFFIX}")
_OPERATORS = {"&": "and", "|": "or", "!": "not"}
_NAMES = ("name", "number", "word")
_REVERSED = {"<-": "->", "<~": "~>"}
# From printed to typed symbols.
_TYPED = str.maketrans(
    {"→": "->", "←": "<-", "⇝": "~>", "⇜": "<~", "–": "--", "—": "--"}
    | {"≤": "<=", "≥": ">=", "≠": "!="}
)

Made = TypeVar("Made")


class _Token(NamedTuple):
    kind: str  # arrow, compare, sign, name, number, word, keyword or end
    text: str
    place: int


def parse(text: str, variables: Sequence[str]) -> Feature | Conditional:
    """Return the feature that a text describes.

    Features are ``a -> b`` (an edge), ``a ~> b`` (a directed path), ``a -- b``,
    ``a -> c <- b``, ``parents(a) = {b, c}``, ``blanket(a) has b``, ``cpdag: a -> b`` and
    ``edges >= 5``, combined by ``and``, ``or``, ``not`` and ``given``;
    `arcwise.features.grammar` has the full list.

    Parameters
    ----------
    text
        The text.
    variables
        The names of the variables.

    Raises
    ------
    ArgumentError
        If the text cannot be parsed, with the position and the reason.

    Examples
    --------
    >>> parse("a ~>{2} c and not (a -> c)", ["a", "b", "c"])
    And(parts=(Path(source='a', target='c', max_length=2), Not(feature=Edge(source='a',
    target='c'))))
    >>> str(parse("a -> c given a -> b | b -> a", ["a", "b", "c"]))
    'a -> c given a -> b or b -> a'
    """
    if not isinstance(text, str):
        raise ArgumentError(f"text is {shown(text)}; give a string such as 'a -> b'")
    if len(text) > _LONGEST:
        raise ArgumentError(
            f"the feature has {len(text):,} characters; give at most {_LONGEST:,}, or features as "
            "objects of arcwise.features"
        )
    return _Parser(text, checked_variables(variables)).read()


class _Parser:
    """A recursive-descent parser with one method for each rule of the grammar."""

    def __init__(self, text: str, variables: tuple[str, ...]) -> None:
        self.text = text
        self.variables = variables
        self.tokens = self._tokens()
        self.at = 0
        self.depth = 0

    def _tokens(self) -> list[_Token]:
        tokens = []
        end = len(self.text.rstrip())
        place = 0
        while place < end:
            found = _TOKEN.match(self.text, place)
            if found is None:
                start = place + len(self.text[place:]) - len(self.text[place:].lstrip())
                self.refuse(
                    start,
                    f"unexpected {self.text[start]!r}",
                    "write an edge as 'a -> b' or 'a -- b', and put names with special characters "
                    "in quotes",
                )
            kind = str(found.lastgroup)
            value, start = found.group(kind), found.start(kind)
            place = found.end()
            if kind == "quoted":
                kind, value = "name", re.sub(r"\\(.)", r"\1", value[1:-1], flags=re.DOTALL)
            elif kind in ("arrow", "compare"):
                value = value.translate(_TYPED)
            elif value in _OPERATORS:
                kind, value = "keyword", _OPERATORS[value]
            elif kind == "word" and value in KEYWORDS:
                kind = "keyword"
            if kind in _NAMES:
                time = _TIME.match(self.text, place)
                joined = value if time is None else canonical_name(value + time[0])
                if time is not None and (joined in self.variables or value not in self.variables):
                    kind, value, place = "name", joined, time.end()
            tokens.append(_Token(kind, value, start))
        return [*tokens, _Token("end", "the end", end)]

    def refuse(self, place: int, problem: str, remedy: str) -> NoReturn:
        raise ArgumentError(
            f"the feature {self._excerpt(place)} has an error at character {place + 1}: {problem}; "
            f"{remedy}"
        )

    def _excerpt(self, place: int) -> str:
        """Return the text, or the part around a position if it is long."""
        if len(self.text) <= _SHOWN:
            return repr(self.text)
        first = max(0, min(place - _SHOWN // 2, len(self.text) - _SHOWN))
        last = first + _SHOWN
        before, after = "..." if first else "", "..." if last < len(self.text) else ""
        return repr(f"{before}{self.text[first:last]}{after}")

    @property
    def next(self) -> _Token:
        return self.tokens[self.at]

    def take(self) -> _Token:
        token = self.next
        self.at += 1
        return token

    def take_if(self, kind: str, *texts: str) -> bool:
        found = self.next.kind == kind and self.next.text in texts
        self.at += found
        return found

    def expect(self, kind: str, *texts: str) -> None:
        if not self.take_if(kind, *texts):
            problem = f"{texts[0]!r} is missing before {self._next_in_words()}"
            self.refuse(self.next.place, problem, "add it")

    def _next_in_words(self) -> str:
        return "the end" if self.next.kind == "end" else shown(self.next.text)

    def read(self) -> Feature | Conditional:
        feature = self.alternatives()
        result: Feature | Conditional = feature
        if self.take_if("keyword", "given"):
            start = self.next.place
            result = Conditional(feature, self.event(self.alternatives(), start))
        if self.next.kind != "end":
            self.refuse(
                self.next.place,
                f"unexpected {self._next_in_words()}",
                "combine features by 'and', 'or' or 'given'",
            )
        return result

    def event(self, feature: Feature, start: int) -> Feature:
        if not feature.is_event:
            self.refuse(
                start, f"'{feature}' is a number, not an event", "compare it, as in 'edges >= 5'"
            )
        return feature

    def alternatives(self) -> Feature:
        return self._joined("or", self.all_of)

    def all_of(self) -> Feature:
        return self._joined("and", self.single)

    def _joined(self, word: str, inner: Callable[[], Feature]) -> Feature:
        start = self.next.place
        parts = [inner()]
        while self.take_if("keyword", word):
            self.event(parts[-1], start)
            start = self.next.place
            parts.append(self.event(inner(), start))
        if len(parts) == 1:
            return parts[0]
        return Or(tuple(parts)) if word == "or" else And(tuple(parts))

    def single(self) -> Feature:
        if self.depth > _DEEPEST:
            self.refuse(
                self.next.place,
                f"more than {_DEEPEST} parentheses and negations are nested",
                "write it with fewer",
            )
        self.depth += 1
        try:
            return self._single()
        finally:
            self.depth -= 1

    def _single(self) -> Feature:
        if self.take_if("keyword", "not"):
            start = self.next.place
            return Not(self.event(self.single(), start))
        if self.take_if("sign", "("):
            inside = self.alternatives()
            self.expect("sign", ")")
            return inside
        token = self.next
        readers = {
            "edges": self.number_of_edges,
            "parents": self.parent_set,
            "blanket": self.blanket,
            "cpdag": self.cpdag_edge,
        }
        if token.kind == "keyword" and token.text in readers:
            self.take()
            return readers[token.text]()
        return self.chain()

    def name(self) -> str:
        token = self.take()
        if token.kind not in _NAMES:
            self.at -= 1
            self.refuse(
                token.place,
                f"a name is missing before {self._next_in_words()}",
                "add a name, and quote it if it is a keyword",
            )
        if token.text not in self.variables:
            self._made(token.place, lambda: positions([token.text], self.variables, "it"))
        return token.text

    def number_of_edges(self) -> Feature:
        if self.next.kind != "compare":
            return NumberOfEdges()
        sign = self.take().text.replace("==", "=")
        token = self.take()
        try:
            return Comparison(NumberOfEdges(), sign, float(token.text))
        except ValueError:
            self.refuse(token.place, f"{shown(token.text)} is not a number", "compare with one")

    def parent_set(self) -> Feature:
        start = self.tokens[self.at - 1].place
        node = self._node_in_parentheses()
        self.expect("compare", "=", "==")
        return self._made(start, lambda: ParentSet(node, self._names_in_braces()))

    def blanket(self) -> Feature:
        start = self.tokens[self.at - 1].place
        node = self._node_in_parentheses()
        if self.take_if("keyword", "has"):
            return self._made(start, lambda: InBlanket(node, self.name()))
        if not self.take_if("compare", "=", "=="):
            self.expect("keyword", "has")
        return self._made(start, lambda: Blanket(node, self._names_in_braces()))

    def _node_in_parentheses(self) -> str:
        self.expect("sign", "(")
        node = self.name()
        self.expect("sign", ")")
        return node

    def _names_in_braces(self) -> list[str]:
        self.expect("sign", "{")
        names: list[str] = []
        while not self.take_if("sign", "}"):
            if names:
                self.expect("sign", ",")
            names.append(self.name())
        return names

    def cpdag_edge(self) -> Feature:
        self.expect("sign", ":")
        start = self.next.place
        first = self.name()
        token = self.take()
        if token.kind != "arrow" or token.text not in ("->", "<-", "--"):
            self.refuse(
                token.place, "an edge of a CPDAG is '->', '<-' or '--'", "give one of these"
            )
        second = self.name()
        if token.text == "<-":
            first, second = second, first
        return self._made(start, lambda: CpdagEdge(first, second, token.text != "--"))

    def chain(self) -> Feature:
        start = self.next.place
        names, arrows = [self.name()], []
        while self.next.kind == "arrow":
            arrows.append(self.take())
            names.append(self.name())
        if not arrows:
            self.refuse(
                self.next.place,
                f"there is no arrow after {shown(names[0])}",
                "write an edge as 'a -> b' or a path as 'a ~> b'",
            )
        signs = [arrow.text for arrow in arrows]
        if signs == ["->", "<-"]:
            return self._made(start, lambda: VStructure(*names))
        for before, after in pairwise(arrows):
            if (before.text, after.text) == ("->", "<-"):
                self.refuse(
                    before.place,
                    "a v-structure has three names",
                    "combine the edges of longer ones by 'and'",
                )
        links = zip(names, signs, names[1:], strict=False)
        return self._made(start, lambda: all_of([_link(*link) for link in links]))

    def _made(self, start: int, make: Callable[[], Made]) -> Made:
        """Return the result of `make`, adding the position to its errors."""
        try:
            return make()
        except ArgumentError as error:
            if str(error).startswith("the feature "):
                raise
            problem, _, remedy = str(error).partition("; ")
            self.refuse(start, problem, remedy)


def _link(first: str, sign: str, second: str) -> Feature:
    """Return the feature for one arrow between two names."""
    arrow, _, rest = sign.replace(" ", "").partition("{")
    if arrow in _REVERSED:
        first, second, arrow = second, first, _REVERSED[arrow]
    if arrow == "->":
        return Edge(first, second)
    if arrow == "--":
        return SkeletonEdge(first, second)
    return Path(first, second, int(rest.rstrip("}")) if rest else None)


AnyFeature = str | tuple[str, str] | Feature | Conditional | Callable[[Dag], float | bool]
"""Text, an edge (source, target), a feature, or a function of a DAG."""


def as_feature(
    feature: AnyFeature, variables: Sequence[str], given: AnyFeature | None = None
) -> Feature | Conditional:
    """Return a feature from any accepted form, conditional on an event if one is given.

    Parameters
    ----------
    feature
        Text for `parse`, a pair (source, target) for an edge, a feature, or a
        function of a `Dag` that returns a boolean or a number.
    variables
        The names of the variables.
    given
        The event to condition on, in one of the same forms, or None. If `feature` is already
        conditional, both conditions must hold.

    Examples
    --------
    >>> str(as_feature(("a", "b"), ["a", "b", "c"], given="b ~> c"))
    'a -> b given b ~> c'
    """
    result = _read_feature(feature, variables)
    if given is None:
        return result
    condition = _read_feature(given, variables)
    if isinstance(condition, Conditional):
        raise ArgumentError(f"given is '{condition}', which is itself conditional; give an event")
    if isinstance(condition, FunctionOfDag):
        condition = FunctionOfDag(condition.function, is_event=True)
    if isinstance(result, Conditional):
        return Conditional(result.feature, result.given & condition)
    return Conditional(result, checked_event(condition))


def _read_feature(feature: Any, variables: Sequence[str]) -> Feature | Conditional:
    if isinstance(feature, str):
        return parse(feature, variables)
    if isinstance(feature, Conditional):
        feature.feature.refuse_unknown(variables)
        feature.given.refuse_unknown(variables)
        return feature
    if isinstance(feature, Feature):
        feature.refuse_unknown(variables)
        return feature
    if callable(feature):
        return FunctionOfDag(feature)
    if isinstance(feature, tuple | list) and len(feature) == 2:
        edge = Edge(*feature)
        edge.refuse_unknown(variables)
        return edge
    raise ArgumentError(
        f"feature is {shown(feature)}; give text such as 'a ~> b', a pair (source, target), "
        "a feature, or a function of a Dag"
    )
