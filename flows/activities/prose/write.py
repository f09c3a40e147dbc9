"""Writing a unit's prose: plan, draft, critic, refine, and one step more where the length is off.

A weak model writes short pieces by continuation, which code chooses and cuts: the four steps stay; what a model of
this size cannot judge, figures do. Beside a text that stands, further drafts are candidates: nothing of them is taken.
Source: DESIGN section 8, profile `small`.
"""

from dataclasses import replace
from functools import partial

from bookwright.agents.quality import spots_in
from bookwright.agents.readers import FREE_DRAFT
from bookwright.agents.small import telling
from bookwright.agents.small.premise import closing_of, names_in, opening_of, things_in
from bookwright.agents.small.telling import better_of
from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.agents.workflows import (
    REVISE,
    REVISION_MARK,
    SMALL_CRITIC,
    SMALL_DRAFT,
    SMALL_PLAN,
    SMALL_REFINE,
    TOLD,
    Workflow,
    evaluates,
    plans_in_brief,
    write_workflow,
)
from bookwright.flows import gates
from bookwright.flows.activities.outcomes import accept_prose, both
from bookwright.flows.activities.prose.brief import check_context, guard_of
from bookwright.flows.activities.prose.cold_reading import first_reading
from bookwright.flows.activities.prose.finish import UnitFinish
from bookwright.flows.activities.prose.leak_review import CUT, cut_leaks, cut_note, finder, purged
from bookwright.flows.activities.prose.voice import sample_block
from bookwright.flows.activities.recall import previous_endings, with_reader_reports
from bookwright.flows.activities.told_books import (
    current_plot,
    is_past_first_act,
    is_plotted,
    is_told,
    pages_before,
    show_whole,
)
from bookwright.flows.activities.unit_facts import begin_activity, depth_at, measured, unit_card, wanted_lengths
from bookwright.flows.blueprints.unit_plans import form_of
from bookwright.flows.candidates.drafting import chosen_of, drafted, is_told_freely
from bookwright.flows.deps import Deps
from bookwright.models.document import DocumentKind
from bookwright.models.gate import GateKind
from bookwright.models.step import Activity
from bookwright.models.text.language import Language
from bookwright.models.text.length import MENDED, LengthRecord
from bookwright.models.text.prose import cut_to
from bookwright.models.tree.depth import Depth
from bookwright.models.tree.task import TaskNode
from bookwright.prompts.card import Card
from bookwright.prompts.render import render_problem
from bookwright.storage.steps.journal import Move

_TOLD_LEEWAY = 0.10
"""How far a text that is told again may be from its length: held closer, what was good in it has to go."""

PLAN_SHARE = 7
"""A write plan may have one part in seven of its unit's length. Source: CRAFT, "Write: plan"."""

_LEAST_PLAN = {Language.EN: 30, Language.ZH: 60, Language.JA: 60, Language.KO: 60}
"""Below that a plan decides nothing, however short its unit is; in the book's unit of length."""


