"""`StoredModel`: the model of a run as a file, so that the run resumes without its data.

The file is an .npz archive with the log weight (score plus prior) of every family, and
what is needed for the normalising constant of the prior. It is identified by a digest of
its contents, which does not depend on when or where it was written.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.constraints import Constraints
from arcwise.errors import FileFormatError
from arcwise.model import Model, Question
from arcwise.model.provenance import Provenance
from arcwise.priors import PriorTerms, Uniform
from arcwise.scores import FamilyScores
from arcwise.scores.family_scores import rule_of, scores_by_rule
from arcwise.support.archives import read_archive, write_archive
from arcwise.support.files import UNREADABLE
from arcwise.support.names import checked_variables
from arcwise.support.plain_dataclasses import PlainDataclasses

Arrays = dict[str, NDArray[Any]]


class StoredModel(Model):
    """A model read from a file, with everything the algorithms need.

    Parameters
    ----------
    arrays
        The contents of the file.
    """

    stored = True

    def __init__(self, arrays: Arrays) -> None:
        header = json.loads(arrays["header"].tobytes().decode())
        self.digest = digest_of(arrays)
        self.variables = checked_variables(header["variables"])
        self.data = None
        self.score = None
        self.prior = Uniform()
        self._provenance: Provenance = PlainDataclasses().read(Provenance, header["provenance"])
        self.weights = _scores(header, arrays, "values")
        self.scores = self.weights
        given = Constraints(parent_only=header.get("parent_only", ()))
        self.question = Question(self.weights, None, constraints=given)
        self.constraints = self.question.constraints
        n = len(self.variables)
        shapes = {"prior_constant": (n,), "prior_size": (n, n), "prior_edge": (n, n)}
        for name, shape in shapes.items():
            if arrays[name].shape != shape or arrays[name].dtype != np.float64:
                raise ValueError(name)
        self.prior_terms = PriorTerms(
            arrays["prior_constant"],
            arrays["prior_size"],
            arrays["prior_edge"],
            (_lost_function,) if header["prior_table"] else (),
        )
        self._prior_weights = (
            _scores(header, arrays, "prior_values") if header["prior_table"] else None
        )

    def prior_weights(self) -> FamilyScores:
        """Return the log prior weight of every family."""
        return super().prior_weights() if self._prior_weights is None else self._prior_weights

    def provenance(self) -> Provenance:
        """Return the provenance of the original model."""
        return self._provenance


def _lost_function(node: str, parents: tuple[str, ...]) -> float:
    raise AssertionError("the prior's function is stored as its values")


def arrays_of(model: Model) -> Arrays:
    """Return a model as arrays."""
    table = model.weights.table
    nodes = range(len(model.variables))
    terms = model.prior_terms
    rule = rule_of(table)
    header = {
        "variables": list(model.variables),
        "provenance": PlainDataclasses().write(model.provenance()),
        **rule,
        "prior_table": bool(terms.functions),
    }
    if model.parent_only:
        header["parent_only"] = list(model.parent_only)
    arrays: Arrays = {
        "header": np.frombuffer(json.dumps(header, sort_keys=True).encode(), dtype=np.uint8),
        "prior_constant": terms.constant,
        "prior_size": terms.size,
        "prior_edge": terms.edge,
    }
    prior = model.prior_weights().table if terms.functions else None
    for node in nodes:
        arrays[f"values_{node}"] = table.values(node)
        if prior is not None:
            arrays[f"prior_values_{node}"] = prior.values(node).copy()
        if rule["listed"]:
            parents, offsets = table.parent_sets(node)
            arrays[f"parents_{node}"], arrays[f"offsets_{node}"] = parents, offsets
    return arrays


def digest_of(arrays: Arrays) -> str:
    """Return the SHA-256 of the arrays, with their names, types and shapes."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        digest.update(json.dumps([name, little.dtype.str, list(array.shape)]).encode())
        digest.update(little.data)
    return digest.hexdigest()


def write_model(arrays: Arrays, path: Path) -> None:
    """Write a model to a file, whole or not at all."""
    write_archive(path, arrays)


def read_model(path: Path, digest: str) -> StoredModel:
    """Read a model with a known digest.

    Raises
    ------
    FileFormatError
        If the file is missing or damaged, or holds another model.
    """
    try:
        arrays = read_archive(path)
        if digest_of(arrays) != digest:
            raise ValueError
        return StoredModel(arrays)
    except UNREADABLE:
        raise FileFormatError(
            f"'{path}' is missing, damaged, or belongs to another run; restore it from a backup, "
            "or start the run again from its data"
        ) from None


def _scores(header: dict[str, Any], arrays: Arrays, name: str) -> FamilyScores:
    nodes = range(len(header["variables"]))
    values = [arrays[f"{name}_{node}"] for node in nodes]
    lists = []
    if header["listed"]:
        lists = [(arrays[f"parents_{node}"], arrays[f"offsets_{node}"]) for node in nodes]
    return scores_by_rule(tuple(header["variables"]), header, values, lists)
