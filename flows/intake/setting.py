"""Sets a new book in a finished world: copies the world's pages and records; the world stays as it is."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from bookwright.agents.blueprints.wording import word
from bookwright.exports.vault.names import FOLDERS, brief_locale
from bookwright.flows.blueprints.codex_filling import missing_records
from bookwright.flows.blueprints.gathering import documents_of_pages
from bookwright.models.blueprint import Blueprint, Makes, MemberKind
from bookwright.models.book import Book, BookState
from bookwright.models.brief import Brief
from bookwright.models.codex.record import Origin, Record, RecordKind
from bookwright.models.document import DocumentKind, DocumentOrigin, NewDocument
from bookwright.models.errors import BookNotFound, InvalidBrief, InvalidInput
from bookwright.models.settings import Settings
from bookwright.models.tree.decision import Verdict
from bookwright.models.tree.plan import PlanNode, TaskType
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.engine.database import Database
from bookwright.storage.files.blueprints import blueprint_of
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.stores import BookStorage, Stores

_TITLE = 120
"""Characters."""


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


def read_setting(brief: Brief, database: Database, settings: Settings) -> tuple[Brief, WorldSetting | None]:
    """Return a brief that names its world in full, and what the world holds; None for a brief that names no world.

    Raises:
        InvalidBrief: The world is not there, is not finished, is no world, or is in another language.
        InvalidBlueprint: Its blueprint is gone or broken.
    """
    if not brief.world:
        return brief, None
    world = _world(brief.world, database)
    plan = blueprint_of(world.brief.blueprint, settings.home).plan if world.brief.blueprint else None
    _check(world, plan, brief)
    assert plan is not None  # checked just now
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
    task = _done(stores, root, root, plan)
    gist = _document(task, DocumentKind.DESIGN, setting.gist or setting.title, setting.world)
    stores.queue.add(DocumentKind.BOOK_DESIGN, stores.documents.add(gist, None).id)
    for page in setting.pages:
        kind, what = (
            (DocumentKind.FINDINGS, TaskType.SEARCH) if page.is_findings else (DocumentKind.DESIGN, TaskType.DESIGN)
        )
        title = _titled(page.title, locale) if page.is_spoiler else page.title[:_TITLE]
        plan = PlanNode(task_type=what, title=title, goal=page.goal)
        node = _done(stores, task, root, plan, folder=page.folder)
        stores.documents.add(_document(node, kind, page.text, page.origin), None)


def _world(named: str, database: Database) -> Book:
    with database.read() as connection:
        try:
            return BookRepository(connection).get(named)
        except BookNotFound as error:
            raise InvalidBrief(f"world in the brief: {error}") from None


def _check(world: Book, plan: Blueprint | None, brief: Brief) -> None:
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


def _done(stores: Stores, parent: TaskNode, root: TaskNode, plan: PlanNode, folder: str = "") -> TaskNode:
    [task] = stores.nodes.add(
        parent, [plan], unit=root.key, level=root.level.value, verdict=Verdict.ATOM.value,
        status=NodeStatus.DONE.value, folder=folder,
    )  # fmt: skip
    return task


def _document(node: TaskNode, kind: DocumentKind, text: str, origin: str) -> NewDocument:
    return NewDocument(node=node.key, kind=kind, text=text, origin=DocumentOrigin.WORLD, note=origin)
