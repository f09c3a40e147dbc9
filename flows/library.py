"""Opening the library: the database, brought up to date, and the books in it."""

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bookwright.failpoints import Failpoint
from bookwright.flows.book_models import names_of
from bookwright.flows.revision.edits import check_places
from bookwright.models.book import Book
from bookwright.models.brief import Brief
from bookwright.models.codex.record import Origin, Record
from bookwright.models.document import DocumentOrigin
from bookwright.models.settings import Settings
from bookwright.storage.engine import migrate
from bookwright.storage.engine.database import Database, open_database, opened_database
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.stores import Stores

if TYPE_CHECKING:
    from bookwright.flows.intake.world import WorldSetting

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
    """Raise `InvalidBlueprint` if a brief names a blueprint that is not there or cannot be worked with."""
    from bookwright.agents.blueprints.loading import usable_blueprint

    if brief.blueprint:
        usable_blueprint(brief.blueprint, settings.home, brief.prompt_locale)


@contextmanager
def opened_library(settings: Settings) -> Iterator[Database]:
    """Open the database, as `open_library` does, for as long as the block lasts."""
    with opened_database(settings) as database:
        migrate.upgrade(database)
        yield database


def check_models(brief: Brief, settings: Settings, option: str | None = None) -> None:
    """Raise `UnknownModel` or `MissingKey` for a role whose model is not known or has no key."""
    from bookwright.agents.backends.endpoints import check_model

    for name in names_of(brief, settings, option):
        check_model(name, settings)


def book_id(brief: Brief, copy: int = 1) -> str:
    """Name a book after its title and its brief, whatever its budget, models and profile: one brief, one book."""
    values = brief.model_dump(mode="json", include=set(_IDENTITY))
    further = {"blueprint": brief.blueprint, "world": brief.world, "outline": brief.outline}
    values |= {name: value for name, value in further.items() if value}
    digest = hashlib.sha256(json.dumps(values, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:6]
    return f"{slug_of(brief.working_title)}-{digest}" + (f"-{copy}" if copy > 1 else "")


def book_of_brief(database: Database, brief: Brief) -> Book | None:
    """Return the book of this brief; None where it is not there."""
    with database.read() as connection:
        return BookRepository(connection).find(book_id(brief))


def is_begun(database: Database, brief: Brief) -> bool:
    """True if the book of this brief is there and a model has been asked for it."""
    known = book_of_brief(database, brief)
    return known is not None and known.calls > 0


def find_or_create(
    database: Database, brief: Brief, *, is_new: bool = False, setting: "WorldSetting | None" = None
) -> Book:
    """Return the book of this brief, made with its world's `setting` if it is not there; `is_new` makes another one."""
    with database.write(Failpoint.CREATE_BOOK) as connection:
        books = BookRepository(connection)
        copy = 1
        while (known := books.find(book_id(brief, copy))) is not None and is_new:
            copy += 1
        if known is not None:
            return known
        identity = book_id(brief, copy)
        books.create(identity, brief.without_codex())
        stores = Stores(connection, identity, brief.language.measure)
        records: tuple[Record, ...] = (*brief.secrets, *brief.foreshadowing)
        for record in records:
            stores.codex.add(record, Origin.AUTHOR)
        stores.nodes.add_root(brief.title, brief.premise, brief.length)
        for record in records:
            check_places(record, stores)
        _keep_with_book(stores, brief, setting)
        return books.get(identity)


def _keep_with_book(stores: Stores, brief: Brief, setting: "WorldSetting | None") -> None:
    """Keep with a new book what its brief brings: a sample's style, an outline's units, what its world holds."""
    if brief.style_sample:
        from bookwright.agents.relay.style_guide import guide_of_sample, keep_guide

        keep_guide(guide_of_sample(brief.style_sample, brief), brief, stores, DocumentOrigin.AUTHOR)
    if brief.outline:
        from bookwright.flows.intake.outlining import keep_outline

        keep_outline(brief, stores)
    if setting is not None:
        from bookwright.flows.intake.world import settle

        settle(setting, brief, stores)


def setting_of(
    brief: Brief, database: Database, settings: Settings, *, is_new: bool = False
) -> tuple[Brief, "WorldSetting | None"]:
    """Return a brief that names its world in full, and what that world holds; None where nothing is to be taken over.

    A book that is there has its world already; `is_new` asks for another one. Raises what `read_setting` does.
    """
    if not brief.world or (not is_new and book_of_brief(database, brief) is not None):
        return brief, None
    from bookwright.flows.intake.world import read_setting

    return read_setting(brief, database, settings)


def slug_of(title: str) -> str:
    """Return a title as the beginning of a book's id."""
    ascii_title = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
    slug = re.sub(r"[^a-z0-9]+", "-", ascii_title.casefold()).strip("-")
    return slug[:_SLUG_LENGTH].strip("-") or "book"
