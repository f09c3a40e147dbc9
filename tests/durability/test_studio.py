"""The studio of deploy/studio.py writes 32 books on two hosts; one of them dies and does not come back."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import pytest
from prefect.client.orchestration import get_client

from bookwright.agents.backends.service import ModelService
from bookwright.flows.library import book_id, find_or_create, opened_library
from bookwright.flows.open_book import RunConfig
from bookwright.flows.prefect.pool import on_server
from bookwright.flows.prefect.server import PrefectApi, start_prefect, stop_process
from bookwright.flows.run_book import run_book
from bookwright.models.book import Book, BookState
from bookwright.models.brief import Brief, make_brief
from bookwright.models.document import DocumentKind
from bookwright.models.settings import Settings, load_settings
from bookwright.storage.engine.database import Database
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.stores import BookStorage
from tests.places import ROOT
from tests.support.fake_provider import Entry, FakeProvider
from tests.support.novelist import write as novelist

pytestmark = [pytest.mark.soak, pytest.mark.prefect, pytest.mark.postgres]

SOURCES = ROOT
PATIENCE_SECONDS = 3_000
BOOKS = 32
LONG = 2
"""How many of them are long enough to be indexed by the Chroma server."""
LIMIT = 2
"""Books that one host writes at once."""


def brief_of(number: int) -> Brief:
    given = {"title": title_of(number), "length": 45_000 if number < LONG else 6_000, "profile": "economy"}
    return make_brief(given | {"premise": "A keeper reads a log in her own hand."})


def title_of(number: int) -> str:
    return f"Quartz{number:02}"


@dataclass(frozen=True)
class Studio:
    """A running studio, as a person with its variables sees it."""

    variables: dict[str, str]
    provider: FakeProvider
    database: Database

    def hand_in(self, brief: Brief) -> str:
        """What `bookwright submit` is for."""
        given = brief.model_dump(mode="json", include={"premise", "length", "profile", "title"})
        self._prefect("deployment", "run", "write-book/write-book", "--param", f"brief={json.dumps(given)}")
        return book_id(brief)

    def raise_limit(self, limit: int) -> None:
        self._prefect("work-pool", "set-concurrency-limit", "books", str(limit))

    def _prefect(self, *arguments: str) -> None:
        command = [sys.executable, "-m", "prefect", *arguments]
        subprocess.run(command, env=self.environment, cwd=SOURCES, check=True, stdout=subprocess.DEVNULL)

    @property
    def environment(self) -> dict[str, str]:
        return os.environ | self.variables

    def books(self) -> dict[str, Book]:
        with self.database.read() as connection:
            return {book.id: book for book in BookRepository(connection).all()}

    def runs(self) -> list[dict[str, Any]]:
        """The flow runs as Prefect has them."""
        api = PrefectApi(self.variables["PREFECT_API_URL"], self.variables["PREFECT_API_AUTH_STRING"])
        with on_server(api), get_client(sync_client=True) as client:
            return [run.model_dump(mode="json") for run in client.read_flow_runs(limit=200)]

    def calls_of(self, number: int) -> list[Entry]:
        """The provider's own record of one book's calls."""
        return [entry for entry in self.provider.ledger if title_of(number) in json.dumps(entry.body)]


@pytest.fixture
def folder() -> Iterator[Path]:
    """A place for the studio that the user Postgres runs as can reach."""
    with TemporaryDirectory(prefix="bookwright-studio-") as name:
        Path(name).chmod(0o755)
        yield Path(name) / "studio"


@contextmanager
def studio_in(folder: Path, provider: FakeProvider) -> Iterator[Studio]:
    """Start the studio as a stranger would, and end it by SIGTERM."""
    ours = {"MODEL": "compatible:fake", "LLM_BASE_URL": provider.url, "EMBEDDING": "hashing", "FREE_MEGABYTES": "0",
            "LEASE_SECONDS": "20"}  # fmt: skip
    ours = {f"BOOKWRIGHT_{name}": value for name, value in ours.items()}
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    command = [sys.executable, str(SOURCES / "deploy" / "studio.py"), str(folder), "--limit", str(LIMIT)]
    with folder.with_suffix(".log").open("wb") as log:
        process = subprocess.Popen(command, env=inherited | ours, stdout=log, stderr=log)
        try:
            wait_for((folder / "studio.env").exists)
            lines = (folder / "studio.env").read_text().splitlines()
            variables = ours | dict(line.split("=", 1) for line in lines)
            settings = settings_for(folder / "home", provider, database_url=variables["BOOKWRIGHT_DATABASE_URL"])
            with opened_library(settings) as database:
                yield Studio(variables, provider, database)
        finally:
            process.terminate()
            process.wait(300)


def settings_for(home: Path, provider: FakeProvider, **values: Any) -> Settings:
    return load_settings(
        home=home, model="compatible:fake", llm_base_url=provider.url, embedding="hashing", free_megabytes=0, **values
    )


@contextmanager
def second_host(studio: Studio, home: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A worker with a data folder of its own: all that a further host has."""
    variables = studio.environment | {"BOOKWRIGHT_HOME": str(home)}
    worker = start_prefect(["worker", "start", "--pool", "books", "--limit", str(LIMIT)], variables)
    try:
        yield worker
    finally:
        stop_process(worker)


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.5)


