"""The closed answers that steer the walk: verdicts, decisions, experts."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from bookwright.models.frozen import FrozenModel
from bookwright.models.tree.plan import TaskType


class Decision(StrEnum):
    """What a unit does next, as the flow decision agent names it. Source: S3-032 to S3-034."""

    CONTINUE_PLANNING = "DECISION_CONTINUE_PLANNING"
    DIVIDE_HIERARCHY = "DECISION_DIVIDE_HIERARCHY"
    PROCEED_TO_WRITE = "DECISION_PROCEED_TO_WRITE"


class FlowDecision(FrozenModel):
    """The flow decision agent's answer: thought first, verdict last."""

    reasoning: str = ""
    missing_points: tuple[str, ...] = ()
    """What only this level can answer and nobody has, worst first; empty unless going on."""
    decision: Decision


class Verdict(StrEnum):
    """Whether a task is one worker's or is to be cut up."""

    ATOM = "atom"
    COMPLEX = "complex"


class ComplexReason(StrEnum):
    """Why a task is more than one worker's. Source: DETAILS, 003 models."""

    DEPENDENCY_INSUFFICIENT = "dependency_insufficient"
    NEED_SEARCH = "need_search"
    COMPOSITE_GOAL = "composite_goal"
    BROAD_TOPIC = "broad_topic"
    REQUIRES_ANALYSIS = "requires_analysis"
    VAGUE_GOAL = "vague_goal"


class AtomVerdict(FrozenModel):
    """The judge's verdict on one task of a round."""

    task: int = Field(ge=1)
    """The task's number in the list that was put before the judge, from 1."""
    reasoning: str = ""
    complex_reasons: tuple[ComplexReason, ...] = ()
    atom_result: Verdict


class AtomVerdicts(FrozenModel):
    """The judge's answer on a whole round."""

    verdicts: tuple[AtomVerdict, ...] = Field(min_length=1)


class Expert(StrEnum):
    """Who designs at book level. Source: S3-096."""

    STRATEGIST = "strategist"
    HEADWRITER = "headwriter"
    SYSTEM = "system"
    CHARACTER = "character"
    GENERALIST = "generalist"


class Routing(FrozenModel):
    """The router's answer."""

    reasoning: str = ""
    expert: Expert


class Choice(FrozenModel):
    """Which of two drafts goes on: thought first, then what of the other one is worth taking over, the verdict last."""

    reasoning: str = ""
    carry_over: Annotated[tuple[str, ...], Field(max_length=4)] = ()
    """What the draft that is left behind does better, each with the words that do it."""
    better: Literal["A", "B"]


class Questions(FrozenModel):
    """What a unit needs to know from the book so far, each with a name in it."""

    questions: tuple[str, ...] = Field(default=(), max_length=8)


class TitleAndBlurb(FrozenModel):
    """What stands on the cover and on its back."""

    blurb: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1500)]
    title: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120)]


def guard_atom(
    verdict: Verdict, task_type: TaskType, ancestors: tuple[TaskType, ...], depth: int, max_depth: int
) -> Verdict:
    """Hold the judge's verdict to the rules that end every decomposition.

    `ancestors` holds the types above the task, nearest first. A design task whose parent and
    grandparent are design is an atom, so is a search task under a search task, and so is
    whatever lies `max_depth` decompositions deep. Source: DESIGN section 4, "Guards".
    """
    if depth >= max_depth:
        return Verdict.ATOM
    if task_type is TaskType.DESIGN and ancestors[:2] == (TaskType.DESIGN, TaskType.DESIGN):
        return Verdict.ATOM
    if task_type is TaskType.SEARCH and ancestors[:1] == (TaskType.SEARCH,):
        return Verdict.ATOM
    return verdict


def verdict_by_score(score: int | None) -> Verdict | None:
    """Judge without a call where the planner's score already decides: 1-3 atom, 8-10 complex."""
    if score is None:
        return None
    if score <= 3:
        return Verdict.ATOM
    return Verdict.COMPLEX if score >= 8 else None
