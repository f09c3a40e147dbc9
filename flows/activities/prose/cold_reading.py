"""Reading what was written as its readers will, with nothing but the pages, and putting right what failed.

A reader retells the pages; an editor, who knows what they were to tell and what is still kept back, makes orders of
the difference, of the scores and of what code found; a writer carries them out, passage by passage, once. What only a
later unit can make good is handed to its brief.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from bookwright.agents.agent import Agent
from bookwright.agents.quality import collisions
from bookwright.agents.readers import COLD_READER, FIRST_READER, REPAIR, editor
from bookwright.agents.relay.secrets.reviewing import kept_cards
from bookwright.flows.activities.outcomes import keep_document, try_step
from bookwright.flows.activities.prompt_sizes import batches_of
from bookwright.flows.activities.prose.repairing import repair, targets
from bookwright.flows.activities.recall import previous_endings
from bookwright.flows.activities.told_books import is_plotted
from bookwright.flows.activities.unit_facts import begin_activity, designs_told_in, kept_in, prose_parts, unit_card
from bookwright.flows.deps import Deps
from bookwright.models.codex.extraction import ConsistencyReport
from bookwright.models.codex.leak import LeakReport
from bookwright.models.document import DocumentKind
from bookwright.models.step import Activity
from bookwright.models.story.retelling import RepairOrders, Retelling
from bookwright.models.tree.level import Level
from bookwright.models.tree.task import TaskNode
from bookwright.prompts.card import Card, KeptCard
from bookwright.prompts.render import render_retelling
from bookwright.storage.steps.journal import Move
from bookwright.storage.stores import Stores

_BEFORE = 12
"""Summaries of earlier units that a reader of the next one has in mind."""
_MOST_PARTS, _MOST_UNITS = 3, 12
"""Parts of a chapter that are repaired, those with the gravest orders; units of a book, as many as orders may be."""
SECOND = ".second"
"""Ends the names of the steps of a chapter's second round, which `fine` has."""


def first_reading(draft: str, unit: TaskNode, deps: Deps) -> str:
    """Have a draft read before it is revised; return the retelling as its reviser reads it, empty where none came."""
    found = _read_unit(FIRST_READER, FIRST_READER.name, (draft,), unit, deps)
    return render_retelling(found, deps.desk.locale) if found else ""


def read_and_repair(unit: TaskNode, findings: Iterable[str], deps: Deps, again: str = "") -> None:
    """Have a chapter read and put right, with others' `findings`; `again` ends the names of a further round's steps."""
    parts = prose_parts(unit, deps)
    retelling = _read_unit(COLD_READER, f"{COLD_READER.name}{again}", (text for _, text in parts), unit, deps)
    if retelling is not None:
        _put_right(unit, parts, (retelling,), (*findings, *_leak_advice(unit, deps)), _MOST_PARTS, deps, again)


def read_book(book: TaskNode, deps: Deps) -> None:
    """Have a whole book of several units read, in as many portions as its reader's window asks for, and put right."""
    parts = prose_parts(book, deps)
    if deps.desk.is_done(Activity.REVIEW, book, editor(book.level).name):  # some of it may be put right already
        _put_right(book, parts, (), (), _MOST_UNITS, deps)
        return
    retellings: list[Retelling] = []
    portions = batches_of([text for _, text in parts], deps.desk.count_tokens, deps.profile.reading_room)
    for number, portion in enumerate(portions, 1):
        before = [render_retelling(told, deps.desk.locale) for told in retellings]
        name = COLD_READER.name if len(portions) == 1 else f"{COLD_READER.name}.{number}"
        card = replace(unit_card(book, deps), is_first=number == 1, is_last=number == len(portions))
        found = _read(COLD_READER, name, portion, before, card, book, deps)
        if found is None:
            return
        retellings.append(found)
    _put_right(book, parts, retellings, _contradictions(book, deps), _MOST_UNITS, deps)


def review_retellings(unit: TaskNode, deps: Deps) -> None:
    """Have an editor look at an act or a volume by what its readers told, and say what those after it make good."""
    with deps.stores() as stores:
        told = stores.documents.of_nodes(list(_below(unit, stores)), DocumentKind.RETELLING)
        retellings = [Retelling.model_validate_json(stores.documents.data_of(found)) for found in told]
    if retellings:
        _orders(unit, [], retellings[-_BEFORE:], (), deps)


def _below(unit: TaskNode, stores: Stores) -> Iterator[int]:
    """The keys of all units below one, in reading order."""
    for part in stores.nodes.child_units(unit.key):
        yield part.key
        yield from _below(part, stores)


def _contradictions(book: TaskNode, deps: Deps) -> tuple[str, ...]:
    """What was found to stand against the codex, chapter by chapter."""
    with deps.stores() as stores:
        kept = stores.documents.of_nodes(list(_below(book, stores)), DocumentKind.CONSISTENCY)
        reports = [ConsistencyReport.model_validate_json(stores.documents.data_of(found)) for found in kept]
    return tuple(check.line for report in reports for check in report.details if check.result == "error")


