"""Several drafts of the same pages where it counts most, and the blind choice between them."""

import hashlib
from dataclasses import replace

from bookwright.agents.agent import Agent
from bookwright.agents.readers import CHOOSE, CHOOSE_FREE, FREE_DRAFT, draft_again
from bookwright.agents.relay.threads.climax import climax_ahead
from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.flows.activities.surroundings import depth_at, is_one_sitting, unit_card
from bookwright.flows.deps import Deps
from bookwright.models.document import DocumentKind
from bookwright.models.errors import NoResult, RequestRejected
from bookwright.models.profile import ProfileName
from bookwright.models.step import Activity
from bookwright.models.tree.decision import Choice
from bookwright.models.tree.depth import Depth
from bookwright.models.tree.task import TaskNode


def drafted(agent: Agent, unit: TaskNode, run: ActivityRun, deps: Deps) -> str:
    """Have a unit drafted, more than once where it opens, turns or ends the book; the best draft stays.

    Of a book of one piece two more drafts are made from the order alone: a plan may cost such a story more than it
    gives, and a blind reader tells. Where one of them is chosen, nothing later holds it to the plan.
    """
    planned = str(run.run(agent).value)
    if not wants_two(unit, run, deps):
        return planned
    run.put_away(agent.artefact)  # whoever writes another draft sees nothing of the first
    if _is_free(unit, deps):
        free = _best(_free_drafts(run), unit, run, deps)
        chosen, carry_over = _chosen(planned, free, unit, run, deps)
        if chosen is free:
            run.put_away("plan")
            run.narrow_to("order")
            run.card = replace(run.card, is_unplanned=True)
            carry_over = ()  # a story of its own has no place for what was good in the planned one
    else:
        run.card = replace(run.card, is_second=True)
        second = str(run.run(draft_again(agent)).value)
        run.put_away(agent.artefact)
        run.card = replace(run.card, is_second=False)
        chosen, carry_over = _chosen(planned, second, unit, run, deps)
    run.add(agent.artefact, chosen, is_prose=True)
    if carry_over:
        run.add("carry_over", "\n".join(f"- {line}" for line in carry_over))
    return chosen


def _free_drafts(run: ActivityRun) -> list[str]:
    """Draft a book of one piece from its order alone, by two writers who know of each other and see nothing."""
    writers: tuple[Agent, ...] = (FREE_DRAFT, draft_again(FREE_DRAFT))
    if run.is_done(CHOOSE.name) and not run.is_done(writers[1].name):
        writers = writers[:1]  # begun by a version of the program that asked for one
    drafts = []
    for writer in writers:
        run.card = replace(run.card, is_second=writer is not FREE_DRAFT)
        drafts.append(str(run.run(writer, is_bare=True).value))
        run.put_away(writer.artefact)
    run.card = replace(run.card, is_second=False)
    return drafts


def _best(drafts: list[str], unit: TaskNode, run: ActivityRun, deps: Deps) -> str:
    if len(drafts) == 1:
        return drafts[0]
    first, second = drafts
    return _chosen(first, second, unit, run, deps, CHOOSE_FREE)[0]


def _is_free(unit: TaskNode, deps: Deps) -> bool:
    """True for a book of one piece about which its author has said nothing but the order."""
    if deps.blueprint is not None or unit.revision > 1 or not is_one_sitting(unit, deps):
        return False
    with deps.stores() as stores:
        has_outline = stores.documents.current(unit.key, DocumentKind.OUTLINE, with_text=False) is not None
        codex = stores.codex
        return not (has_outline or codex.entries() or codex.secrets() or codex.threads())


def wants_two(unit: TaskNode, run: ActivityRun, deps: Deps) -> bool:
    """Whether a unit is drafted twice: in fine every one, in standard what opens or ends the book or is its height."""
    if deps.profile.name is ProfileName.FINE:
        return True
    if deps.profile.name is not ProfileName.STANDARD or depth_at(unit, deps) is Depth.SLIGHT:
        return False
    return run.card.is_first or run.card.is_last or _is_height(unit, deps)


def _is_height(unit: TaskNode, deps: Deps) -> bool:
    with deps.stores() as stores:
        reading = stores.codex.reading_order()
        ahead = climax_ahead(unit, stores, reading)
        return ahead is not None and ahead.chapter == reading.chapter_of(unit.label)


def is_unplanned(unit: TaskNode, deps: Deps) -> bool:
    """True if a unit's text goes back to a draft from the order alone, so that its designs tell of another story."""
    desk = deps.desk
    if not (desk.is_done(Activity.WRITE, unit, FREE_DRAFT.name) and desk.is_done(Activity.REVIEW, unit, CHOOSE.name)):
        return False
    choice = _judge(CHOOSE, unit, 0, deps).run(CHOOSE).value  # on record, so nobody is asked
    return bool(choice.better == ("B" if _is_first_a(unit, deps) else "A"))


def _is_first_a(unit: TaskNode, deps: Deps) -> bool:
    """Which of two drafts is called A hangs on the unit alone, so that neither place is the better one."""
    return hashlib.sha256(f"{deps.brief.seed} {unit.label}".encode()).digest()[0] % 2 == 0


def _judge(reader: Agent, unit: TaskNode, round_: int, deps: Deps) -> ActivityRun:
    card = unit_card(unit, deps)
    return ActivityRun(
        deps.desk, Activity.REVIEW, unit, unit, card, context=reader.context, round_=round_, next_activity="write"
    )


def _chosen(
    first: str, second: str, unit: TaskNode, run: ActivityRun, deps: Deps, reader: Agent = CHOOSE
) -> tuple[str, tuple[str, ...]]:
    """Return the draft that is preferred, and what of the other one is worth taking over.

    Where no answer can be used the first draft goes on.
    """
    drafts = {"A": first, "B": second} if _is_first_a(unit, deps) else {"A": second, "B": first}
    judge = _judge(reader, unit, run.round, deps)
    for name, text in drafts.items():
        judge.add(f"draft_{name.lower()}", text, is_prose=True)
    if judge.failures(reader.name) > deps.desk.settings.max_repairs:
        return first, ()
    try:
        choice = judge.run(reader).value
    except (NoResult, RequestRejected):
        return first, ()
    assert isinstance(choice, Choice)
    return drafts[choice.better], choice.carry_over