def write(unit: TaskNode, deps: Deps) -> None:
    """Write a unit from its brief until its prose is accepted; no step sees a design, or what its guard finds."""
    run = begin_writing(unit, deps)
    if deps.profile.is_small:
        _write_small(unit, run, deps)
        return
    *earlier, last = steps_of(unit, deps)
    draft = ""
    for agent in earlier:
        if agent.is_prose:
            draft = drafted(agent, unit, run, deps)
            is_retold = is_told(unit, deps)
            spots = tuple(spots_in(draft, deps.brief.language, deps.desk.locale))
            card = measured(replace(run.card, spots=spots), draft, unit, deps, _TOLD_LEEWAY if is_retold else MENDED)
            is_mended = evaluates(deps.profile.name) and depth_at(unit, deps) is not Depth.SLIGHT
            room = card.high_length - card.ask_length if is_retold and is_mended and not unit.parent else 0
            run.card = replace(card, high_length=card.high_length - room // 2)  # the other half is for repairs
        else:
            run.run(agent)
    if _is_read_first(unit, deps) and (told := first_reading(draft, unit, deps)):
        run.add("reader", told)
    check = partial(holds_new_text, deps.desk.locale) if last is REVISE else None
    UnitFinish(run, deps, draft).finish(last, revised, check)


def begin_writing(unit: TaskNode, deps: Deps) -> ActivityRun:
    """Begin the writing of a unit: return its run, with all that its writer is to be shown."""
    run = begin_activity(
        Activity.WRITE, unit, deps, "write_plan", _card(unit, deps), next_activity="close", guard=guard_of(unit, deps)
    )
    gates.show_rejected(GateKind.CHAPTER, run, deps)
    gates.show_order(run, deps)
    if deps.profile.is_small:
        return run
    check_context(unit, run, deps)
    if is_plotted(unit, deps):
        _put_book_before(unit, run, deps)
    elif _is_read_first(unit, deps) and (brief := deps.document(unit, DocumentKind.WRITERS_BRIEF)):
        run.add("plan", brief.text)  # one step makes brief and plan
        run.rests_on(brief.id)
    return run


def _is_read_first(unit: TaskNode, deps: Deps) -> bool:
    """True if a reader stands between the draft and its reviser, and one step made brief and plan."""
    return not is_told(unit, deps) and plans_in_brief(deps.profile.name, depth_at(unit, deps))


def steps_of(unit: TaskNode, deps: Deps) -> Workflow:
    """The steps that end in a unit's prose."""
    return TOLD if is_told(unit, deps) else write_workflow(unit.level, deps.profile.name, depth_at(unit, deps))


def _put_book_before(unit: TaskNode, run: ActivityRun, deps: Deps) -> None:
    """Put the plot and all pages so far before the steps, those of the act where the book has acts.

    They stand in the place of designs and excerpts. What an act is a part of stands first, and then the pages: the next
    chapter's prompts begin with them, too, and a cache serves all but the newest.
    """
    told = deps.storage.node(unit.parent or unit.key)
    shown = ["order", "hints", *sample_block(deps)]
    if is_past_first_act(unit, deps):
        shown += ["text_summary", "earlier_pages"]
    run.narrow_to(*shown)
    if told.parent is not None:
        show_whole(told, run, deps)
    if plot := current_plot(told, deps):
        run.add("plot", plot.text)
        run.rests_on(plot.id)
    pages = pages_before(unit, deps)
    for page in pages:
        run.lead_with("text", page.text)
    run.rests_on(*(page.id for page in pages))


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
    card = with_reader_reports(unit_card(unit, deps), unit, deps)
    if is_told(unit, deps):  # whoever tells it is told the bounds at once, instead of a length that makes up for others
        record = LengthRecord()
        wanted = wanted_lengths(unit, card.is_last, deps, _TOLD_LEEWAY)
        card = replace(card, low_length=wanted.low, high_length=wanted.high)
    return replace(
        card,
        ask_length=record.to_ask(target),
        plan_length=max(target // PLAN_SHARE, _LEAST_PLAN[deps.brief.language]),
        previous_endings=previous_endings(unit, unit.level, deps),
        open_points=(),  # the brief settles them, or leaves them unsaid
        directions=form_of(unit, deps),
    )


def make_candidates(unit: TaskNode, count: int, deps: Deps) -> None:
    """Bring a written unit to so many candidates, those on record among them; raises what any step does."""
    deps.observer.run(Activity.WRITE, unit, lambda: _draft_again(deps.fresh(unit), count, deps))


def _draft_again(unit: TaskNode, count: int, deps: Deps) -> None:
    run = begin_writing(unit, deps)
    line = (unit, *deps.storage.above(unit))[:-1]
    run.card = replace(run.card, is_first=all(node.unit_index == 1 for node in line))  # though pages follow by now
    for agent in steps_of(unit, deps):
        if agent.is_prose:
            chosen_of(FREE_DRAFT if is_told_freely(unit, deps) else agent, count, run, deps, stands=True)
            return
        run.run(agent)


def _write_small(unit: TaskNode, run: ActivityRun, deps: Deps) -> None:
    """Write a unit by continuation: plan, draft in pieces, critic, refine; figures choose the better."""
    run.card = replace(run.card, phase=phase_of(unit))
    run.run(SMALL_PLAN)
    before, opening = (run.guard.redact(text) for text in _what_stands_before(unit, run, deps))
    closing = closing_of(run.guard.redact(deps.brief.ending), deps.brief.language) if run.card.is_last else ""
    draft = _draft_in_pieces(unit, before, opening, closing, run, deps)
    run.add("text", draft, is_prose=True)
    run.run(SMALL_CRITIC)

    def finished(reply: str) -> tuple[str, Move, list[str]]:
        refined = _held(telling.joined(opening, reply), closing, unit, deps)
        premise, language = deps.brief.premise, deps.brief.language
        names, things = names_in(premise), things_in(premise, language)
        better = better_of(draft, refined, unit.length or 1, names, language, things)
        text, reviewed, lost = purged(better, unit, deps)
        return text, both(accept_prose(text, run, deps), reviewed), lost

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


def _draft_in_pieces(unit: TaskNode, before: str, opening: str, closing: str, run: ActivityRun, deps: Deps) -> str:
    language, find = deps.brief.language, finder(unit, deps)
    text = opening
    for piece in range(1, telling.PIECES + 1):
        run.card = replace(run.card, piece=piece)
        prefill = telling.prefill_for(before, opening, text, language)
        reply = run.run(SMALL_DRAFT, step=f"draft.{piece}", prefill=prefill, is_bare=True, may_be_cut=True).value
        told = telling.trimmed(telling.joined(text, reply))
        left, lost = cut_leaks(told, find)
        text = left or told  # what is cut here another piece can make good
        if text != told:
            run.by_code(f"{SMALL_DRAFT.name}.{piece}.{CUT}", text, cut_note(lost))
        if telling.is_enough(text, unit.length or 1, language):
            break
    return _held(text, closing, unit, deps)


def _held(text: str, closing: str, unit: TaskNode, deps: Deps) -> str:
    """The text, whole sentences only, no longer than the unit may be, with the book's last words if it ends."""
    language, target = deps.brief.language, unit.length or 1
    if closing:
        return telling.ended(text, closing, target, language)
    return cut_to(telling.trimmed(text), target, language)


def _what_stands_before(unit: TaskNode, run: ActivityRun, deps: Deps) -> tuple[str, str]:
    """The end of the book so far, and the words of the premise that this unit opens with."""
    with deps.stores() as stores:
        last = stores.nodes.units_before(unit, 1)
        prose = stores.documents.of_nodes([node.key for node in last], DocumentKind.PROSE)
        siblings = stores.nodes.child_units(unit.parent) if unit.parent else [unit]
        is_top = unit.parent is None or stores.nodes.get(unit.parent).parent is None
    language = deps.brief.language
    before = telling.carried(prose[-1].text, language) if prose else ""
    run.rests_on(*(found.id for found in prose[-1:]))
    if not is_top:
        return before, ""
    return before, opening_of(deps.brief.premise, max(unit.unit_index - 1, 0), len(siblings), language)
