"""A database for each test, copied from one that was migrated once; SQLite unless a module asks for both."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from bookwright.models.brief import make_brief
from bookwright.models.settings import Settings, load_settings
from bookwright.models.text.language import Language
from bookwright.storage.engine.database import Database, open_database
from bookwright.storage.lease import Lease
from bookwright.storage.steps.journal import Journal
from bookwright.storage.stores import BookStorage
from tests.conftest import migrated
from tests.storage.shelves import Shelf
from tests.support.postgres import PostgresServer

BOOK = "lamp"
BRIEF = make_brief({"premise": "A keeper finds a log.", "length": 20_000, "title": "The Log"})
BACKINGS = ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated SQLite file."""
    settings = load_settings(home=tmp_path_factory.mktemp("sqlite"))
    migrated(settings)
    return settings.database_path


@pytest.fixture
def backing() -> str:
    """Which database a test runs on; a module that wants both overrides this."""
    return "sqlite"


@pytest.fixture
def settings(backing: str, tmp_path: Path, request: pytest.FixtureRequest) -> Settings:
    """Settings with a database of the test's own, migrated."""
    return settings_on(backing, tmp_path, request)


def settings_on(backing: str, home: Path, request: pytest.FixtureRequest) -> Settings:
    if backing == "postgres":
        server: PostgresServer = request.getfixturevalue("postgres")
        name = server.new_database(request.getfixturevalue("postgres_template"))
        return load_settings(home=home, database_url=server.url(name))
    settings = load_settings(home=home)
    shutil.copy(request.getfixturevalue("sqlite_template"), settings.database_path)
    return settings


@pytest.fixture
def database(settings: Settings) -> Iterator[Database]:
    """The open database."""
    database = open_database(settings)
    yield database
    database.dispose()


@pytest.fixture
def storage(database: Database) -> BookStorage:
    """A book that has nothing but its root."""
    return new_book(database)


def new_book(database: Database) -> BookStorage:
    storage = BookStorage(database, BOOK, Language.EN)
    with storage.write() as stores:
        stores.books.create(BOOK, BRIEF)
        stores.nodes.add_root(BRIEF.title, BRIEF.premise, BRIEF.length)
    return storage


@pytest.fixture
def shelf(settings: Settings, storage: BookStorage) -> Shelf:
    """That book in the hands of one who holds its lease."""
    return taken(settings, storage)


def taken(settings: Settings, storage: BookStorage) -> Shelf:
    """Take a book's lease."""
    with storage.write() as stores:
        lease = Lease.take(stores.connection, BOOK, "a test", 600)
        root = stores.nodes.root()
    return Shelf(settings, storage, Journal(storage, lease), root)
