"""Scores families with other Python packages, those of them that are installed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from arcwise.data import Data

FamilyScore = Callable[[int, Sequence[int]], float]


def _frame(data: Data) -> Any:
    """Return the codes as a pandas frame of categories, unobserved levels included."""
    import pandas as pd

    codes = data.discrete_codes("BDeu")
    levels = data.level_counts()
    return pd.DataFrame(
        {
            name: pd.Categorical(codes[:, node], categories=range(int(levels[node])))
            for node, name in enumerate(data.variables)
        }
    )


def pgmpy_bdeu(data: Data) -> FamilyScore | None:
    """Return pgmpy's BDeu of one family."""
    try:
        from pgmpy.structure_score import BDeu
    except ImportError:
        return None
    frame = _frame(data)
    names = {name: list(frame[name].cat.categories) for name in data.variables}
    score = BDeu(frame, equivalent_sample_size=1, state_names=names)
    variables = data.variables
    # The method behind its cache: every family is asked for anew.
    return lambda node, parents: float(
        score._local_score(variables[node], tuple(variables[parent] for parent in parents))
    )


def pygobnilp_bdeu_of_set(data: Data) -> Callable[[Sequence[int]], float] | None:
    """Return pygobnilp's BDeu of one set; it, too, takes the difference of two for a family."""
    try:
        from pygobnilp.scoring import BDeu, DiscreteData
    except ImportError:
        return None
    score = BDeu(DiscreteData(_frame(data)), alpha=1.0)
    variables = data.variables
    return lambda members: float(
        score.bdeu_score_component(tuple(variables[member] for member in members))[0]
    )
