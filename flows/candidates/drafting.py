"""Drafting a unit several times: the units that matter most, or those whose author wants to choose."""

import hashlib
from dataclasses import replace

from bookwright.agents.agent import Agent
from bookwright.agents.readers import CHOOSE, CHOOSE_STORY, FREE_DRAFT, STORY, draft_again, draft_numbered
from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.flows import gates
from bookwright.flows.activities.outcomes import try_step
from bookwright.flows.activities.prose.voice import sample_block
from bookwright.flows.activities.told_books import is_free, is_plotted, pages_before
from bookwright.flows.activities.unit_facts import depth_at
from bookwright.flows.candidates.judging import blind_reading, judged
from bookwright.flows.candidates.rule_matching import candidates_wanted, is_climax
from bookwright.flows.deps import Deps
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.gate import Ruling
from bookwright.models.profile import ProfileName
from bookwright.models.ruling import as_given
from bookwright.models.story.candidates import ANGLES, CandidateChoice, CandidateDraft, Decided
from bookwright.models.tree.depth import Depth
from bookwright.models.tree.task import TaskNode
from bookwright.storage.stores import Stores

CHOSEN = "candidates"
"""Begins the names of the steps that code records when a choice is made: how many there were to choose from follows."""


def drafted(agent: Agent, unit: TaskNode, run: ActivityRun, deps: Deps) -> str:
    """Have a unit drafted, twice where it opens, turns or ends the book; a blind reader says which draft goes on.

    Where the author wants candidates there are as many as they want.
    """
    count = candidates_wanted(unit, deps)
    if is_told_freely(unit, deps):
        return _drafted_freely(agent, count, run, deps)
    if count > 1:
        return _gone_on(agent, *chosen_of(agent, count, run, deps), run)
    if wants_two(unit, run, deps):
        return _gone_on(agent, *_better_of_two(agent, run, deps), run)
    return str(run.run(agent).value)


def _gone_on(agent: Agent, chosen: str, carry_over: tuple[str, ...], run: ActivityRun) -> str:
    """Show the chosen draft to the steps that follow, with what is worth taking over from another one."""
    run.add(agent.artefact, chosen, is_prose=True)
    if carry_over:
        run.card = replace(run.card, has_carry_over=True)
        run.add("carry_over", "\n".join(f"- {line}" for line in carry_over))
    return chosen


def is_told_freely(unit: TaskNode, deps: Deps) -> bool:
    """True for a book of one piece that is drafted from a story; one that was rejected is drafted to a note."""
    return is_free(unit, deps) and unit.revision == 1


def _drafted_freely(agent: Agent, count: int, run: ActivityRun, deps: Deps) -> str:
    """Draft a book of one piece from a story that was told for its order; no later step holds it to a plan."""
    if count > 1:
        chosen, _ = chosen_of(FREE_DRAFT, count, run, deps)
    elif run.is_done(draft_again(FREE_DRAFT).name) and not run.is_done(STORY.name):  # as an earlier version did
        chosen, _ = _better_of_two(FREE_DRAFT, run, deps)
    else:
        _tell(run, deps)
        chosen = str(run.run(FREE_DRAFT).value)
    run.take_away("story", FREE_DRAFT.artefact)
    run.narrow_to()  # else the order is looked for beside the sample and not built
    run.narrow_to("order", *sample_block(deps))
    run.card = replace(run.card, is_unplanned=True)
    run.add(agent.artefact, chosen, is_prose=True)
    return chosen


def _tell(run: ActivityRun, deps: Deps) -> None:
    """Put the better of two stories, told for the order alone, before those who write a book of one piece from it."""
    run.narrow_to()
    run.card = replace(run.card, is_unplanned=run.is_done(FREE_DRAFT.name) and not run.is_done(STORY.name))
    if not run.card.is_unplanned:  # else an earlier version drafted it from its order
        run.add("story", _better_of_two(STORY, run, deps)[0], is_prose=True)
    run.narrow_to(*sample_block(deps))


def wants_two(unit: TaskNode, run: ActivityRun, deps: Deps) -> bool:
    """Whether a unit is drafted twice: in fine every one, in standard what opens or ends the book or is its height."""
    if deps.profile.name is ProfileName.FINE:
        return True
    if deps.profile.name is not ProfileName.STANDARD or depth_at(unit, deps) is Depth.SLIGHT:
        return False
    return run.card.is_first or run.card.is_last or is_climax(unit, deps)


