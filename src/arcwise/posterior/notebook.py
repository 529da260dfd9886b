"""What a notebook shows of a posterior: its reliability first, then the most probable edges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from arcwise.support.html import card, facts, paragraphs, share, table
from arcwise.support.words import plural

if TYPE_CHECKING:
    from arcwise.posterior.posterior import Posterior

_MOST_PAIRS = 15


def posterior_html(posterior: Posterior) -> str:
    """Return the posterior as HTML."""
    account = posterior.account
    found = posterior.diagnose() if account is None else None
    verdict = account.verdict if account is not None else found.verdict if found else None
    reasons = account.trust if account is not None else found.sentences if found else ()
    provenance, evidence = posterior.provenance, posterior.evidence
    about = {
        "reliability": verdict,
        "algorithm": posterior.algorithm,
        "posterior": posterior.modularity,
        "score": provenance.score and provenance.score.text,
        "prior": provenance.prior and provenance.prior.text,
        "rows": provenance.rows,
        "sampled DAGs": None if posterior.dags is None else len(posterior.dags),
        "log evidence": None if evidence is None else f"{evidence.log_evidence:.4f}",
    }
    variables = plural(len(posterior.variables), "variable")
    return card(
        f"Posterior over the DAGs of {variables}",
        paragraphs(reasons),
        facts(about),
        _pairs(posterior),
    )


def _pairs(posterior: Posterior) -> str:
    """Return the pairs most probably joined by an edge, with the probability of each direction."""
    edges, names = posterior.edges, posterior.variables
    u, v = np.triu_indices(len(names), 1)
    # The two directions exclude each other; their sum exceeds 1 only by rounding.
    either = np.minimum(edges[u, v] + edges[v, u], 1.0)
    order = np.argsort(-either, kind="stable")[:_MOST_PAIRS]
    u, v = u[order], v[order]
    # The more probable direction is read from left to right.
    forth = edges[u, v] >= edges[v, u]
    u, v = np.where(forth, u, v), np.where(forth, v, u)
    return table(
        {
            "from": [names[i] for i in u.tolist()],
            "to": [names[i] for i in v.tolist()],
            "an edge, either way": [share(value) for value in either[order].tolist()],
            "this way →": [f"{value:.3f}" for value in edges[u, v].tolist()],
            "the other way ←": [f"{value:.3f}" for value in edges[v, u].tolist()],
        },
        of=len(names) * (len(names) - 1) // 2,
    )
