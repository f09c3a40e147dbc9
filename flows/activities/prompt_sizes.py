"""Sizes of prompts and answers: texts are cut or condensed to their room; an answer over its size is sent back once."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TypeVar

from bookwright.agents.context.retrieval_cache import name_of, room_of
from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.agents.steps.answers import Check
from bookwright.agents.workflows import CONDENSE
from bookwright.flows.activities.outcomes import is_given_up
from bookwright.flows.activities.unit_facts import begin_activity, unit_card
from bookwright.flows.deps import Deps
from bookwright.models.document import DocumentKind
from bookwright.models.errors import NoResult, RequestRejected
from bookwright.models.step import Activity
from bookwright.models.text.binding import binding_lines, lost_lines, without_releases
from bookwright.models.text.language import Language
from bookwright.models.text.length import TOLERANCE
from bookwright.models.tree.plan import PlanNode, PlanOutput
from bookwright.models.tree.task import TaskNode
from bookwright.prompts.render import render_problem

_T = TypeVar("_T")

MOST_OF_A_TASK = dict.fromkeys(("instructions", "input_brief", "constraints", "acceptance_criteria"), 4)
"""How many entries the lists of a planned task may have, as the prompts of planners say."""

_SHOWN = 6
"""Lists that are named to whoever gave too much."""

_TOKENS_A_UNIT = {Language.EN: 1.6, Language.ZH: 1.2, Language.JA: 1.2, Language.KO: 1.2}
_LEAST_ROOM = 100
"""Tokens; in less than that no model says anything that code could not cut."""


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


def within_length(run: ActivityRun, step: str, deps: Deps) -> Check:
    """A check that sends a document back once that is longer than the card of its prompt allows.

    `step` is the name under which it is asked for. A weak model's answers are cut by other means.
    """
    limit = run.card.word_allowance

    def check(text: str) -> str:
        given = deps.brief.language.measure(text)
        if given <= limit * (1 + TOLERANCE) or not is_first_try(run, step, deps):
            return ""
        unit = deps.brief.length_unit
        return render_problem("too_long", deps.desk.locale, given=given, limit=limit, unit=unit)

    return check


def within_lists(run: ActivityRun, step: str, most: dict[str, int], most_tasks: int, deps: Deps) -> Check:
    """A check that sends a plan back once that has more tasks, or more in a list that `most` names, than it may."""

    def check(answer: PlanOutput) -> str:
        given = len({" ".join(task.goal.casefold().split()) for task in answer.sub_tasks})
        long = list(_too_long(answer.sub_tasks, most))[:_SHOWN]
        if (given <= most_tasks and not long) or not is_first_try(run, step, deps):
            return ""
        return render_problem("too_many", deps.desk.locale, given=given, most=most_tasks, lists=long)

    return check


def every(*checks: Check) -> Check:
    """Return a check that runs several and says what the first of them finds."""

    def check(answer: object) -> str:
        return next((problem for one in checks if (problem := one(answer))), "")

    return check


def is_first_try(run: ActivityRun, step: str, deps: Deps) -> bool:
    """True for an answer that may be sent back: the first of its step where more are asked for, not a weak model's."""
    return not deps.profile.is_small and run.failures(step) == 0 < run.desk.settings.max_repairs


def _too_long(tasks: Iterable[PlanNode], most: dict[str, int]) -> Iterable[dict[str, object]]:
    for number, task in enumerate(tasks, 1):
        for name, limit in most.items():
            if len(getattr(task, name)) > limit:
                yield {"task": number, "name": name, "given": len(getattr(task, name)), "most": limit}


def condense(deps: Deps) -> None:
    """Have a model condense the premise and the book's design where they do not fit; each text once."""
    if not deps.profile.condenses or room_of(deps.profile) < _LEAST_ROOM:
        return
    with deps.stores() as stores:
        book = stores.nodes.root()
        design = stores.documents.latest(DocumentKind.BOOK_DESIGN)
    for text in (deps.brief.premise, design.text if design else ""):
        if deps.desk.count_tokens(text) > room_of(deps.profile):
            _condense(book, text, deps)


def _condense(book: TaskNode, text: str, deps: Deps) -> None:
    length = round(room_of(deps.profile) / _TOKENS_A_UNIT[deps.brief.language])
    binding = "\n".join(binding_lines(text))
    # lines that bind and would not fit by themselves can be asked of no model
    check = partial(what_is_lost, deps.desk.locale, text) if deps.brief.language.measure(binding) <= length else None
    card = replace(unit_card(book, deps), condense_to=length)
    run = begin_activity(Activity.CONDENSE, book, deps, CONDENSE.context, card)
    run.add("text", text)
    name = name_of(text, deps.profile)
    if run.is_done(name) or is_given_up(run, name):
        return

    def ask() -> None:
        run.run(CONDENSE, step=name, check=check)

    with suppress(NoResult, RequestRejected):  # code cuts the text then; the attempts are on record
        deps.observer.run(Activity.CONDENSE, book, ask)


def what_is_lost(locale: str, before: str, after: str) -> str:
    """Say which binding lines a condensed text drops; empty if none. Nothing is released here."""
    lost = lost_lines(before, without_releases(after))
    return render_problem("lost_lines_condensed", locale, lines="\n".join(lost)) if lost else ""
