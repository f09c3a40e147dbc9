"""A blind reader's preference between two texts: asked twice, in both orders, recorded like any other step."""

from dataclasses import dataclass, replace

from bookwright.agents.readers import CHOOSE
from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.flows.activities.surroundings import unit_card
from bookwright.flows.deps import Deps
from bookwright.models.step import AMENDING_ROUNDS, Activity
from bookwright.models.tree.decision import Choice
from bookwright.models.tree.task import TaskNode
from bookwright.storage.repositories.texts import text_hash

_KEY_CHARACTERS = 8


@dataclass(frozen=True)
class ReaderVerdict:
    """What a reader said of two texts."""

    preferred: str
    """`"a"` or `"b"`; empty where they took the one that they saw first, or last, both times."""
    reasons: tuple[str, str]
    """What was said when `a` came first, and when `b` did."""


def ask_reader(unit: TaskNode, a: str, b: str, deps: Deps) -> ReaderVerdict:
    """Have two texts of a unit compared by a model that knows of neither where it comes from.

    Raises:
        NoResult: No answer was one.
        BookPaused, BackendError: As for any step.
    """
    first, second = _asked(unit, a, b, deps), _asked(unit, b, a, deps)
    chosen = {"A": "a", "B": "b"}[first.better], {"A": "b", "B": "a"}[second.better]
    preferred = chosen[0] if chosen[0] == chosen[1] else ""
    return ReaderVerdict(preferred, (first.reasoning, second.reasoning))


def _asked(unit: TaskNode, one: str, other: str, deps: Deps) -> Choice:
    """Ask once; two texts that were compared before, in this order, are not paid for again."""
    run = ActivityRun(
        deps.desk, Activity.REVIEW, unit, unit, replace(unit_card(unit, deps), is_unplanned=True),
        context=CHOOSE.context, round_=AMENDING_ROUNDS,
    )  # fmt: skip
    run.add("draft_a", one, is_prose=True)
    run.add("draft_b", other, is_prose=True)
    choice = run.run(CHOOSE, step=f"verdict.{text_hash(one + other)[:_KEY_CHARACTERS]}").value
    assert isinstance(choice, Choice)
    return choice