def family_of(pid: int) -> list[int]:
    """A process and all that came of it."""
    children = Path(f"/proc/{pid}/task/{pid}/children")
    found = [pid]
    for task in Path(f"/proc/{pid}/task").iterdir() if children.exists() else ():
        for child in (task / "children").read_text().split():
            found += family_of(int(child))
    return found


def pull_the_plug(worker: subprocess.Popen[bytes]) -> list[int]:
    """Kill a host's processes all at one moment: first nobody moves any more, then nobody is."""
    family = family_of(worker.pid)
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for pid in family:
            os.kill(pid, number)
    return family


def held_by(books: dict[str, Book], pids: list[int]) -> set[str]:
    return {book.id for book in books.values() if any(f"process {pid} on" in (book.lease_owner or "") for pid in pids)}


def text_of(database: Database, book: str) -> str:
    with database.read() as connection:
        language = BookRepository(connection).get(book).brief.language
    with BookStorage(database, book, language).read() as stores:
        prose = [stores.documents.current(unit.key, DocumentKind.PROSE) for unit in stores.nodes.leaves()]
    return "\n\n".join(document.text for document in prose if document)


def undisturbed(home: Path, provider: FakeProvider) -> dict[str, str]:
    """Write the same books one after another in this process; returns their texts."""
    settings = settings_for(home, provider)
    with opened_library(settings) as database, closing(ModelService(settings)) as models:
        books = [find_or_create(database, brief_of(number)) for number in range(BOOKS)]
        for book in books:
            run_book(book.id, RunConfig(settings, database, models))
        return {book.id: text_of(database, book.id) for book in books}


def test_every_book_ends_right_although_a_host_dies_in_the_middle(folder: Path, tmp_path: Path) -> None:
    with FakeProvider(author=novelist) as quiet:
        expected = undisturbed(tmp_path / "undisturbed", quiet)

    with FakeProvider(author=novelist, piece_seconds=0.004) as provider, studio_in(folder, provider) as studio:
        wait_for(lambda: has_deployment(studio))
        studio.raise_limit(2 * LIMIT)
        with second_host(studio, tmp_path / "second") as worker:
            numbers = {studio.hand_in(brief_of(number)): number for number in range(BOOKS)}
            wait_for(lambda: finished_of(studio) >= BOOKS // 4 and is_busy(worker, studio))
            dead = pull_the_plug(worker)
            in_flight = held_by(studio.books(), dead)
        wait_for(lambda: finished_of(studio) == BOOKS)
        wait_for(lambda: all(run["state_type"] == "COMPLETED" for run in studio.runs()))
        books, texts = studio.books(), {book: text_of(studio.database, book) for book in numbers}
        runs = studio.runs()
        repeated = {book: len(studio.calls_of(number)) - books[book].calls for book, number in numbers.items()}

    assert texts == expected
    assert len(runs) == BOOKS
    assert 1 <= len(in_flight) <= LIMIT
    assert {book for book, count in repeated.items() if count} <= in_flight
    assert max(repeated.values()) <= 1
    assert min(repeated.values()) >= 0
    assert {book.lease_owner for book in books.values()} == {None}


def is_busy(worker: subprocess.Popen[bytes], studio: Studio) -> bool:
    return len(held_by(studio.books(), family_of(worker.pid))) == LIMIT


def has_deployment(studio: Studio) -> bool:
    name, _, password = studio.variables["PREFECT_API_AUTH_STRING"].partition(":")
    address = f"{studio.variables['PREFECT_API_URL']}/deployments/name/write-book/write-book"
    try:
        return httpx.get(address, auth=(name, password)).is_success
    except httpx.TransportError:
        return False


def finished_of(studio: Studio) -> int:
    return sum(book.state is BookState.FINISHED for book in studio.books().values())
