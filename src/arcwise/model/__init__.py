"""The model: a local score and a structure prior on the same families."""

from arcwise.model.candidates import Candidates
from arcwise.model.model import Model, Modularity, as_modularity, ask, checked_model, model_of
from arcwise.model.question import Definition, Question
from arcwise.model.score_sums import ScoreSums
from arcwise.model.scoring import score

__all__ = [
    "Candidates",
    "Definition",
    "Model",
    "Modularity",
    "Question",
    "ScoreSums",
    "as_modularity",
    "ask",
    "checked_model",
    "model_of",
    "score",
]
