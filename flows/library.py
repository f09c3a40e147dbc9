"""Opening the library: the database, brought up to date, and the books in it."""

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from bookwright.failpoints import Failpoint
from bookwright.flows.book_models import model_of
from bookwright.flows.revision.record_rules import check_places
from bookwright.models.book import Book
from bookwright.models.brief import Brief
from bookwright.models.codex.record import Origin, Record
from bookwright.models.document import DocumentOrigin
from bookwright.models.model_name import ROLES
from bookwright.models.settings import Settings
from bookwright.storage.engine import migrate
from bookwright.storage.engine.database import Database, open_database
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.repositories.codex import CodexRepository
from bookwright.storage.stores import Stores
from bookwright.storage.tree.nodes import NodeRepository

if TYPE_CHECKING:
    from bookwright.flows.intake.setting import WorldSetting

_IDENTITY = ("premise", "length", "title", "language", "genre", "style", "audience", "ending", "seed")
_SLUG_LENGTH = 40


def open_library(settings: Settings) -> Database:
    """Open the database, creating or upgrading it first if need be.

    Raises:
        UnwritableFolder: The data folder cannot be written to.
        DatabaseTooNew: A newer version wrote it.
    """
    database = open_database(settings)
    migrate.upgrade(database)
    return database


def check_blueprint(brief: Brief, settings: Settings) -> None:
    """Make sure that the blueprint that a brief names is there and can be worked with.

    Raises:
        InvalidBlueprint: It is not, or cannot.
    """
    from bookwright.agents.blueprints.loading import usable_blueprint

    if brief.blueprint:
        usable_blueprint(brief.blueprint, settings.home, (brief.prompt_language or brief.language).value)


@contextmanager
def opened_library(settings: Settings) -> Iterator[Database]:
    """Open the database for as long as the block lasts.

    Raises:
        UnwritableFolder: The data folder cannot be written to.
        DatabaseTooNew: A newer version wrote it.
    """
    database = open_library(settings)
    try:
        yield database
    finally:
        database.dispose()


def check_models(brief: Brief, settings: Settings, option: str | None = None) -> None:
    """Make sure that every role's model is known and has its key.

    Raises:
        UnknownModel: One is not.
        MissingKey: One has none.
    """
    from bookwright.agents.backends.endpoints import check_model

    for name in dict.fromkeys(model_of(role, brief, settings, option) for role in ROLES):
        check_model(name, settings)


def book_id(brief: Brief, copy: int = 1) -> str:
    """Name a book after its title and its brief, so that the same brief means the same book.

    Budget, models and profile are not part of it: changing them goes on with the same book.
    """
    values = brief.model_dump(mode="json", include=set(_IDENTITY))
    if brief.blueprint:
        values["blueprint"] = brief.blueprint
    if brief.world:
        values["world"] = brief.world
    if brief.outline:
        values["outline"] = brief.outline
    digest = hashlib.sha256(json.dumps(values, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:6]
    slug = slug_of(brief.working_title)
    return f"{slug}-{digest}" + (f"-{copy}" if copy > 1 else "")


def is_there(database: Database, brief: Brief) -> bool:
    """True if the book of this brief is there, begun or not."""
    with database.read() as connection:
        return BookRepository(connection).find(book_id(brief)) is not None


def is_begun(database: Database, brief: Brief) -> bool:
    """True if the book of this brief is there and a model has been asked for it."""
    with database.read() as connection:
        known = BookRepository(connection).find(book_id(brief))
    return known is not None and known.calls > 0


def find_or_create(
    database: Database, brief: Brief, *, is_new: bool = False, setting: "WorldSetting | None" = None
) -> Book:
    """Return the book of this brief, creating it if it is not there; `is_new` makes another one.

    `setting` is what the world holds that the brief names, as `setting_of` returns it.
    """
    with database.write(Failpoint.CREATE_BOOK) as connection:
        books = BookRepository(connection)
        copy = 1
        while (known := books.find(book_id(brief, copy))) is not None and is_new:
            copy += 1
        if known is not None:
            return known
        identity = book_id(brief, copy)
        books.create(identity, brief.without_codex())
        codex = CodexRepository(connection, identity)
        records: tuple[Record, ...] = (*brief.secrets, *brief.foreshadowing)
        for record in records:
            codex.add(record, Origin.AUTHOR)
        NodeRepository(connection, identity).add_root(brief.title, brief.premise, brief.length)
        stores = Stores(connection, identity, brief.language.measure)
        for record in records:
            check_places(record, stores)
        _keep_sample(connection, identity, brief)
        _keep_outline(connection, identity, brief)
        _keep_setting(connection, identity, brief, setting)
        return books.get(identity)


def _keep_sample(connection: Connection, book: str, brief: Brief) -> None:
    """Make the style of the brief's sample the one that the book keeps to."""
    if brief.style_sample:
        from bookwright.agents.relay.style_guide import guide_of_sample, keep_guide

        stores = Stores(connection, book, brief.language.measure)
        keep_guide(guide_of_sample(brief.style_sample, brief), brief, stores, DocumentOrigin.AUTHOR)


def _keep_outline(connection: Connection, book: str, brief: Brief) -> None:
    """Make what the author has settled the design of the book, and its units those that are to come."""
    if brief.outline:
        from bookwright.flows.intake.outlining import keep_outline

        keep_outline(brief, Stores(connection, book, brief.language.measure))


def _keep_setting(connection: Connection, book: str, brief: Brief, setting: "WorldSetting | None") -> None:
    """Give the book what the world holds that it is set in."""
    if setting is not None:
        from bookwright.flows.intake.setting import settle

        settle(setting, brief, Stores(connection, book, brief.language.measure))


def setting_of(
    brief: Brief, database: Database, settings: Settings, *, is_new: bool = False
) -> tuple[Brief, "WorldSetting | None"]:
    """Return a brief that names its world in full, and what that world holds; None where nothing is to be taken over.

    A book that is there has its world already; `is_new` asks for another one.

    Raises:
        InvalidBrief: No book can be set in what the brief names.
    """
    if not brief.world or (is_there(database, brief) and not is_new):
        return brief, None
    from bookwright.flows.intake.setting import read_setting

    return read_setting(brief, database, settings)


def slug_of(title: str) -> str:
    """Return a title as the beginning of a book's id."""
    ascii_title = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
    slug = re.sub(r"[^a-z0-9]+", "-", ascii_title.casefold()).strip("-")
    return slug[:_SLUG_LENGTH].strip("-") or "book"
