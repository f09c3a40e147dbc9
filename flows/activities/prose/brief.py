"""The writer's brief: what the writer of a unit is told of its designs, written by a planner who has seen them all.

Source: DESIGN section 10, item 0.
"""

import math
from dataclasses import replace

from bookwright.agents.agent import Agent
from bookwright.agents.context.shortfall import FAILURES, in_short
from bookwright.agents.relay.continuity import ContinuityDirector
from bookwright.agents.relay.secrets.guard import Guard, guard_at, reads_designs
from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.agents.workflows import briefing, plans_in_brief
from bookwright.flows import gates
from bookwright.flows.activities.outcomes import is_last_try, keep_document
from bookwright.flows.activities.prompt_sizes import within_length
from bookwright.flows.activities.prose.leak_review import CUT, cut_note
from bookwright.flows.activities.recall import previous_endings, with_reader_reports
from bookwright.flows.activities.told_books import is_told
from bookwright.flows.activities.unit_facts import CHARACTERS_A_WORD, begin_activity, depth_at, unit_card
from bookwright.flows.blueprints.unit_plans import form_of
from bookwright.flows.deps import Deps
from bookwright.models.document import DocumentKind, DocumentOrigin
from bookwright.models.errors import FatalContextError
from bookwright.models.gate import GateKind
from bookwright.models.step import Activity
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.prompts.card import Card
from bookwright.prompts.render import render_problem
from bookwright.storage.steps.journal import Move

BRIEF_SHARE = 3
"""A brief may have a third of its unit's length, within bounds: what is left out of it is lost to the writer."""

_BOUNDS = (250, 1_000)
_MOST_SHOWN = 6
"""Places of a brief that tell too much which are shown to whoever made it."""


def wants_brief(unit: TaskNode, deps: Deps) -> bool:
    """True for a unit that is about to be written and has no brief in its present revision, nor one of its author's.

    Where nothing in the designs has to be kept from the writer they are read themselves, and there is none; where
    the brief is the plan too it is made all the same. A weak model is told a story in a few words by its templates,
    which code fills in.
    """
    if unit.status is not NodeStatus.OPEN or deps.profile.is_small or is_told(unit, deps):
        return False
    step = _agent(unit, deps).name
    is_made = any(deps.desk.is_concluded(Activity.BRIEF, unit, name) for name in (step, f"{step}.{CUT}"))
    if is_made or _is_authors(unit, deps):
        return False
    return plans_in_brief(deps.profile.name, depth_at(unit, deps)) or not shows_designs(unit, deps)


def _agent(unit: TaskNode, deps: Deps) -> Agent:
    return briefing(unit.level, deps.profile.name, depth_at(unit, deps))


def shows_designs(unit: TaskNode, deps: Deps) -> bool:
    """True if the writer of a unit reads its designs."""
    with deps.stores() as stores:
        return reads_designs(unit, stores, deps.brief)


def _is_authors(unit: TaskNode, deps: Deps) -> bool:
    """True if the brief that stands is as its author changed it, and no text of the unit was rejected since."""
    with deps.stores() as stores:
        brief = stores.documents.current(unit.key, DocumentKind.WRITERS_BRIEF, with_text=False)
        if brief is None or not (brief.origin.is_by_hand or brief.origin is DocumentOrigin.NOTE):
            return False
        return not stores.gates.is_rejected_since(unit, brief.made_at or math.inf)


def make_brief(unit: TaskNode, deps: Deps) -> None:
    """Have a planner write the brief, held against every secret, and keep it.

    A brief that tells too much is asked for again; of the last one code takes out what does, in a step of its own.
    """
    guard = guard_of(unit, deps)
    run = begin_activity(Activity.BRIEF, unit, deps, "planner", _card(unit, deps), next_activity="write")
    gates.show_rejected(GateKind.CHAPTER, run, deps)
    agent = _agent(unit, deps)
    too_long = within_length(run, agent.name, deps)

    def check(text: str) -> str:
        problem = "" if is_last_try(run, agent.name) else _problem(text, guard, deps) or too_long(text)
        guard.note(*(found.excerpt for found in guard.violations(text) if problem))
        return problem

    def kept(text: str) -> Move:
        return keep_document(unit, DocumentKind.WRITERS_BRIEF, text, inputs=run.sources, codex=guard.use)

    text = run.run(agent, lambda text: None if guard.violations(text) else kept(text), check=check).value
    if found := guard.violations(text):
        left = guard.redact(text) or guard.redact(unit.goal) or guard.redact(unit.title)
        run.by_code(f"{agent.name}.{CUT}", left, cut_note(one.excerpt for one in found), kept(left))


def guard_of(unit: TaskNode, deps: Deps) -> Guard:
    """Return the guard of every prompt that writes a unit's prose; raise `FatalContextError` if it cannot be made."""
    try:
        with deps.stores() as stores:
            return guard_at(stores, deps.brief, unit)
    except FAILURES as error:
        raise FatalContextError(
            f"what is to be kept back in {unit.label} cannot be read: {in_short(error)}",
            "`bookwright doctor` looks for what is damaged",
        ) from error


def check_context(unit: TaskNode, run: ActivityRun, deps: Deps) -> None:
    """Raise `FatalContextError` for a unit without brief and designs to write from; warn of what else is missing."""
    if is_told(unit, deps):
        return  # its order is all that it takes, or the plan and the pages that its writer is given whole
    with deps.stores() as stores:
        result = ContinuityDirector().build_context(unit, stores, deps.brief)
    if result.errors:
        raise FatalContextError(
            f"{unit.label} cannot be written: {'; '.join(result.errors)}",
            f"{deps.desk.journal.way_on} makes what is missing",
        )
    run.warn(*result.warnings)


def _card(unit: TaskNode, deps: Deps) -> Card:
    length = brief_length(unit, deps)
    endings = previous_endings(unit, unit.level, deps)
    is_all = not shows_designs(unit, deps)  # that the writer is told of them
    return replace(
        with_reader_reports(unit_card(unit, deps), unit, deps),
        is_brief=is_all,
        word_allowance=length,
        plan_length=length,
        previous_endings=endings,
        directions=form_of(unit, deps),
    )


def brief_length(unit: TaskNode, deps: Deps) -> int:
    """How long a unit's brief may be, in the book's unit of length."""
    low, high = _BOUNDS
    scale = 1.0 if deps.brief.length_unit == "words" else CHARACTERS_A_WORD
    return round(min(max((unit.length or 1) / BRIEF_SHARE, low * scale), high * scale))


def _problem(text: str, guard: Guard, deps: Deps) -> str:
    """Say where a brief gives something away, in its own words."""
    places = list(dict.fromkeys(found.excerpt for found in guard.violations(text)))[:_MOST_SHOWN]
    return render_problem("tells", deps.desk.locale, places=places) if places else ""
