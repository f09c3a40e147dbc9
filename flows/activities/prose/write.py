"""Writing a unit's prose: plan, draft, critic, refine, and one step more where the length is off."""

from dataclasses import replace
from functools import partial

from bookwright.agents.quality import spots_in
from bookwright.agents.relay.style_guide import kept_guide
from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.agents.workflows import REVISE, REVISION_MARK, TOLD, Workflow, plans_in_brief, write_workflow
from bookwright.flows import gates
from bookwright.flows.activities.earlier_pages import previous_endings, with_reader_reports
from bookwright.flows.activities.prose import small
from bookwright.flows.activities.prose.brief import check_context, guard_of
from bookwright.flows.activities.prose.choosing import drafted
from bookwright.flows.activities.prose.cold_reading import first_reading
from bookwright.flows.activities.prose.finish import UnitFinish
from bookwright.flows.activities.told_books import is_told, is_told_whole, pages_before
from bookwright.flows.activities.unit_facts import begin_activity, depth_at, measured, unit_card, wanted_lengths
from bookwright.flows.blueprints.unit_plans import form_of
from bookwright.flows.deps import Deps
from bookwright.models.document import DocumentKind
from bookwright.models.gate import GateKind
from bookwright.models.profile import ProfileName
from bookwright.models.step import Activity
from bookwright.models.text.figures import StyleSource
from bookwright.models.text.language import Language
from bookwright.models.text.length import MENDED, LengthRecord
from bookwright.models.tree.task import TaskNode
from bookwright.prompts import Card, render_problem

_TOLD_LEEWAY = 0.10
"""How far a text that is told again may be from its length: held closer, what was good in it has to go."""

PLAN_SHARE = 7
"""A write plan may have one part in seven of its unit's length. Source: CRAFT, "Write: plan"."""

_LEAST_PLAN = {Language.EN: 30, Language.ZH: 60, Language.JA: 60, Language.KO: 60}
"""Below that a plan decides nothing, however short its unit is; in the book's unit of length."""


def write(unit: TaskNode, deps: Deps) -> None:
    """Write a unit from its brief until its prose is accepted; no step sees a design, or what its guard finds."""
    run = begin_writing(unit, deps)
    if deps.profile.name is ProfileName.SMALL:
        small.write(unit, run, deps)
        return
    *earlier, last = steps_of(unit, deps)
    draft = ""
    for agent in earlier:
        if agent.is_prose:
            draft = drafted(agent, unit, run, deps)
            leeway = _TOLD_LEEWAY if is_told(unit, deps) else MENDED
            spots = tuple(spots_in(draft, deps.brief.language, deps.desk.locale))
            run.card = measured(replace(run.card, spots=spots), draft, unit, deps, leeway)
        else:
            run.run(agent)
    if _is_read_first(unit, deps) and (told := first_reading(draft, unit, deps)):
        run.add("reader", told)
    check = partial(holds_new_text, deps.desk.locale) if last is REVISE else None
    UnitFinish(unit, run, deps, draft).finish(last, revised, check)


def begin_writing(unit: TaskNode, deps: Deps) -> ActivityRun:
    """Begin the writing of a unit: return its run, with all that its writer is to be shown."""
    run = begin_activity(
        Activity.WRITE, unit, deps, "write_plan", _card(unit, deps), next_activity="close", guard=guard_of(unit, deps)
    )
    gates.show_rejected(unit, GateKind.CHAPTER, run, deps)
    gates.show_order(unit, run, deps)
    if deps.profile.name is ProfileName.SMALL:
        return run
    check_context(unit, run, deps)
    if is_told_whole(unit, deps):
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
    if is_told(unit, deps):
        return TOLD
    return write_workflow(unit.level, deps.profile.name, depth_at(unit, deps))


def _put_book_before(unit: TaskNode, run: ActivityRun, deps: Deps) -> None:
    """Put the plan of a told book before the steps, and all its pages so far, in the place of designs and excerpts.

    The pages stand first: the next chapter's prompts and those of the book's readers begin with them, too, and a cache
    serves all but the newest.
    """
    with deps.stores() as stores:
        guide = kept_guide(stores)
        plan = stores.documents.latest(DocumentKind.BOOK_DESIGN)
    is_given = guide is not None and guide.source is StyleSource.SAMPLE  # else the pages tell how the book sounds
    run.narrow_to("order", "hints", *(["style_guide"] if is_given else []))
    if plan is not None:
        run.add("plot", plan.text)
        run.rests_on(plan.id)
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
