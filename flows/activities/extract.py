"""Filling the codex: once from the book's designs, then from each accepted chapter, which is held against it.

What an author said is never overwritten (`CodexRepository.merge`). Source: DESIGN section 10, item 6.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace

from bookwright.agents.relay.extracting import ExtractionGround, design_records, entry_record
from bookwright.agents.relay.scene import climax_ahead
from bookwright.agents.relay.secrets.coming_out import recorded as told_by
from bookwright.agents.relay.secrets.tellings import secrets_after
from bookwright.agents.relay.threads.alerts import PACINGS, generate_alerts, unintended
from bookwright.agents.relay.threads.foreshadowing import without_unit
from bookwright.agents.relay.threads.thread_events import place_of, touched_by
from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.agents.workflows import EXTRACT, EXTRACT_DESIGN, evaluates
from bookwright.flows.activities.chapter_check import check_of, dated_entry, extracts, last_prose, with_times
from bookwright.flows.activities.outcomes import as_move, is_given_up, try_step
from bookwright.flows.activities.prompt_sizes import cut_to_tokens
from bookwright.flows.activities.unit_facts import begin_activity, prose_of, unit_card
from bookwright.flows.deps import Deps
from bookwright.models.codex.entries import Secret
from bookwright.models.codex.extraction import ConsistencyReport, DesignExtraction, Extraction, results_of
from bookwright.models.codex.foreshadowing import Foreshadowing
from bookwright.models.codex.record import Origin, Record, RecordKind, kind_of
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.errors import InvalidInput, NoResult, RequestRejected
from bookwright.models.step import AMENDING_ROUNDS, Activity
from bookwright.models.tree.decision import Decision
from bookwright.models.tree.place import ReadingOrder
from bookwright.models.tree.task import TaskNode
from bookwright.storage.repositories.taking_back import rests_on_replaced_prose, take_back
from bookwright.storage.steps.journal import Move
from bookwright.storage.stores import Stores

_DESIGN_SHARE = 0.8
"""Of the room of a designer's prompt, for the designs themselves."""
_PACING = PACINGS["medium"]
_FIRST_ROUND = 2
"""Of a chapter's review: its judges have those before it."""
_MOST_STRAYS = 3


def extract_design(book: TaskNode, deps: Deps) -> None:
    """Fill the codex from a book's designs, once, where a model may judge; else it begins with the first chapter."""
    if not evaluates(deps.profile.name):
        return
    next_activity = "brief" if book.decision is Decision.PROCEED_TO_WRITE else "divide"
    run = begin_activity(Activity.REVIEW, book, deps, EXTRACT_DESIGN.context, next_activity=next_activity)
    if run.is_done(EXTRACT_DESIGN.name) or is_given_up(run, EXTRACT_DESIGN.name):
        return
    sources = _show_designs(book, run, deps)
    if not sources:
        return
    public = (deps.brief.premise, deps.brief.title)

    def record(found: DesignExtraction, stores: Stores, step: int) -> None:
        if deps.blueprint is not None and deps.blueprint.plan.has_register:  # who laid them down knew of what
            found = found.model_copy(update={"secrets": (), "threads": ()})
        every = (stored.record for stored in stores.codex.every_version())
        secrets = tuple(own for own in every if isinstance(own, Secret))
        records, _ = design_records(found, ExtractionGround(public, deps.brief.default_visibility, secrets=secrets))
        merge_records(records, Origin.DESIGN, sources[-1], stores, step)

    def ask() -> None:
        run.run(EXTRACT_DESIGN, as_move(record))

    with suppress(NoResult, RequestRejected):
        deps.observer.run(Activity.REVIEW, book, ask)


def extract(unit: TaskNode, deps: Deps, round_: int = _FIRST_ROUND) -> None:
    """Hold an accepted chapter against the codex, take in what it adds, and record what it did for the threads.

    Where no answer can be used, code alone looks for the threads' words; the attempts are on record.
    """
    text = prose_of(unit, deps)
    with deps.stores() as stores:
        is_replaced = rests_on_replaced_prose(stores, unit)
    if is_replaced:
        deps.desk.journal.move(lambda stores, step: take_back(stores, unit, step or None, only_replaced=True))
    known = check_of(unit, text, deps)
    card = replace(
        unit_card(unit, deps), chapter=known.chapter, codex=known.record, threads=known.threads,
        due_secrets=known.due_lines, times=known.times, unknown_yet=known.unknown_yet,
        is_brief=not evaluates(deps.profile.name),
    )  # fmt: skip
    run = begin_activity(Activity.REVIEW, unit, deps, EXTRACT.context, card, round_=round_, next_activity="close")
    run.lead_with("text", text)
    found = try_step(run, EXTRACT, lambda found: chapter_move(unit, text, known.named(found), known.prose))
    if found is None and not known.is_recorded:
        deps.desk.journal.move(chapter_move(unit, text, None, known.prose))


