"""`Provenance`: the description of the model and the data behind a result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from arcwise.data.profile import DataProfile
from arcwise.support.descriptions import Description
from arcwise.support.plain_dataclasses import PlainDataclasses


@dataclass(frozen=True)
class Provenance:
    """The model and the data behind a result; None where unknown.

    Parameters
    ----------
    version
        The version of arcwise.
    score, prior
        The score and the structure prior.
    constraints
        The constraints, as `Model` takes them.
    candidates
        The candidate parents of each variable; None if they exclude no parent.
    plus_one
        Whether a parent set may have one parent that is not a candidate.
    families
        The number of parent sets that were scored.
    rows, data_fingerprint
        The number of rows of the data, and their fingerprint.
    data
        What is to be known about the data to judge a result.
    data_name
        The name of the file the data were read from, without its folder.
    modelled_fingerprint
        The fingerprint of the variables that have parents, if others are conditioned on: the
        evidence is theirs alone. None if all variables are modelled.

    Examples
    --------
    >>> import arcwise
    >>> provenance = arcwise.Model({"a": [0, 1, 1], "b": [1, 0, 1]}).provenance()
    >>> provenance.rows, provenance.score.name
    (3, 'BDeu')
    """

    version: str | None = None
    score: Description | None = None
    prior: Description | None = None
    constraints: Mapping[str, Any] = field(default_factory=dict)
    candidates: Mapping[str, tuple[str, ...]] | None = None
    plus_one: bool = False
    families: int | None = None
    rows: int | None = None
    data_fingerprint: str | None = None
    data: DataProfile | None = None
    data_name: str | None = None
    modelled_fingerprint: str | None = None

    def __post_init__(self) -> None:
        """Refuse numbers that only a damaged file can hold."""
        if (self.rows is not None and self.rows < 1) or (self.families or 0) < 0:
            raise ValueError(f"{self.rows} rows and {self.families} families")

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, with score and prior as text."""
        profile = PlainDataclasses().write(self.data)
        return {
            "arcwise": self.version,
            "score": None if self.score is None else self.score.text,
            "prior": None if self.prior is None else self.prior.text,
            "constraints": dict(self.constraints),
            "candidates": None
            if self.candidates is None
            else {node: list(parents) for node, parents in self.candidates.items()},
            "plus_one": self.plus_one,
            "families": self.families,
            "rows": self.rows,
            "data_fingerprint": self.data_fingerprint,
            **({} if profile is None else {"data": profile}),
            "data_name": self.data_name,
            **(
                {}
                if self.modelled_fingerprint is None
                else {"modelled_fingerprint": self.modelled_fingerprint}
            ),
        }