def _better_of_two(agent: Agent, run: ActivityRun, deps: Deps) -> tuple[str, tuple[str, ...]]:
    """Have a unit drafted twice, or its story told; return the better or the first, and what of the other to take."""
    unit, made = run.unit, []
    for writer in (agent, draft_again(agent)):
        run.card = replace(run.card, is_second=writer is not agent)
        made.append(str(run.run(writer, is_bare=agent in (STORY, FREE_DRAFT)).value))
        run.take_away(agent.artefact)  # whoever writes the second sees nothing of the first
    run.card = replace(run.card, is_second=False)
    first, second = made
    lot = hashlib.sha256(f"{deps.brief.seed} {unit.label}".encode()).digest()[0]  # neither place is the better one
    drafts = {"A": second, "B": first} if lot % 2 else {"A": first, "B": second}
    judge = blind_reading(
        unit, drafts["A"], drafts["B"], run.round, deps, is_unplanned=is_free(unit, deps), next_activity="write"
    )
    for page in pages_before(unit, deps) if is_plotted(unit, deps) else ():
        judge.lead_with("text", page.text)
        judge.rests_on(page.id)
    chooser = CHOOSE_STORY if agent is STORY else CHOOSE
    is_late = agent is STORY and run.is_done(FREE_DRAFT.name)  # nobody chose while it was time
    outcome = try_step(judge, chooser) if judge.is_done(chooser.name) or not is_late else None
    return (drafts[outcome.value.better], outcome.value.carry_over) if outcome else (first, ())


def chosen_of(
    agent: Agent, count: int, run: ActivityRun, deps: Deps, *, stands: bool = False
) -> tuple[str, tuple[str, ...]]:
    """Have a unit drafted so often; return the draft that goes on, and what of another one is worth taking over.

    Each draft, each judgement and the choice are steps of the journal. In the walk the book rests for its author's
    choice where they want that. Where the unit's text `stands` already, it stays.

    Raises:
        GateWaiting: The author has not chosen yet.
    """
    if agent is FREE_DRAFT:
        _tell(run, deps)
    unit, texts = run.unit, [_draft(agent, number, run) for number in range(1, count + 1)]
    made = tuple(
        CandidateDraft(
            number=number, angle=ANGLES[number - 1], step=draft_numbered(agent, number).name,
            length=deps.brief.language.measure(text), text=text,
        )
        for number, text in enumerate(texts, 1)
    )  # fmt: skip
    comparisons, carry_over = judged(texts, run, deps)
    preferred = comparisons[-1].goes_on
    choice = CandidateChoice(
        revision=unit.revision, candidates=made, comparisons=comparisons, preferred=preferred,
        chosen=_standing(unit, deps) if stands else preferred, by=Decided.NOBODY,
    )  # fmt: skip
    if not stands:
        choice = choice.model_copy(update={"by": Decided.JUDGE if choice.is_agreed else Decided.RULE})
    sources = () if agent is FREE_DRAFT else run.sources
    _record(f"{CHOSEN}.{count}", choice, sources, run)
    if deps.asks_at_gates and (ruling := gates.pass_candidates(unit, texts[preferred - 1], deps)) is not None:
        return _ruled(ruling, texts, choice, sources, run), ()
    return texts[preferred - 1], carry_over


def _draft(agent: Agent, number: int, run: ActivityRun) -> str:
    """Have one draft written by somebody who sees nothing of the others."""
    writer = draft_numbered(agent, number)
    card = run.card
    run.card = replace(card, angle=ANGLES[number - 1].value)
    text = str(run.run(writer).value)
    run.take_away(writer.artefact)
    run.card = card
    return text


def _standing(unit: TaskNode, deps: Deps) -> int:
    """The candidate from which a unit's text came as far as that is known; 0 where it is not."""
    with deps.stores() as stores:
        before = stores.documents.current(unit.key, DocumentKind.CANDIDATES, with_text=False)
        known = CandidateChoice.model_validate_json(stores.documents.data_of(before)) if before else None
    return known.chosen if known is not None and known.revision == unit.revision else 0


def _ruled(
    ruling: Ruling, texts: list[str], choice: CandidateChoice, sources: tuple[int, ...], run: ActivityRun
) -> str:
    """The draft that the author chose, or a text of their own."""
    chosen = next((number for number, text in enumerate(texts, 1) if as_given(text) == as_given(ruling.text)), 0)
    _record(f"{CHOSEN}.author", choice.model_copy(update={"chosen": chosen, "by": Decided.AUTHOR}), sources, run)
    return texts[chosen - 1] if chosen else ruling.text


def _record(step: str, choice: CandidateChoice, sources: tuple[int, ...], run: ActivityRun) -> None:
    """Put a choice on record, once, in one transaction with the document that tells of it.

    The step makes no move of its own: by that an activity is known that has nothing more to come.
    """
    if run.is_done(step):
        return
    new = NewDocument(
        node=run.node.key, kind=DocumentKind.CANDIDATES, text=choice.as_text, data=choice.model_dump_json(),
        inputs=sources, codex=run.guard.use if sources else None,
    )  # fmt: skip

    def keep(stores: Stores) -> None:
        before = stores.documents.current(new.node, new.kind, with_text=False)
        if before is None or stores.documents.data_of(before) != new.data:  # else it is kept already
            stores.documents.add(new, None)

    run.desk.journal.defer(keep)
    run.by_code(step, choice.as_text, choice.summary)
