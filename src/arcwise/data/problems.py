"""`Problems`: all that keeps a table from being used, told in one error."""

from __future__ import annotations

from arcwise.errors import DataError, Wording, worded

SEPARATOR = "\n  - "
"""What precedes each of several problems in a message."""


class Problems:
    """The problems of a table, each a sentence that ends with what mends it.

    Examples
    --------
    >>> problems = Problems()
    >>> problems.add("column 'd' holds dates; give numbers or labels")
    >>> problems.refuse()
    Traceback (most recent call last):
    ...
    arcwise.errors.DataError: column 'd' holds dates; give numbers or labels
    """

    def __init__(self) -> None:
        self.sentences: list[Wording] = []
        self.asides: list[Wording] = []
        self.imputable: list[Wording] = []
        """Those of the sentences about missing values, which `learn` imputes by itself."""

    def __len__(self) -> int:
        return len(self.sentences)

    def add(self, *parts: str | Wording) -> None:
        """Add a problem."""
        self.sentences.append(worded(*parts))

    def add_imputable(self, sentence: Wording) -> None:
        """Add a problem about missing values, which is none to what imputes them."""
        self.sentences.append(sentence)
        self.imputable.append(sentence)

    def add_error(self, error: DataError) -> None:
        """Add the problem that an error is about."""
        self.sentences.append(worded(*error.args))

    def add_aside(self, *parts: str | Wording) -> None:
        """Add what is a problem for most purposes, and told only beside others."""
        self.asides.append(worded(*parts))

    def refuse(self) -> None:
        """Raise one error about all problems, if there are any."""
        if not self.sentences:
            return
        told = [*self.sentences, *self.asides]
        if len(told) == 1:
            raise DataError(told[0])
        parts: list[str | Wording] = ["the table cannot be used as it is:"]
        for sentence in told:
            parts += [SEPARATOR, sentence, "."]
        raise DataError(*parts)
