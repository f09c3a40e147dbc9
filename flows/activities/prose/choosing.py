"""Drafting the units that matter most several times, and the blind choice between the drafts."""

import hashlib
from dataclasses import replace

from bookwright.agents.agent import Agent
from bookwright.agents.readers import CHOOSE, FREE_DRAFT, draft_again
from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.flows.activities.optional_steps import try_step
from bookwright.flows.activities.told_books import is_free, is_told_whole, pages_before
from bookwright.flows.activities.unit_facts import depth_at
from bookwright.flows.candidates.drafting import chosen_of
from bookwright.flows.candidates.judging import blind_reading
from bookwright.flows.candidates.meant import candidates_wanted, is_climax
from bookwright.flows.deps import Deps
from bookwright.models.profile import ProfileName
from bookwright.models.tree.depth import Depth
from bookwright.models.tree.task import TaskNode


def drafted(agent: Agent, unit: TaskNode, run: ActivityRun, deps: Deps) -> str:
    """Have a unit drafted, twice where it opens, turns or ends the book; a blind reader says which draft goes on.

    Where the author wants candidates there are as many as they want.
    """
    count = candidates_wanted(unit, deps)
    if is_told_freely(unit, deps):
        return _drafted_freely(agent, count, unit, run, deps)
    if count > 1:
        return _gone_on(agent, *chosen_of(agent, count, unit, run, deps), run)
    first = str(run.run(agent).value)
    if not wants_two(unit, run, deps):
        return first
    run.put_away(agent.artefact)  # whoever writes the second sees nothing of the first
    run.card = replace(run.card, is_second=True)
    second = str(run.run(draft_again(agent)).value)
    run.put_away(agent.artefact)
    run.card = replace(run.card, is_second=False)
    return _gone_on(agent, *_chosen(first, second, unit, run, deps), run)


def _gone_on(agent: Agent, chosen: str, carry_over: tuple[str, ...], run: ActivityRun) -> str:
    """Show the chosen draft to the steps that follow, with what is worth taking over from another one."""
    run.add(agent.artefact, chosen, is_prose=True)
    if carry_over:
        run.add("carry_over", "\n".join(f"- {line}" for line in carry_over))
    return chosen


def is_told_freely(unit: TaskNode, deps: Deps) -> bool:
    """True for a book of one piece that is drafted from its order alone; one that was rejected is drafted to a note."""
    return is_free(unit, deps) and unit.revision == 1


def _drafted_freely(agent: Agent, count: int, unit: TaskNode, run: ActivityRun, deps: Deps) -> str:
    """Draft a book of one piece from its order alone; no later step holds it to a plan."""
    if count > 1:
        chosen, _ = chosen_of(FREE_DRAFT, count, unit, run, deps, is_bare=True)
    else:
        chosen = _told_freely(unit, run, deps)
    run.narrow_to("order")
    run.card = replace(run.card, is_second=False, is_unplanned=True)
    run.add(agent.artefact, chosen, is_prose=True)
    return chosen


def _told_freely(unit: TaskNode, run: ActivityRun, deps: Deps) -> str:
    """Tell a story from its order alone, twice outside `economy`."""
    drafts = []
    is_once = deps.profile.name is ProfileName.ECONOMY
    for writer in (FREE_DRAFT,) if is_once else (FREE_DRAFT, draft_again(FREE_DRAFT)):
        run.card = replace(run.card, is_second=writer is not FREE_DRAFT)
        drafts.append(str(run.run(writer, is_bare=True).value))
        run.put_away(writer.artefact)
    return drafts[0] if is_once else _chosen(drafts[0], drafts[1], unit, run, deps)[0]


def wants_two(unit: TaskNode, run: ActivityRun, deps: Deps) -> bool:
    """Whether a unit is drafted twice: in fine every one, in standard what opens or ends the book or is its height."""
    if deps.profile.name is ProfileName.FINE:
        return True
    if deps.profile.name is not ProfileName.STANDARD or depth_at(unit, deps) is Depth.SLIGHT:
        return False
    return run.card.is_first or run.card.is_last or is_climax(unit, deps)


def _chosen(first: str, second: str, unit: TaskNode, run: ActivityRun, deps: Deps) -> tuple[str, tuple[str, ...]]:
    """Return the draft that is preferred, or the first, and what of the other one is worth taking over."""
    lot = hashlib.sha256(f"{deps.brief.seed} {unit.label}".encode()).digest()[0]  # neither place is the better one
    drafts = {"A": second, "B": first} if lot % 2 else {"A": first, "B": second}
    judge = blind_reading(
        unit, drafts["A"], drafts["B"], run.round, deps, is_unplanned=is_free(unit, deps), next_activity="write"
    )
    for page in pages_before(unit, deps) if is_told_whole(unit, deps) else ():
        judge.lead_with("text", page.text)
        judge.rests_on(page.id)
    outcome = try_step(judge, CHOOSE)
    return (drafts[outcome.value.better], outcome.value.carry_over) if outcome else (first, ())
