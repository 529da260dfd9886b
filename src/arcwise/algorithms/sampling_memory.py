"""How much memory a sampling run takes, so that one that cannot fit is refused before it starts."""

from __future__ import annotations

from arcwise.errors import CapacityError, option
from arcwise.records.settings import AnnealingSettings, SamplingSettings
from arcwise.support.memory import available_memory
from arcwise.support.words import byte_size, plural

# A chain or particle at one temperature: its state, its random numbers, its counts of moves.
_BYTES_PER_STATE = 3_000
_BYTES_PER_NODE = 100
# Draws that a run directory holds are read back up to this.
_MOST_READ_BACK = 1 << 30
# A run that ends by time or by a rule keeps at least about this many states of each chain.
_DRAWS_OF_OPEN_END = 1_000
# Batches of edge sums of a chain, and of a particle.
_BATCHES = {"chain": 64, "particle": 2}


def refuse_beyond_memory(settings: SamplingSettings, nodes: int, *, kept_on_disk: bool) -> None:
    """Refuse a run whose chains, particles and draws need more memory than is free.

    Parameters
    ----------
    settings
        The settings, with everything resolved that depends on the model.
    nodes
        The number of variables.
    kept_on_disk
        Whether the draws go to a run directory.

    Raises
    ------
    CapacityError
        If so, with the amounts.
    """
    chains, temperatures, draws, unit = _counts(settings, nodes)
    batches = min(draws, _BATCHES[unit])
    of_draws = draws * settings.bytes_per_state(nodes)
    if kept_on_disk:
        of_draws = min(of_draws, _MOST_READ_BACK // chains)
    needed = chains * (
        temperatures * (_BYTES_PER_STATE + _BYTES_PER_NODE * nodes)
        + (0 if settings.weighted else 8 * nodes**2 * batches)
        + of_draws
    )
    free = available_memory()
    if needed <= free:
        return
    heated = f" at {plural(temperatures, 'temperature')}" if temperatures > 1 else ""
    raise CapacityError(
        f"the run would have {plural(chains, unit)}{heated} and keep {plural(draws, 'state')} of "
        f"each, with {plural(settings.dags_per_state, 'DAG')} of a state, which would take about "
        f"{byte_size(needed)} of memory, and {byte_size(free)} are free; lower ",
        option(f"{unit}s"),
        ", ",
        option("steps"),
        " or ",
        option("dags_per_state"),
        ", or raise ",
        option("thinning"),
    )


def _counts(settings: SamplingSettings, nodes: int) -> tuple[int, int, int, str]:
    """Return the chains or particles, their temperatures, the states kept of each, and the unit."""
    if isinstance(settings, AnnealingSettings):
        particles = (settings.limits(None).runs or 1) * settings.states_per_run
        draws = (settings.stretch or 0) // (settings.thinning or 1) + 1
        return particles, 1, draws, "particle"
    tempering, budget = settings.tempering(nodes), settings.budget(None)
    temperatures = tempering.most_temperatures or len(tempering.inverse_temperatures)
    if budget.steps is None:
        return settings.chains, temperatures, _DRAWS_OF_OPEN_END, "chain"
    left = budget.steps - int(budget.steps * budget.discarded)
    return settings.chains, temperatures, left // budget.thinned(left, nodes), "chain"
