"""Bayesian structure discovery: the probability of each edge between the variables.

    data  ->  local score + prior  =  model  ->  space x algorithm  ->  posterior  ->  features

In one call, which makes every choice that is not specified and reports what it chose:

    posterior = arcwise.learn("table.csv")
    print(posterior.estimate("smoke ~> cancer"))
    posterior.report("page.html")

Step by step, by functions with the same names as the sub-commands of the shell:

    data            read, discretize and describe a table (Data); simulate draws one;
                    time_series puts rows in order of time and adds lagged columns
    model           Model, from score, candidates or grow; Constraints
    posterior       exact, or sample by mcmc, mc3, ais or smc, return a Posterior; resume and
                    status are for long runs
    best DAG        map
    evidence        evidence; compare_models
    features        estimate
    parameters      effects and interventional; predict, cross_validate and log_predictive
    graphs          summary_graph: the median DAG, the best DAG, the most probable class
    time            impulse_response, forecast
    reliability     diagnose, compare
    report          report; draw, the network as a picture

and by modules:

    scores          BDeu, BDe, BGe, BIC, scores of mixed tables, functions, precomputed scores
    priors          sparse, uniform, fair, edge probabilities, edge weights, penalties, functions
    spaces          the spaces that samplers move in: orders, partitions, layerings, DAGs
    features        edges, paths, Markov blankets and so on, and their text syntax
    graphs          Dag, Cpdag, distances, linear extensions
    networks        networks with parameters, to draw data from
    dynamics        for time series: edges by lag, the process graph, a network for each step
    engines         where computations run
    cluster         the engine for Dask clusters
    algorithms      exact draws, importance weighting, the posterior given an order
    results         the classes of results
    plots           plots with matplotlib
    exchange        conversion to and from other packages
    estimators      estimators for scikit-learn, by `import arcwise.estimators`
    errors          all errors and warnings

See ``help(arcwise.learn)`` and so on for details.
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from arcwise import _core
from arcwise import algorithms as algorithms
from arcwise import dynamics as dynamics
from arcwise import engines as engines
from arcwise import errors as errors
from arcwise import exchange as exchange  # adds methods to posteriors
from arcwise import features as features
from arcwise import graphs as graphs
from arcwise import networks as networks
from arcwise import plots as plots
from arcwise import priors as priors
from arcwise import results as results
from arcwise import scores as scores
from arcwise import spaces as spaces
from arcwise.algorithms.ais import ais as ais
from arcwise.algorithms.evidence import evidence as evidence
from arcwise.algorithms.exact import exact as exact
from arcwise.algorithms.growth import grow as grow
from arcwise.algorithms.map import map as map
from arcwise.algorithms.mc3 import mc3 as mc3
from arcwise.algorithms.mcmc import mcmc as mcmc
from arcwise.algorithms.sample import sample as sample
from arcwise.algorithms.smc import smc as smc
from arcwise.comparison import compare as compare
from arcwise.comparison import compare_models as compare_models
from arcwise.data import Data as Data
from arcwise.data import describe as describe
from arcwise.data import discretize as discretize
from arcwise.data import read as read
from arcwise.diagnostics.diagnose import diagnose as diagnose
from arcwise.dynamics import forecast as forecast
from arcwise.dynamics import impulse_response as impulse_response
from arcwise.families.families import Constraints as Constraints
from arcwise.graphs import Dag as Dag
from arcwise.learning import cross_validate as cross_validate
from arcwise.learning import learn as learn
from arcwise.learning import resume as resume
from arcwise.model import Model as Model
from arcwise.model import score as score
from arcwise.model.candidates import candidates as candidates
from arcwise.networks import simulate as simulate
from arcwise.parameters.effects import effects as effects
from arcwise.parameters.interventional import interventional as interventional
from arcwise.parameters.predict import log_predictive as log_predictive
from arcwise.parameters.predict import predict as predict
from arcwise.plots.draw import draw as draw
from arcwise.posterior import Posterior as Posterior
from arcwise.posterior.estimation import estimate as estimate
from arcwise.posterior.summary_graphs import summary_graph as summary_graph
from arcwise.report import report as report
from arcwise.runs.status import status as status
from arcwise.series import time_series as time_series

if TYPE_CHECKING:
    from arcwise import cluster as cluster

__version__ = _core.version

# No `__all__`: `help` would list every method of everything in it instead of the page above.
_PUBLIC = (
    *("Constraints", "Dag", "Data", "Model", "Posterior"),
    *(
        "ais",
        "candidates",
        "compare",
        "compare_models",
        "cross_validate",
        "describe",
        "diagnose",
        "discretize",
    ),
    "draw",
    *(
        "effects",
        "estimate",
        "evidence",
        "exact",
        "forecast",
        "grow",
        "impulse_response",
        "interventional",
        "learn",
        "log_predictive",
        "map",
        "mc3",
    ),
    *(
        "mcmc",
        "predict",
        "read",
        "report",
        "resume",
        "sample",
        "score",
        "simulate",
        "smc",
        "status",
    ),
    *("summary_graph", "time_series"),
    *(
        "algorithms",
        "cluster",
        "dynamics",
        "engines",
        "errors",
        "exchange",
        "features",
        "graphs",
        "networks",
    ),
    *("plots", "priors", "results", "scores", "spaces", "__version__"),
)


def __dir__() -> list[str]:
    return sorted(_PUBLIC)


def __getattr__(name: str) -> ModuleType:
    """Import `arcwise.cluster` when it is first used: few need it, and it takes time to import."""
    if name == "cluster":
        return import_module("arcwise.cluster")
    raise AttributeError(f"module 'arcwise' has no attribute {name!r}")
