"""The model: a local score and a structure prior on the same families."""

from arcwise.model.model import Model, Modularity, as_modularity, ask, checked_model, model_of
from arcwise.model.question import Definition, Question
from arcwise.model.scoring import score

__all__ = [
    "Definition",
    "Model",
    "Modularity",
    "Question",
    "as_modularity",
    "ask",
    "checked_model",
    "model_of",
    "score",
]
