"""A book of designs as a world: its pages fill its codex, and once it is finished new books are set in it."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from bookwright.agents.blueprints.page_reading import CodexPage, page_records
from bookwright.agents.blueprints.wording import word
from bookwright.agents.relay.extracting import ExtractionGround, design_records
from bookwright.agents.workflows import EXTRACT_DESIGN, evaluates
from bookwright.exports.vault.names import FOLDERS, brief_locale
from bookwright.flows.activities.extract import merge_records
from bookwright.flows.activities.outcomes import try_step
from bookwright.flows.activities.prompt_sizes import batches_of, cut_to_tokens
from bookwright.flows.activities.unit_facts import begin_activity
from bookwright.flows.blueprints.members import PartOf, documents_of_pages, folder_of, part_of
from bookwright.flows.deps import Deps
from bookwright.flows.intake.outlining import add_done
from bookwright.models.blueprint import Blueprint, CodexPart, Makes, MemberKind
from bookwright.models.book import Book, BookState
from bookwright.models.brief import Brief
from bookwright.models.codex.entries import CodexEntry, Secret
from bookwright.models.codex.extraction import DesignExtraction
from bookwright.models.codex.record import Origin, Record, RecordKind, kind_of
from bookwright.models.document import Document, DocumentKind, DocumentOrigin
from bookwright.models.errors import BookNotFound, InvalidBrief, InvalidInput
from bookwright.models.settings import Settings
from bookwright.models.step import Activity
from bookwright.models.tree.plan import PlanNode, TaskType
from bookwright.models.tree.task import TaskNode
from bookwright.storage.engine.database import Database
from bookwright.storage.files.blueprints import blueprint_of
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.steps.journal import Move
from bookwright.storage.stores import BookStorage, Stores

_SHARE = 0.8
"""Of the room of a designer's prompt, for the pages of one call."""

_TITLE = 120
"""Characters."""


def fill_codex(book: TaskNode, deps: Deps) -> None:
    """Take a book's pages into its codex: what a model finds where one may judge, then what code reads off them."""
    plan = folder_of(deps).plan
    with deps.stores() as stores:
        pages = [page for _, page, _ in _pages_for_codex(book, plan, stores)]
    if not pages:
        return
    if evaluates(deps.profile.name):
        deps.observer.run(Activity.REVIEW, book, lambda: _extract(book, pages, deps))

    def complete(stores: Stores, step: int) -> None:
        for record, document in list(missing_records(book, plan, stores)):
            merge_records([record], Origin.DESIGN, document, stores, step)  # what fits nothing there is on its page

    deps.desk.journal.move(complete)


def _pages_for_codex(book: TaskNode, plan: Blueprint, stores: Stores) -> Iterator[tuple[TaskNode, Document, CodexPart]]:
    """Yield the pages that are something in the codex by the blueprint, each with its task and what it is there."""
    for node, page in documents_of_pages(book, stores):
        member = plan.member(node.member)
        if member is not None and member.codex is not None:
            yield node, page, member.codex


def missing_records(book: TaskNode, plan: Blueprint, stores: Stores) -> Iterator[tuple[Record, int]]:
    """Yield what the pages of a book come to and its codex never had, each with its page; secrets where it has none."""
    default = stores.books.get(book.book).brief.default_visibility
    has_secrets = bool(stores.codex.secrets())
    for page, document in _codex_pages(book, plan, stores):
        for record in page_records(page, default):
            is_answered = isinstance(record, Secret) and has_secrets
            if not is_answered and not _was_there(record, stores):
                yield record, document


def _was_there(record: Record, stores: Stores) -> bool:
    """True for what is in the codex, by its id or its name, or was taken out of it."""
    kind = kind_of(record)
    return stores.codex.was_there(kind, record.id) or (
        isinstance(record, CodexEntry) and stores.codex.find(kind, record.name) is not None
    )


def _codex_pages(book: TaskNode, plan: Blueprint, stores: Stores) -> Iterator[tuple[CodexPage, int]]:
    """The pages that go to the codex: of a member with entries these, and not the page that introduces them."""
    found = list(_pages_for_codex(book, plan, stores))
    introduced = {node.parent for node, _, _ in found if part_of(node) is PartOf.ENTRY}
    for node, page, part in found:
        if node.key not in introduced:
            yield CodexPage(node.title, page.text, part), page.id


def _extract(book: TaskNode, pages: Sequence[Document], deps: Deps) -> None:
    """Have a model read the pages, as many at a time as it has room for."""
    run = begin_activity(Activity.REVIEW, book, deps, EXTRACT_DESIGN.context, next_activity="close")
    ground = ExtractionGround((deps.brief.premise, deps.brief.title), deps.brief.default_visibility)
    room = deps.profile.context_budget[EXTRACT_DESIGN.context] * _SHARE
    shown = [(page.id, cut_to_tokens(page.text, room, deps)) for page in pages]
    batches = batches_of(shown, lambda page: deps.desk.count_tokens(page[1]), room)
    for number, batch in enumerate(batches, 1):
        run.artefacts = []
        for _, text in batch:
            run.add("design", text)
        last, _ = batch[-1]  # code reads the pages all the same
        try_step(run, EXTRACT_DESIGN, partial(_taken_in, ground, last), step=f"{EXTRACT_DESIGN.name}.{number}")


