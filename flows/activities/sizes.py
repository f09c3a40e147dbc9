"""Sizes of prompts and answers: texts are cut to their room; an answer over its size is sent back once, then taken."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.agents.steps.answers import Check
from bookwright.flows.deps import Deps
from bookwright.models.profile import ProfileName
from bookwright.models.text.length import TOLERANCE
from bookwright.models.tree.plan import PlanNode, PlanOutput
from bookwright.prompts import render_problem

_T = TypeVar("_T")

MOST_ENTRIES = 4
"""How many entries a list of a task may have, as the prompts of planners say."""

_LISTS = ("instructions", "input_brief", "constraints", "acceptance_criteria")
_SHOWN = 6
"""Lists that are named to whoever gave too much."""


def cut_to_tokens(text: str, room: float, deps: Deps) -> str:
    """Return the beginning of a text that has about so many tokens."""
    tokens = deps.desk.count_tokens(text)
    return text if tokens <= room else text[: round(len(text) * room / tokens)]


def batches_of(items: Iterable[_T], tokens_of: Callable[[_T], float], room: float) -> list[list[_T]]:
    """Share items out to batches that one call has room for, in order; what is larger than the room stands alone."""
    batches: list[list[_T]] = []
    taken = 0.0
    for item in items:
        tokens = tokens_of(item)
        if not batches or taken + tokens > room:
            batches.append([])
            taken = 0.0
        batches[-1].append(item)
        taken += tokens
    return batches


def within_length(run: ActivityRun, step: str, limit: int, deps: Deps) -> Check:
    """A check that sends a document back once that is longer than its prompt allows.

    `step` is the name under which it is asked for, `limit` in the book's unit of length. A weak model's answers are
    cut by other means.
    """

    def check(text: str) -> str:
        given = deps.brief.language.measure(text)
        if given <= limit * (1 + TOLERANCE) or not _is_first(run, step, deps):
            return ""
        unit = deps.brief.length_unit
        return render_problem("too_long", deps.desk.locale, given=given, limit=limit, unit=unit)

    return check


def within_lists(run: ActivityRun, step: str, most: dict[str, int], most_tasks: int, deps: Deps) -> Check:
    """A check that sends a plan back once that has more tasks, or more in a list that `most` names, than it may."""

    def check(answer: PlanOutput) -> str:
        given = len({" ".join(task.goal.casefold().split()) for task in answer.sub_tasks})
        long = list(_too_long(answer.sub_tasks, most))[:_SHOWN]
        if (given <= most_tasks and not long) or not _is_first(run, step, deps):
            return ""
        return render_problem("too_many", deps.desk.locale, given=given, most=most_tasks, lists=long)

    return check


def every(*checks: Check) -> Check:
    """Return a check that runs several and says what the first of them finds."""

    def check(answer: object) -> str:
        return next((problem for one in checks if (problem := one(answer))), "")

    return check


def of_tasks() -> dict[str, int]:
    """How many entries the lists of a planned task may have."""
    return dict.fromkeys(_LISTS, MOST_ENTRIES)


def _is_first(run: ActivityRun, step: str, deps: Deps) -> bool:
    return deps.profile.name is not ProfileName.SMALL and run.failures(step) == 0


def _too_long(tasks: Iterable[PlanNode], most: dict[str, int]) -> Iterable[dict[str, object]]:
    for number, task in enumerate(tasks, 1):
        for name, limit in most.items():
            if len(getattr(task, name)) > limit:
                yield {"task": number, "name": name, "given": len(getattr(task, name)), "most": limit}