def _read(
    reader: Agent, step: str, texts: Iterable[str], before: Sequence[str], card: Card, unit: TaskNode, deps: Deps
) -> Retelling | None:
    """Ask a reader who has seen no design; what they tell is kept with the unit. `before` is what they have in mind."""
    run = begin_activity(Activity.REVIEW, unit, deps, reader.context, card, next_activity="close")
    for text in before:
        run.add("before", text, is_prose=True)
    for text in texts:
        if before:
            run.add("text", text, is_prose=True)
        else:
            run.lead_with("text", text)  # as whoever orders repairs has it

    def kept(told: Retelling) -> Move:
        text = render_retelling(told, deps.desk.locale)
        return keep_document(unit, DocumentKind.RETELLING, text, data=told.model_dump_json())

    outcome = try_step(run, reader, kept, step=step)
    return outcome.value if outcome else None


def _read_unit(reader: Agent, step: str, texts: Iterable[str], unit: TaskNode, deps: Deps) -> Retelling | None:
    """Have a unit read by somebody who remembers of the pages before it the summaries of the last units."""
    with deps.stores() as stores:
        before = stores.nodes.units_before(unit, _BEFORE)
        summaries = stores.documents.of_nodes([own.key for own in before], DocumentKind.SUMMARY)
    return _read(reader, step, texts, [own.text for own in summaries], unit_card(unit, deps), unit, deps)


def _leak_advice(unit: TaskNode, deps: Deps) -> tuple[str, ...]:
    """What the leak review advised and let pass."""
    with deps.stores() as stores:
        data = stores.documents.data_of(stores.documents.current(unit.key, DocumentKind.LEAK_REVIEW))
    rounds = LeakReport.model_validate_json(data).rounds if data else ()
    leaks = rounds[-1].leaks if rounds else ()
    return tuple(f"“{leak.excerpt}”: {leak.suggestion}" for leak in leaks if leak.suggestion)


def _put_right(
    unit: TaskNode, parts: list[tuple[TaskNode, str]], retellings: Sequence[Retelling], findings: tuple[str, ...],
    most: int, deps: Deps, again: str = "",
) -> None:  # fmt: skip
    lost = (line for _, text in parts for line in collisions(text, deps.desk.locale))
    orders = _orders(unit, parts, retellings, (*findings, *lost), deps, again)
    step = f"{REPAIR.name}.{unit.label}{again}"
    open_ = [(part, text) for part, text in parts if not deps.desk.is_done(Activity.WRITE, part, step, 1)]
    for target in targets(open_, orders, most - len(parts) + len(open_), len(parts) == 1, deps):
        repair(target, step, deps)


def _orders(
    unit: TaskNode, parts: list[tuple[TaskNode, str]], retellings: Sequence[Retelling], findings: tuple[str, ...],
    deps: Deps, again: str = "",
) -> RepairOrders:  # fmt: skip
    """Ask an editor what is to be put right; none where no answer can be used."""
    meant, kept_back = _editors_eyes(unit, deps)
    card = replace(unit_card(unit, deps), findings=findings, understood=meant, secrets=kept_back)
    if not unit.level.is_at_least(Level.ACT):
        card = replace(card, previous_endings=previous_endings(unit, unit.level, deps))
    agent = editor(unit.level)
    run = begin_activity(Activity.REVIEW, unit, deps, agent.context, card, next_activity="close")
    if len(retellings) == 1:  # of more, the retellings quote what matters
        for _, text in parts:
            run.lead_with("text", text)
    for told in retellings:
        run.add("retelling", render_retelling(told, deps.desk.locale))

    def kept(found: RepairOrders) -> Move:
        return keep_document(unit, DocumentKind.REVIEW, found.as_text or unit.label, data=found.model_dump_json())

    outcome = try_step(run, agent, kept, step=f"{agent.name}{again}")
    return outcome.value if outcome else RepairOrders()


def _editors_eyes(unit: TaskNode, deps: Deps) -> tuple[tuple[str, ...], tuple[KeptCard, ...]]:
    """What an editor knows and a reader does not: what the pages were to tell, and what is still kept back."""
    with deps.stores() as stores:
        brief = stores.documents.current(unit.key, DocumentKind.WRITERS_BRIEF)
        if brief is None and is_plotted(unit, deps):
            brief = stores.documents.latest(DocumentKind.BOOK_DESIGN)  # the plan, which tells all that readers were to
    meant = (brief.text,) if brief else tuple(design.text for design in designs_told_in(unit, deps))
    kept = kept_in(unit, deps)
    meant = meant or tuple(filter(None, (unit.goal, *unit.acceptance_criteria)))
    return meant, () if unit.parent is None else kept_cards(kept)