def _taken_in(ground: ExtractionGround, document: int, found: DesignExtraction) -> Move:
    """The move that keeps what pages lay down; there is no story yet for threads, or for a secret to come out in."""
    records, _ = design_records(found.model_copy(update={"threads": ()}), ground)
    kept = [own.model_copy(update={"revealed_at": None}) if isinstance(own, Secret) else own for own in records]
    return lambda stores, step: merge_records(kept, Origin.DESIGN, document, stores, step)


@dataclass(frozen=True)
class WorldPage:
    """A page of a world, with where it stood there."""

    title: str
    goal: str
    text: str
    folder: str
    is_findings: bool
    is_spoiler: bool
    origin: str
    """The world, the page's label in it and its version, such as `"salt-marsh-1a2b3c 1.6 v2"`."""


@dataclass(frozen=True)
class WorldSetting:
    """What a book that is set in a world begins with."""

    world: str
    title: str
    gist: str
    """What holds in the world, as its own maintainer keeps it."""
    records: tuple[Record, ...]
    pages: tuple[WorldPage, ...]


def read_setting(brief: Brief, database: Database, settings: Settings) -> tuple[Brief, WorldSetting]:
    """Return a brief that names its world in full, and what the world holds.

    Raises:
        InvalidBrief: The world is not there, is not finished, is no world, or is in another language.
        InvalidBlueprint: Its blueprint is gone or broken.
    """
    world = _world(brief.world, database)
    plan = _plan(world, brief, settings)
    with BookStorage(database, world.id, world.brief.language).read() as stores:
        return brief.changed(world=world.id), _setting(world, plan, stores)


def settle(setting: WorldSetting, brief: Brief, stores: Stores) -> None:
    """Give a book that is just begun its world: records for its codex, the world's pages as designs that are done."""
    root = stores.nodes.root()
    for record in setting.records:
        with suppress(InvalidInput):  # the brief's own record of that name stands
            stores.codex.add(record, Origin.WORLD)
    locale = brief_locale(brief)
    told = word("pair", locale, what=word("world", locale), told=setting.title)
    plan = PlanNode(task_type=TaskType.DESIGN, title=_titled(told, locale), goal=word("world_goal", locale))
    gist, origin = setting.gist or setting.title, DocumentOrigin.WORLD
    task, document = add_done(stores, root, root, plan, gist, origin, note=setting.world)
    stores.queue.add(DocumentKind.BOOK_DESIGN, document)
    for page in setting.pages:
        what = TaskType.SEARCH if page.is_findings else TaskType.DESIGN
        title = _titled(page.title, locale) if page.is_spoiler else page.title[:_TITLE]
        plan = PlanNode(task_type=what, title=title, goal=page.goal)
        add_done(stores, task, root, plan, page.text, origin, folder=page.folder, note=page.origin)


def _world(named: str, database: Database) -> Book:
    with database.read() as connection:
        try:
            return BookRepository(connection).get(named)
        except BookNotFound as error:
            raise InvalidBrief(f"world in the brief: {error}") from None


def _plan(world: Book, brief: Brief, settings: Settings) -> Blueprint:
    """The blueprint of a book in which another one is to be set; raise `InvalidBrief` if that cannot be."""
    plan = blueprint_of(world.brief.blueprint, settings.home).plan if world.brief.blueprint else None
    if plan is None or plan.makes is not Makes.DESIGNS:
        raise InvalidBrief(
            f"world in the brief: {world.id!r} is a story and no world; `bookwright worldbuild` makes one"
        )
    if world.state is not BookState.FINISHED:
        raise InvalidBrief(
            f"world in the brief: {world.id!r} is not finished; `bookwright resume {world.id}` goes on with it"
        )
    if world.brief.language is not brief.language:
        raise InvalidBrief(
            f"world in the brief: {world.id!r} is in {world.brief.language.english_name} and this book in "
            f"{brief.language.english_name}; a book is in the language of its world"
        )
    return plan


def _setting(world: Book, plan: Blueprint, stores: Stores) -> WorldSetting:
    root = stores.nodes.root()
    gist = stores.documents.latest(DocumentKind.BOOK_DESIGN)
    kept = [stored.record for kind in RecordKind for stored in stores.codex.current(kind)]
    unread = [record for record, _ in missing_records(root, plan, stores)]  # of a world that was finished before
    return WorldSetting(
        world=world.id, title=world.title, gist=gist.text if gist else "", records=(*kept, *unread),
        pages=tuple(_pages(root, plan, stores)),
    )  # fmt: skip


def _pages(root: TaskNode, plan: Blueprint, stores: Stores) -> Iterator[WorldPage]:
    """What a model or the author has written; what code made of it belongs to the world's own folder."""
    for node, document in documents_of_pages(root, stores):
        member = plan.member(node.member)
        if member is None or member.kind is not MemberKind.PAGE:
            yield WorldPage(
                node.title, node.goal, document.text, node.folder, document.kind is DocumentKind.FINDINGS,
                member is not None and member.tells_end, f"{root.book} {node.label} v{document.version}",
            )  # fmt: skip


def _titled(title: str, locale: str) -> str:
    """Return the title of a page that tells the end, with what says so."""
    ending = FOLDERS[locale].spoiler
    return f"{title.removesuffix(ending)[: _TITLE - len(ending)]}{ending}"
