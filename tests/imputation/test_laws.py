"""The chain over DAGs, parameters and cells follows their posterior given what is observed.

States are drawn from the enumerated posterior, and one sweep of the chain from each must leave
their law as it is: independent draws, whose chi-squared test needs no burn-in and no thinning. All
rates of false alarms are those of `support.chi_squared`, one in a million.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from arcwise import _core
from arcwise.data import Data, DiscreteColumn, IncompleteData
from arcwise.families.families import Constraints
from arcwise.imputation import chain as chain_module
from arcwise.imputation import moves, proposals
from arcwise.imputation.cells import CellSampler
from arcwise.imputation.chain import Imputation, ImputationChain
from arcwise.imputation.structure import ChainStructure, ExactStructure, StructureStep
from arcwise.model import Definition, Question
from arcwise.scores import BDeu
from reference.dags import Parents
from reference.imputation import Law, edge_probabilities, joint_law
from reference.scores import bdeu
from support.chi_squared import FALSE_ALARM_RATE, assert_follows, p_value

STRENGTH = 2.0
DRAWS = 700

# Three binary columns; both cells of one row, and one of another, are missing.
VALUES = [[0, 0, 0], [1, 1, 1], [0, 1, 0], [1, 1, 1], [0, 0, 1], [1, 0, 0]]
CELLS = np.full((6, 3), -1)
CELLS[1, 0], CELLS[1, 1], CELLS[4, 2] = 0, 1, 2

# x one step before, x and y at four times: the third and fourth x are missing, and so is a y.
LAGGED = [[0, 1, 1], [1, 1, 0], [1, 0, 1], [0, 0, 0], [0, 1, 1]]
LAGGED_CELLS = np.full((5, 3), -1)
LAGGED_CELLS[1, 1] = LAGGED_CELLS[2, 0] = 0
LAGGED_CELLS[2, 1] = LAGGED_CELLS[3, 0] = 1
LAGGED_CELLS[4, 2] = 2


class Staying(ChainStructure):
    """Leaves DAGs as they are, so that moves alone change them."""

    def __init__(self) -> None:
        super().__init__(steps=1, longer=1, threads=1)

    def next(self, model: Any, dag: np.ndarray, seed: int) -> np.ndarray:
        """Return the DAG as it is."""
        return dag


def _data(
    values: Sequence[Sequence[int]],
    cells: np.ndarray,
    intervened: np.ndarray | None = None,
) -> IncompleteData:
    columns = [
        DiscreteColumn(f"v{place}", np.array([row[place] for row in values]), (0, 1))
        for place in range(len(values[0]))
    ]
    return IncompleteData(Data(columns, None, intervened), cells)


def _law(values: Sequence[Sequence[int]], cells: np.ndarray, **options: Any) -> Law:
    return joint_law(
        values,
        cells.tolist(),
        [2] * len(values[0]),
        lambda rows, node, parents: bdeu(rows, node, parents, STRENGTH),
        lambda dag: 0.0,
        **options,
    )


def _packed(dag: Parents) -> np.ndarray:
    bits = [[sum(1 << parent for parent in parents)] for parents in dag]
    return np.array(bits, dtype=np.uint64)


def _unpacked(packed: np.ndarray) -> Parents:
    n = len(packed)
    return tuple(tuple(u for u in range(n) if int(word[0]) >> u & 1) for word in packed)


def _after_a_sweep(
    data: IncompleteData,
    law: Law,
    structure: StructureStep,
    *,
    parent_only: Sequence[str] = (),
    draws: int = DRAWS,
    anneal: bool = True,
    seen: np.ndarray | None = None,
) -> list[tuple[Parents, tuple[int, ...]]]:
    """Return the states one sweep after draws from the law."""
    rules = Constraints(parent_only=list(parent_only))
    question = Question.of(
        data.table, Definition(BDeu(STRENGTH), prior="uniform", constraints=rules)
    )
    chain = ImputationChain(Imputation(data, question, structure, seed=5, threads=1), anneal=anneal)
    if seen is not None:
        chain.propose(chain.known(seen))
    states = list(law)
    random = np.random.default_rng(7)
    found = []
    for place in random.choice(len(states), size=draws, p=list(law.values())).tolist():
        dag, cells = states[place]
        chain.go_to(np.array(cells, dtype=np.float64), _packed(dag))
        chain.sweep()
        found.append((_unpacked(chain.dag), tuple(int(value) for value in chain.values)))
    return found


@pytest.mark.parametrize("anneal", [True, False])
def test_a_sweep_with_exact_draws_of_dags_leaves_the_posterior_as_it_is(anneal: bool) -> None:
    law = _law(VALUES, CELLS)
    structure = ExactStructure(threads=1)
    found = _after_a_sweep(_data(VALUES, CELLS), law, structure, anneal=anneal)
    assert_follows(found, law)


def test_a_sweep_does_where_parts_of_a_row_are_drawn_in_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(moves, "_MOST_LINES", 2)
    law = _law(VALUES, CELLS)
    assert_follows(_after_a_sweep(_data(VALUES, CELLS), law, Staying()), law)


def test_a_sweep_with_steps_of_a_chain_over_dags_does() -> None:
    law = _law(VALUES, CELLS)
    structure = ChainStructure(steps=3, longer=3, threads=1)
    assert_follows(_after_a_sweep(_data(VALUES, CELLS), law, structure), law)


def test_a_sweep_does_with_interventions() -> None:
    mask = np.zeros((6, 3), dtype=bool)
    mask[1, 2] = mask[4, 0] = mask[0, 1] = True
    law = _law(VALUES, CELLS, intervened=mask.tolist())
    data = _data(VALUES, CELLS, mask)
    assert_follows(_after_a_sweep(data, law, ExactStructure(threads=1)), law)


@pytest.mark.parametrize(
    "structure", [ExactStructure(threads=1), ChainStructure(steps=3, longer=3, threads=1)]
)
def test_a_sweep_does_where_cells_have_copies_in_other_rows(structure: StructureStep) -> None:
    law = _law(LAGGED, LAGGED_CELLS, conditioned=[0])
    found = _after_a_sweep(_data(LAGGED, LAGGED_CELLS), law, structure, parent_only=["v0"])
    assert_follows(found, law)


def test_a_law_of_cells_that_forgets_the_children_is_caught(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(CellSampler, "_families", lambda self, block, places: [places.variable])
    law = _law(VALUES, CELLS)
    found = _after_a_sweep(_data(VALUES, CELLS), law, ExactStructure(threads=1), anneal=False)
    assert p_value(found, law) < FALSE_ALARM_RATE


@pytest.mark.parametrize("steps", [1, 2, 5])
def test_moves_alone_in_any_number_of_steps_leave_the_posterior_as_it_is(
    steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind in (proposals.OtherEdge, proposals.OtherEnd, proposals.TurnedFamily):
        monkeypatch.setattr(kind, "steps", (steps,))
    monkeypatch.setattr(chain_module, "_MOVES_BY_STEPS", 4)
    law = _law(VALUES, CELLS)
    assert_follows(_after_a_sweep(_data(VALUES, CELLS), law, Staying()), law)


# DAGs of a burn-in, some of them several times: of no node all parent sets.
MET = (
    *[((), (0,), (0, 1))] * 6,
    *[((1, 2), (), ())] * 3,
    *[((), (), ())] * 2,
    ((1,), (), (1,)),
)


def _seen(dags: Sequence[Parents]) -> np.ndarray:
    result = np.zeros((len(dags), 3, 3))
    for place, dag in enumerate(dags):
        for node, parents in enumerate(dag):
            result[place, list(parents), node] = 1.0
    return result


def _only(monkeypatch: pytest.MonkeyPatch, kind: type, moves: int) -> None:
    """Leave one kind of what is proposed."""

    def chosen(self: ImputationChain, most: int) -> list[proposals.Proposal]:
        found: list[proposals.Proposal] = []
        while len(found) < moves:
            found += [each for each in whole(self, most) if isinstance(each, kind)]
        return found[:moves]

    whole = ImputationChain._chosen_moves
    monkeypatch.setattr(ImputationChain, "_chosen_moves", chosen)


@pytest.mark.parametrize(
    "kind", [proposals.OtherParents, proposals.OtherEdges, proposals.TurnedFamily]
)
def test_moves_to_what_was_met_before_and_families_turned_round_do(
    kind: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    _only(monkeypatch, kind, 6)
    monkeypatch.setattr(kind, "steps", (1, 3))
    law = _law(VALUES, CELLS)
    found = _after_a_sweep(_data(VALUES, CELLS), law, Staying(), seen=_seen(MET))
    assert_follows(found, law)


@pytest.mark.parametrize("kind", [proposals.OtherParents, proposals.OtherEdges])
def test_what_was_met_before_proposed_as_if_the_way_back_were_as_probable_is_caught(
    kind: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    proposed = kind.proposed

    def without_ratio(self: Any, *given: Any) -> proposals.Proposed | None:
        found: proposals.Proposed | None = proposed(self, *given)
        return None if found is None else found._replace(log_ratio=0.0)

    monkeypatch.setattr(kind, "proposed", without_ratio)
    _only(monkeypatch, kind, 20)
    law = _law(VALUES, CELLS)
    met = [((), (), ())] * 4000 + [((1,), (), ()), ((), (2,), ()), ((2,), (), ())]
    found = _after_a_sweep(_data(VALUES, CELLS), law, Staying(), seen=_seen(met))
    assert p_value(found, law) < FALSE_ALARM_RATE


class WithWrongRatio:
    """A chain whose moves are accepted as if new families were somewhat more probable."""

    def __init__(self, *given: Any) -> None:
        self._chain = CHAIN(*given)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._chain, name)

    def move(self, proposed: list[Any], ratio: float, steps: int) -> bool:
        """Propose families, more probable by their number of parents."""
        return self._chain.move(proposed, ratio + 1.5 * sum(len(f[1]) for f in proposed), steps)


CHAIN = _core.CollapsedChain


def test_moves_with_a_wrong_ratio_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_core, "CollapsedChain", WithWrongRatio)
    monkeypatch.setattr(chain_module, "_MOVES_BY_STEPS", 4)
    law = _law(VALUES, CELLS)
    # With as many draws as elsewhere, chance decides whether this little is seen.
    found = _after_a_sweep(_data(VALUES, CELLS), law, Staying(), draws=3 * DRAWS)
    assert p_value(found, law) < FALSE_ALARM_RATE


def test_copies_that_are_forgotten_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = CellSampler.log_laws

    def of_the_first_place(self: CellSampler, block: Any, columns: Any) -> Any:
        return whole(self, type(block)(block.places[-1:], block.levels), columns)

    monkeypatch.setattr(CellSampler, "log_laws", of_the_first_place)
    law = _law(LAGGED, LAGGED_CELLS, conditioned=[0])
    found = _after_a_sweep(
        _data(LAGGED, LAGGED_CELLS),
        law,
        ExactStructure(threads=1),
        parent_only=["v0"],
        anneal=False,
    )
    assert p_value(found, law) < FALSE_ALARM_RATE


@pytest.mark.parametrize(
    "structure", [ExactStructure(threads=1), ChainStructure(steps=10, longer=40, threads=1)]
)
def test_averaged_edge_probabilities_are_those_of_the_mixture_of_completions(
    structure: StructureStep,
) -> None:
    data, law = _data(VALUES, CELLS), _law(VALUES, CELLS)
    question = Question.of(data.table, Definition(BDeu(STRENGTH), prior="uniform"))
    chain = ImputationChain(Imputation(data, question, structure, seed=3, threads=1))
    for _ in range(10):
        chain.sweep()
    kept = [chain.keep(4).structure for _ in range(250)]
    edges = np.array([each.edges for each in kept])
    errors = edges.std(axis=0) / np.sqrt(len(kept) / 4.0)  # autocorrelated, at most so much
    # Six numbers at 4.9 standard errors: a false alarm in a hundred thousand.
    assert (np.abs(edges.mean(axis=0) - edge_probabilities(law)) <= 4.9 * errors + 1e-12).all()
    assert 4.9 * errors.max() < 0.1