def extract_again(unit: TaskNode, deps: Deps) -> None:
    """Take in a closed chapter whose prose was changed since; once for each version of it."""
    with deps.stores() as stores:
        prose = last_prose(unit, stores)
    if prose is None:
        return
    if extracts(unit, deps):
        extract(unit, deps, AMENDING_ROUNDS + prose.version)
    else:
        deps.desk.journal.move(chapter_move(unit, prose_of(unit, deps), None, prose.id))


def chapter_move(unit: TaskNode, text: str, found: Extraction | None, prose: int | None) -> Move:
    """The move that takes a chapter in, in its earlier text's place; None for what code alone has found."""

    def move(stores: Stores, step: int) -> None:
        said = found or Extraction()
        take_back(stores, unit, step or None, only_replaced=found is None)
        reading, threads = stores.codex.reading_order(), stores.codex.threads()
        refused = _take_entries(said, unit, prose, stores, step, reading)
        said, slips = with_times(unit, text, said, stores, reading)
        is_judged = found is not None
        touched = touched_by(text, said.touches, threads, unit.label, reading, is_judged=is_judged)
        told = secrets_after(
            text, said.reveals, stores.codex.secrets(), unit.label, place_of(unit.label), reading, is_judged=is_judged
        )
        changed: list[Record] = [*touched.threads, *told]
        for record in changed:
            version = stores.codex.get(kind_of(record), record.id).version
            stores.codex.edit(record, version, Origin.PROSE, document=prose, step=step or None)
        after = stores.codex.threads()
        alerts = generate_alerts(
            after, unit.label, reading, _PACING, climax=climax_ahead(unit, stores, reading),
            secrets=stores.codex.secrets(), is_finished=unit.parent is None,
        )  # fmt: skip
        report = ConsistencyReport(
            unit=unit.label, results=results_of((*said.checks, *slips)) if found or slips else {},
            details=(*(check for check in said.checks if check.result in ("warning", "error")), *slips), when=said.when,
            people=said.people, refused=(*refused, *touched.refused), alerts=tuple(alert.detail for alert in alerts),
            strays=tuple(alert.excerpt for alert in unintended(text, after)[:_MOST_STRAYS]),
        )  # fmt: skip
        new = NewDocument(
            node=unit.key, kind=DocumentKind.CONSISTENCY, text=report.as_text or unit.label,
            data=report.model_dump_json(), inputs=(prose,) if prose else (),
        )  # fmt: skip
        stores.documents.add(new, step)

    return move


def forget(unit: TaskNode, stores: Stores, step: int) -> None:
    """Take out of the codex and the register what the prose of a unit did there: it is to be written anew."""
    take_back(stores, unit, step or None)
    reading = stores.codex.reading_order()
    for stored in stores.codex.current(RecordKind.FORESHADOWING):
        assert isinstance(stored.record, Foreshadowing)
        stores.codex.edit(
            without_unit(stored.record, unit.label, reading), stored.version, Origin.PROSE, step=step or None
        )
    for stored in stores.codex.current(RecordKind.SECRET):
        assert isinstance(stored.record, Secret)
        after = told_by(stored.record, None, unit.label, reading)
        stores.codex.edit(after, stored.version, Origin.PROSE, step=step or None)


def _take_entries(
    found: Extraction, unit: TaskNode, prose: int | None, stores: Stores, step: int, reading: ReadingOrder
) -> list[str]:
    refused: list[str] = []
    if not found.entries:
        return refused
    default = stores.books.get(unit.book).brief.default_visibility
    for entry in found.entries:
        entry = dated_entry(entry, unit, stores, reading)
        try:
            record = entry_record(entry, stores.codex.entries(), default, place_of(unit.label))
        except InvalidInput as error:
            refused.append(f"{entry.name}: {error}")
            continue
        refused += merge_records([record], Origin.PROSE, prose, stores, step)
    return refused


def merge_records(
    records: Iterable[Record], origin: Origin, document: int | None, stores: Stores, step: int
) -> list[str]:
    """Merge records into the codex; what fits nothing there comes back as a line each."""
    refused = []
    for record in records:
        try:
            stores.codex.merge(record, origin, document=document, step=step or None)
        except InvalidInput as error:
            refused.append(str(error))
    return refused


def _show_designs(book: TaskNode, run: ActivityRun, deps: Deps) -> tuple[int, ...]:
    """Put the designs of the whole book before the step, each cut to its share of the room."""
    with deps.stores() as stores:
        tasks = stores.nodes.design_tasks(book.key)
        documents = stores.documents.of_nodes([task.key for task in tasks], DocumentKind.DESIGN)
    room = deps.profile.context_budget[EXTRACT_DESIGN.context] * _DESIGN_SHARE / max(len(documents), 1)
    for document in documents:
        run.add("design", cut_to_tokens(document.text, room, deps))
    return tuple(document.id for document in documents)
