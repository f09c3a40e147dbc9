"""Writing with a weak model: short pieces by continuation, which code chooses and cuts.

The four steps of prose stay; what a model of this size cannot judge, figures do.
Source: DESIGN section 8, profile `small`.
"""

from dataclasses import replace

from bookwright.agents.small import telling
from bookwright.agents.small.premise import closing_of, names_in, opening_of, things_in
from bookwright.agents.small.telling import better_of
from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.agents.workflows import SMALL_CRITIC, SMALL_DRAFT, SMALL_PLAN, SMALL_REFINE
from bookwright.flows.activities.moves import accept_prose, both
from bookwright.flows.activities.prose.leak_review import (
    CUT,
    cut_note,
    finder,
    leaking_sentences,
    purged,
    without_leaks,
)
from bookwright.flows.deps import Deps
from bookwright.models.document import DocumentKind
from bookwright.models.text.prose import cut_to
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import TaskNode
from bookwright.storage.steps.journal import Move


def write(unit: TaskNode, run: ActivityRun, deps: Deps) -> None:
    """Write a unit by continuation: plan, draft in pieces, critic, refine; figures choose the better."""
    run.card = replace(run.card, phase=phase_of(unit))
    run.run(SMALL_PLAN)
    before, opening = (run.guard.redact(text) for text in _what_stands_before(unit, run, deps))
    closing = closing_of(run.guard.redact(deps.brief.ending), deps.brief.language) if run.card.is_last else ""
    draft = _draft(unit, before, opening, closing, run, deps)
    run.add("text", draft, is_prose=True)
    run.run(SMALL_CRITIC)

    def finished(reply: str) -> tuple[str, Move, list[str]]:
        refined = _held(telling.joined(opening, reply), closing, unit, deps)
        premise, language = deps.brief.premise, deps.brief.language
        names, things = names_in(premise), things_in(premise, language)
        better = better_of(draft, refined, unit.length or 1, names, language, things)
        text, reviewed, lost = purged(better, unit, deps)
        return text, both(accept_prose(text, unit, run, deps), reviewed), lost

    def conclude(reply: str) -> Move | None:
        _, move, lost = finished(reply)
        return None if lost else move

    reply = run.run(SMALL_REFINE, conclude, prefill=opening, may_be_cut=True).value
    text, move, lost = finished(reply)
    if lost:
        run.by_code(f"{SMALL_REFINE.name}.{CUT}", text, cut_note(lost), move)


def phase_of(unit: TaskNode) -> str:
    """Tell which part of its parent a unit is, in the words that the templates use."""
    if unit.is_last:
        return "ends"
    return "begins" if unit.unit_index == 1 else "gets worse"


def _draft(unit: TaskNode, before: str, opening: str, closing: str, run: ActivityRun, deps: Deps) -> str:
    language, find = deps.brief.language, finder(unit, deps)
    text = opening
    for piece in range(1, telling.PIECES + 1):
        run.card = replace(run.card, piece=piece)
        prefill = telling.prefill_for(before, opening, text, language)
        reply = run.run(SMALL_DRAFT, step=f"draft.{piece}", prefill=prefill, is_bare=True, may_be_cut=True).value
        told = telling.trimmed(telling.joined(text, reply), language)
        text = without_leaks(told, find) or told  # what is cut here another piece can make good
        if text != told:
            run.by_code(f"{SMALL_DRAFT.name}.{piece}.{CUT}", text, cut_note(leaking_sentences(told, find)))
        if telling.is_enough(text, unit.length or 1, language):
            break
    return _held(text, closing, unit, deps)


def _held(text: str, closing: str, unit: TaskNode, deps: Deps) -> str:
    """The text, whole sentences only, no longer than the unit may be, with the book's last words if it ends."""
    language, target = deps.brief.language, unit.length or 1
    if closing:
        return telling.ended(text, closing, target, language)
    return cut_to(telling.trimmed(text, language), target, language)


def _what_stands_before(unit: TaskNode, run: ActivityRun, deps: Deps) -> tuple[str, str]:
    """The end of the book so far, and the words of the premise that this unit opens with."""
    with deps.stores() as stores:
        last = stores.nodes.units_before(unit, 1)
        prose = stores.documents.of_nodes([node.key for node in last], DocumentKind.PROSE)
        siblings = stores.nodes.children(unit.parent, TaskType.WRITE) if unit.parent else [unit]
        is_top = unit.parent is None or stores.nodes.get(unit.parent).parent is None
    language = deps.brief.language
    before = telling.carried(prose[-1].text, language) if prose else ""
    run.rests_on(*(found.id for found in prose[-1:]))
    if not is_top:
        return before, ""
    return before, opening_of(deps.brief.premise, max(unit.unit_index - 1, 0), len(siblings), language)
