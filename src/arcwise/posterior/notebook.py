"""What a notebook shows of a posterior: its reliability first, then the most probable pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arcwise.posterior.adjacencies import adjacencies
from arcwise.records.findings import reliability_html
from arcwise.support.descriptions import in_words
from arcwise.support.html import card, facts, share, table
from arcwise.support.words import plural

if TYPE_CHECKING:
    from arcwise.posterior.posterior import Posterior

_MOST_PAIRS = 15


def posterior_html(posterior: Posterior) -> str:
    """Return the posterior as HTML."""
    diagnosis = posterior.diagnose()
    provenance, evidence = posterior.provenance, posterior.evidence
    about = {
        "algorithm": posterior.algorithm,
        "posterior": posterior.modularity,
        "score": provenance.score and in_words(provenance.score),
        "prior": provenance.prior and in_words(provenance.prior),
        "rows": provenance.rows,
        "sampled DAGs": None if posterior.dags is None else len(posterior.dags),
        "log evidence": None if evidence is None else f"{evidence.log_evidence:.4f}",
    }
    n = len(posterior.variables)
    rows = adjacencies(posterior, most=_MOST_PAIRS)
    pairs: dict[str, list[object]] = {
        "from": [row.source for row in rows],
        "to": [row.target for row in rows],
        "an edge, either way": [share(row.probability) for row in rows],
        "this way →": [f"{row.forward:.3f}" for row in rows],
        "the other way ←": [f"{row.backward:.3f}" for row in rows],
    }
    return card(
        f"Posterior over the DAGs of {plural(n, 'variable')}",
        reliability_html(diagnosis.verdict, diagnosis.data_verdict, diagnosis.findings),
        table(pairs, of=n * (n - 1) // 2),
        facts(about),
    )
