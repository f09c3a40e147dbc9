"""An agent: who is asked for one step, with which template, for what kind of answer."""

from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel

CREATIVE, SYNTHESIS, SUMMARY, REASONING, CLASSIFICATION = 0.75, 0.4, 0.2, 0.1, 0.0
"""Temperatures by kind of work. Source: DESIGN section 8."""


@dataclass(frozen=True)
class Agent:
    """One step of a workflow. A constant: how any of them is asked stands in `steps/asking.py`."""

    name: str
    """The step's name in the journal, such as `"proposer_long"`."""
    prompt: str
    """Its template, such as `"story/book/plan/proposer_long"`."""
    role: str
    """Which model it asks; one of `models.model_name.ROLES`."""
    temperature: float
    context: str
    """The role its context is budgeted for, a key of `Profile.context_budget`."""
    artefact: str = ""
    """The tag under which later steps of the activity see its answer; empty if they do not."""
    output: type[BaseModel] | None = None
    """The shape of its answer; None for text."""
    is_piece: bool = False
    """Its answer is one short piece of a unit's prose; the next goes on from it."""
    is_prose: bool = False
    """Its answer is story text: the language is checked and the length counts."""
    tools: tuple[str, ...] = ()
    """What it may use before it answers, as far as the book has it."""
    folder: Path | None = None
    """Where the templates of the book's blueprint stand, for one that reads them."""

    @property
    def is_researcher(self) -> bool:
        """True if it brings facts from outside the book, and has to say where nothing was searched."""
        return self.role == "researcher"
