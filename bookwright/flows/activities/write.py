"""Writing a unit's prose: plan, draft, critic, refine, and one step more where the length is off."""

from contextlib import suppress
from dataclasses import replace
from functools import partial

from bookwright.agents.agent import Agent
from bookwright.agents.desk import ActivityRun
from bookwright.agents.quality import spots_in
from bookwright.agents.workflows import LENGTHEN, REVISE, REVISION_MARK, SHORTEN, write_workflow
from bookwright.flows.activities import small
from bookwright.flows.activities.acceptance import accept
from bookwright.flows.activities.surroundings import previous_endings, unit_card
from bookwright.flows.deps import Deps
from bookwright.models.decision import Cuts
from bookwright.models.errors import NoResult
from bookwright.models.language import Language
from bookwright.models.length import TOLERANCE, LengthRecord, is_off
from bookwright.models.profile import ProfileName
from bookwright.models.prose import (
    lengthened,
    numbered_paragraphs,
    numbered_sentences,
    read_insertions,
    shortened,
)
from bookwright.models.step import Activity
from bookwright.models.task import TaskNode
from bookwright.prompts import Card, render_problem
from bookwright.storage.journal import Move

PLAN_SHARE = 7
"""A write plan may have one part in seven of its unit's length. Source: CRAFT, "Write: plan"."""

_LEAST_PLAN = {Language.EN: 30, Language.ZH: 60, Language.JA: 60, Language.KO: 60}
"""Below that a plan decides nothing, however short its unit is; in the book's unit of length."""

_LENGTHEN_MARGIN, _SHORTEN_MARGIN = 1.6, 2.0
"""How much is asked for of what is missing or too much: code takes as much of it as fits, so that
a model which misses what it is asked for by half still brings its unit within the tolerance."""

_MOST_CUT = 0.9
"""Share of a text that may be named for cutting, lest the order be to cut more than there is."""

_LAST_UNIT_SHARE = 0.02
"""Share of the book's length that its last unit may miss: nobody comes after it to make it good."""


def write(unit: TaskNode, deps: Deps) -> None:
    """Write a unit; ends with its prose accepted and counted."""
    run = deps.desk.begin(
        Activity.WRITE, unit, unit, _card(unit, deps), context="write_plan", round_=0, next_activity="close"
    )
    if deps.profile.name is ProfileName.SMALL:
        small.write(unit, run, deps)
        return
    *earlier, last = write_workflow(unit.level, deps.profile.name)
    draft = ""
    for agent in earlier:
        text = run.run(agent).value
        if agent.is_prose:
            draft = text
            run.card = replace(run.card, spots=_spots(text, deps))
    check = partial(holds_new_text, deps.desk.locale) if last is REVISE else None
    prose = run.run(last, lambda text: _accepted_if_fit(revised(text), draft, unit, run, deps), check=check)
    final = revised(prose.value)
    if _is_off(final, unit, run, deps):
        _mend_length(final, draft, last, unit, run, deps)


def revised(text: str) -> str:
    """Return the new text out of an answer that may hold findings before it."""
    _, mark, after = text.partition(REVISION_MARK)
    return after.strip() if mark else text


def holds_new_text(locale: str, text: str) -> str:
    """Findings with a text behind them have their mark once, and something after it."""
    if text.count(REVISION_MARK) == 1 and revised(text):
        return ""
    return render_problem("no_new_text", locale, mark=REVISION_MARK)


def _card(unit: TaskNode, deps: Deps) -> Card:
    target = unit.length or 1
    with deps.stores() as stores:
        record = LengthRecord(ratio=stores.books.length_ratio(unit.book))
    return replace(
        unit_card(unit, deps),
        ask_length=record.to_ask(target),
        plan_length=max(target // PLAN_SHARE, _LEAST_PLAN[deps.brief.language]),
        previous_endings=previous_endings(unit, unit.level, deps),
    )


def _spots(text: str, deps: Deps) -> tuple[str, ...]:
    return tuple(spots_in(text, deps.brief.language, deps.desk.locale))


def _accepted_if_fit(text: str, draft: str, unit: TaskNode, run: ActivityRun, deps: Deps) -> Move | None:
    if _is_off(text, unit, run, deps):
        return None
    return accept(text, unit, run, deps, draft)


def _is_off(text: str, unit: TaskNode, run: ActivityRun, deps: Deps) -> bool:
    target = unit.length or 1
    tolerance = TOLERANCE
    if run.card.is_last and unit.parent is not None:
        tolerance = min(TOLERANCE, _LAST_UNIT_SHARE * deps.brief.length / target)
    return is_off(target, deps.brief.language.measure(text), tolerance)


def _mend_length(text: str, draft: str, last: Agent, unit: TaskNode, run: ActivityRun, deps: Deps) -> None:
    """One bounded step that adds passages or drops sentences; code does the counting.

    Where no answer to it can be used, the prose of `last`, which is paid, stands as it is.
    """
    target, language = unit.length or 1, deps.brief.language
    written = language.measure(text)
    missing = target - written
    if missing > 0:
        mender, wanted, shown = LENGTHEN, missing * _LENGTHEN_MARGIN, numbered_paragraphs(text)
    else:
        mender, wanted, shown = SHORTEN, min(-missing * _SHORTEN_MARGIN, written * _MOST_CUT), numbered_sentences(text)

    def mended(answer: str | Cuts) -> Move:
        if isinstance(answer, Cuts):
            return accept(shortened(text, answer.cuts, target, language), unit, run, deps, draft)
        return accept(lengthened(text, read_insertions(answer), target, language), unit, run, deps, draft)

    if run.failures(mender.name) <= deps.desk.settings.max_repairs:
        run.card = replace(run.card, missing_length=round(wanted))
        run.add("text", shown)
        with suppress(NoResult):  # its attempts are on record
            run.run(mender, mended)
            return
    run.make_late(last, accept(text, unit, run, deps, draft))
