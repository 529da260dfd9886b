"""Draw the moves of each space as small SVG files next to this one: ``python draw.py``."""

from __future__ import annotations

from pathlib import Path

INK, LIGHT, CHANGED, FILL = "#333", "#999", "#c2410c", "#ffedd5"
RADIUS = 13


class Picture:
    """The shapes of a picture, and its size."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.shapes: list[str] = []

    def node(self, x: float, y: float, name: str, changed: bool = False) -> None:
        """Add a variable."""
        ink, fill = (CHANGED, FILL) if changed else (INK, "#fff")
        self.shapes.append(
            f'<circle cx="{x}" cy="{y}" r="{RADIUS}" fill="{fill}" stroke="{ink}" '
            'stroke-width="1.5"/>'
            f'<text x="{x}" y="{y + 4.5}" text-anchor="middle">{name}</text>'
        )

    def box(self, x: float, y: float, width: float, height: float, changed: bool = False) -> None:
        """Add a bucket, part or layer."""
        ink = CHANGED if changed else LIGHT
        self.shapes.append(
            f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="8" fill="#f5f5f4" '
            f'stroke="{ink}" stroke-width="1.2"/>'
        )

    def words(self, x: float, y: float, text: str, anchor: str = "middle") -> None:
        """Add a label."""
        self.shapes.append(
            f'<text x="{x}" y="{y}" text-anchor="{anchor}" class="label">{text}</text>'
        )

    def becomes(self, x: float, y: float) -> None:
        """Add the arrow between the states before and after a move."""
        self.shapes.append(
            f'<path d="M{x} {y}h22m-6 -5l6 5l-6 5" fill="none" stroke="{INK}" stroke-width="1.8"/>'
        )

    def edge(
        self, x1: float, y1: float, x2: float, y2: float, changed: bool = False, gone: bool = False
    ) -> None:
        """Add an arrow between the rims of two nodes."""
        dx, dy = x2 - x1, y2 - y1
        length = (dx * dx + dy * dy) ** 0.5
        ux, uy = dx / length, dy / length
        x1, y1 = x1 + ux * RADIUS, y1 + uy * RADIUS
        x2, y2 = x2 - ux * (RADIUS + 1), y2 - uy * (RADIUS + 1)
        ink = CHANGED if changed else INK
        dashes = ' stroke-dasharray="3 3"' if gone else ""
        head = (
            f"M{x2 - ux * 7 - uy * 4:.1f} {y2 - uy * 7 + ux * 4:.1f}L{x2:.1f} {y2:.1f}"
            f"L{x2 - ux * 7 + uy * 4:.1f} {y2 - uy * 7 - ux * 4:.1f}"
        )
        self.shapes.append(
            f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" fill="none" stroke="{ink}" '
            f'stroke-width="1.5"{dashes}/><path d="{head}" fill="none" stroke="{ink}" '
            'stroke-width="1.5"/>'
        )

    def save(self, name: str) -> None:
        """Write the file."""
        body = "\n".join(self.shapes)
        text = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
            f'width="{self.width}" height="{self.height}" font-family="sans-serif" font-size="13">'
            "<style>.label{font-size:11.5px;fill:#555}</style>"
            f'<rect width="100%" height="100%" fill="#fff" rx="8"/>\n{body}\n</svg>\n'
        )
        (Path(__file__).parent / f"{name}.svg").write_text(text)


def row(picture: Picture, x: float, y: float, names: str, changed: str = "") -> float:
    """Draw an order from left to right and return its right end."""
    for name in names:
        picture.node(x, y, name, name in changed)
        x += 34
    return x


def boxes(
    picture: Picture, x: float, y: float, parts: list[str], changed: str = "", marked: str = ""
) -> float:
    """Draw parts from left to right, the variables of a part in a column."""
    for part in parts:
        height = 32 * len(part) + 6
        top = y - height / 2
        picture.box(x, top, 38, height, changed=part in marked.split("|"))
        for place, name in enumerate(part):
            picture.node(x + 19, top + 19 + 32 * place, name, name in changed)
        x += 46
    return x


def before_and_after(
    name: str, rows: list[tuple[str, list[str], list[str], str]], height: int, order: bool = False
) -> None:
    """Draw moves in a column: label, parts before, parts after, changed variables."""
    picture = Picture(560, height * len(rows) + 10)
    for number, (label, before, after, changed) in enumerate(rows):
        y = height * number + height / 2 + 5
        picture.words(14, y + 4, label, "start")
        if order:
            end = row(picture, 150, y, before[0], changed)
            picture.becomes(end - 8, y)
            row(picture, end + 36, y, after[0], changed)
        else:
            end = boxes(picture, 140, y, before, changed)
            picture.becomes(end + 2, y)
            boxes(picture, end + 36, y, after, changed)
    picture.save(name)


def dag(picture: Picture, x: float, y: float, edges: str, marked: str, gone: str = "") -> None:
    """Draw a DAG over a, b, c, d in a square."""
    places = {"a": (x, y), "b": (x + 62, y), "c": (x, y + 58), "d": (x + 62, y + 58)}
    for pair in edges.split():
        (x1, y1), (x2, y2) = places[pair[0]], places[pair[1]]
        picture.edge(x1, y1, x2, y2, pair in marked.split())
    for pair in gone.split():
        (x1, y1), (x2, y2) = places[pair[0]], places[pair[1]]
        picture.edge(x1, y1, x2, y2, True, True)
    nodes = {letter for pair in marked.split() for letter in pair[1]}
    for letter, (px, py) in places.items():
        picture.node(px, py, letter, letter in nodes)


def dag_moves(name: str, moves: list[tuple[str, str, str, str]]) -> None:
    """Draw moves of DAGs in a column: label, edges before and after, changed edges."""
    picture = Picture(560, 100 * len(moves) + 10)
    for number, (label, before, after, marked) in enumerate(moves):
        y = 100 * number + 27
        picture.words(14, y + 32, label, "start")
        dag(picture, 240, y, before, "")
        picture.becomes(340, y + 29)
        dag(picture, 400, y, after, marked)
    picture.save(name)


def windows() -> None:
    """Draw the window move."""
    picture = Picture(560, 150)
    for x, after in ((160, False), (390, True)):
        places = {
            "a": (x, 30),
            "b": (x + 70, 30),
            "c": (x - 20, 80),
            "d": (x + 50, 75),
            "e": (x + 100, 90),
            "f": (x + 30, 125),
        }
        edges = "ac ad be df cf" if not after else "ac bd de df cf"
        new = "bd de" if after else ""
        for pair in edges.split():
            picture.edge(*places[pair[0]], *places[pair[1]], pair in new.split())
        for letter, place in places.items():
            picture.node(*place, letter, letter in "cde")
    picture.becomes(300, 78)
    picture.words(14, 20, "window: c, d, e", "start")
    picture.save("window")


def by_way_of(
    name: str, label: str, states: list[tuple[list[str] | str, str]], height: int
) -> None:
    """Draw a move through intermediate states: parts, or the edges of a DAG, with its marks."""
    picture = Picture(656, height)
    picture.words(14, 20, label, "start")
    x, y = 16.0, height / 2 + 10
    for number, (state, marked) in enumerate(states):
        if number:
            picture.becomes(x - 4, y)
            x += 26
        if isinstance(state, str):
            dag(picture, x + 14, y - 29, state, marked)
            x += 102
        else:
            x = boxes(picture, x, y, state, marked)
    picture.save(name)


def renumbered() -> None:
    """Draw an order, a DAG of it, another numbering, and its canonical order of the DAG."""
    picture = Picture(640, 130)
    picture.words(14, 18, "renumber", "start")
    end = row(picture, 30, 76, "bacd")
    picture.becomes(end - 10, 76)
    end += 32
    places = {"a": (0, 52), "b": (66, 52), "c": (0, 106), "d": (66, 106)}
    for numbers, changed in (("3124", False), ("1342", True)):
        for first, second in ("ac", "bc", "bd"):
            (x1, y1), (x2, y2) = places[first], places[second]
            picture.edge(end + x1, y1, end + x2, y2)
        for number, (letter, (x, y)) in zip(numbers, places.items(), strict=True):
            picture.node(end + x, y, letter, changed)
            picture.words(end + x + (18 if x else -18), y - 9, number)
        picture.becomes(end + 92, 76)
        end += 140
    row(picture, end - 8, 76, "abdc", "abdc")
    picture.save("renumber")


def ladder() -> None:
    """Draw coupled chains that exchange states with their neighbours."""
    picture = Picture(560, 150)
    for number, label in enumerate(["hot", "warmer", "the posterior"]):
        picture.words(14, 34 + 46 * number, label, "start")
    columns = ["xyz", "xyz", "yxz", "yzx", "yzx"]
    for column, order in enumerate(columns):
        for number, letter in enumerate(order):
            x, y = 160 + 85 * column, 30 + 46 * number
            if column + 1 < len(columns):
                after = 30 + 46 * columns[column + 1].index(letter)
                picture.edge(x, y, x + 85, after, letter == "x")
            picture.node(x, y, letter, letter == "x")
    picture.save("exchanges")


def canonical() -> None:
    """Draw a DAG with its canonical order among its topological orders."""
    picture = Picture(560, 120)
    places = {"3": (50, 30), "1": (120, 30), "2": (85, 90), "4": (155, 90)}
    for pair in ("32", "14", "12"):
        picture.edge(*places[pair[0]], *places[pair[1]])
    for letter, place in places.items():
        picture.node(*place, letter)
    for number, order in enumerate(["1324", "1342", "1432", "3124", "3142"]):
        x, y = 230 + 165 * (number % 2), 22 + 36 * (number // 2)
        smallest = order == "1324"
        row(picture, x, y, order, order if smallest else "")
    picture.save("canonical")


if __name__ == "__main__":
    before_and_after(
        "linear-orders",
        [
            ("swap", ["abcde"], ["adcbe"], "bd"),
            ("adjacent", ["abcde"], ["abdce"], "cd"),
            ("relocate", ["abcde"], ["bcdae"], "a"),
        ],
        40,
        order=True,
    )
    before_and_after(
        "bucket-orders",
        [("swap", ["abc", "def"], ["aec", "dbf"], "be")],
        112,
    )
    before_and_after(
        "partitions",
        [
            ("split or join: split", ["a", "bcd", "e"], ["a", "b", "cd", "e"], "b"),
            ("split or join: join", ["a", "b", "cd", "e"], ["ab", "cd", "e"], "ab"),
            ("swap adjacent", ["ab", "cd", "e"], ["ac", "bd", "e"], "bc"),
            ("swap", ["ab", "cd", "e"], ["eb", "cd", "a"], "ae"),
            ("relocate", ["ab", "cd", "e"], ["ab", "c", "de"], "d"),
        ],
        110,
    )
    by_way_of(
        "partitions-reverse-edge",
        "reverse edge",
        [(["a", "b", "cd"], ""), ("ab bc bd", ""), ("ba bc bd", "ba"), (["b", "acd"], "ab")],
        140,
    )
    before_and_after(
        "layerings",
        [("merge small parts", ["a", "b", "cd", "e"], ["ab", "cde"], "")],
        112,
    )
    before_and_after(
        "layerings-moves",
        [
            ("relocate", ["abc", "de"], ["ab", "cde"], "c"),
            ("swap adjacent", ["abc", "def", "g"], ["adc", "bef", "g"], "bd"),
            ("swap", ["abc", "def", "g"], ["gbc", "def", "a"], "ag"),
        ],
        112,
    )
    by_way_of(
        "layerings-re-partition",
        "re-partition",
        [
            (["abc", "de"], ""),
            (["ab", "c", "d", "e"], ""),
            (["ab", "d", "c", "e"], "cd"),
            (["abd", "ce"], "cd"),
        ],
        150,
    )
    dag_moves(
        "dags",
        [
            ("add or delete", "ab ac cd", "ab ac cd bd", "bd"),
            ("reverse", "ab ac cd", "ab ac dc", "dc"),
            ("reverse path", "ab ac bd", "ba ac db", "ba db"),
            ("redraw parents", "ab ac cd", "ab ac ad bd", "ad bd"),
            ("reverse and redraw", "ab db ac", "ba da ac", "ba da"),
        ],
    )
    dag_moves(
        "dags-on-request",
        [
            ("class jump", "ab ac bd", "ba ac bd", "ba"),
            ("Markov blanket, of b", "ab bd cd", "cb bd ad", "cb ad"),
        ],
    )
    windows()
    canonical()
    renumbered()
    ladder()
