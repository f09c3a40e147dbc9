"""A book whose index is deleted, damaged, older than the database, or cannot be had.

Each goes on from the same half of a book, and must end with the same letters, the same prompts (so
what was found again is the same) and no text embedded twice. Source: DESIGN section 5, rule 8.
"""

import json
import random
import shutil
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from sqlalchemy import select

from bookwright.agents.backends.service import ModelService
from bookwright.flows.library import find_or_create, open_library
from bookwright.flows.open_book import RunConfig
from bookwright.flows.run_book import run_book
from bookwright.models.book import BookState
from bookwright.models.brief import make_brief
from bookwright.models.errors import BookPaused
from bookwright.models.settings import Settings
from bookwright.models.step import Reply
from bookwright.storage.index.embedding import Hashing
from bookwright.storage.repositories.texts import text_hash
from bookwright.storage.tables import vectors
from tests.durability.children import BRIEF, calls_in, finished_text, settings_for
from tests.support import novelist
from tests.support.fake_provider import FakeProvider

BOOK = make_brief(BRIEF)
EARLY, HALF = 18, 26
"""Calls after which an old copy of the index is kept, and after which the book rests."""

_LONG_WORDS = 250


def write_at_length(prompt: str, schema: dict[str, Any] | None) -> str:
    """Answer as the novelist does, with documents long enough for an index of many passages."""
    text = novelist.write(prompt, schema)
    if schema is not None or len(text.split()) > _LONG_WORDS:
        return text
    return "\n\n".join([text, *(novelist.write(f"{prompt} {part} about 200 words", None) for part in range(8))])


@dataclass
class Embeddings:
    """A server that speaks OpenAI's embeddings protocol and counts what it was given."""

    url: str
    given: Counter[str] = field(default_factory=Counter)
    """By the hash of the text."""


@contextmanager
def embedding_server() -> Iterator[Embeddings]:
    hashing = Hashing()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
            embeddings.given.update(map(text_hash, texts))
            rows = hashing.embed(texts, is_query=False).tolist()
            data = [{"index": number, "embedding": row} for number, row in enumerate(rows)]
            body = json.dumps({"object": "list", "model": "any", "data": data, "usage": {}}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *values: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    embeddings = Embeddings(f"http://127.0.0.1:{server.server_port}/v1")
    Thread(target=server.serve_forever, daemon=True).start()
    yield embeddings
    server.shutdown()
    server.server_close()


@dataclass
class Half:
    """A book that rests in the middle, and what an undisturbed end of it comes to."""

    home: Path
    old_index: Path
    url: str
    ledger: Path
    embeddings: Embeddings
    given: Counter[str]
    """What had been embedded when it rested."""
    prose: str = ""
    prompts: Counter[str] = field(default_factory=Counter)
    calm_given: Counter[str] = field(default_factory=Counter)
    """What an undisturbed book has had embedded at its end; a short passage can be a question as well."""

    def settings(self, home: Path) -> Settings:
        return settings_for(home, self.url).model_copy(update={"embedding": "openai:any", "lease_seconds": 60.0})

    def write(self, settings: Settings, disturb: Callable[[int], None] = lambda call: None) -> Counter[str]:
        """Write the book in its own data folder to its end; returns the prompts that were asked."""
        before = len(calls_in(self.ledger))
        database, models = open_library(settings), ModelService(settings)
        try:
            book = find_or_create(database, BOOK)
            run_book(book.id, RunConfig(settings, database, Disturbed(models, disturb)))
        finally:
            models.close()
            database.dispose()
        return Counter(str(call["prompt_hash"]) for call in calls_in(self.ledger)[before:])

    def copy(self, home: Path) -> Settings:
        """Put the half book into a data folder; what it embedded until then was embedded once."""
        shutil.copytree(self.home, home)
        self.embeddings.given.clear()
        self.embeddings.given.update(self.given)
        return self.settings(home)


@dataclass
class Disturbed:
    """Asks the models, and disturbs after so many calls."""

    models: ModelService
    disturb: Callable[[int], None]
    calls: int = 0

    def ask(self, *question: Any) -> Reply:
        self.disturb(self.calls)
        self.calls += 1
        return self.models.ask(*question)


@pytest.fixture(scope="module")
def half(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Half]:
    """The first half, written once."""
    folder = tmp_path_factory.mktemp("half")
    with (
        embedding_server() as embeddings,
        pytest.MonkeyPatch.context() as environment,
        FakeProvider(author=write_at_length, ledger_path=folder / "ledger.jsonl") as provider,
    ):
        environment.setenv("OPENAI_BASE_URL", embeddings.url)
        half = Half(folder / "home", folder / "old", provider.url, folder / "ledger.jsonl", embeddings, Counter())
        for calls in (EARLY, HALF - EARLY):
            with pytest.raises(BookPaused, match="half of it"):
                half.write(half.settings(half.home), rest_after(calls))
            if not half.old_index.exists():
                shutil.copytree(half.home / "index", half.old_index)
        assert list(half.home.rglob("data_level0.bin")), "the book is too short for Chroma to write its vectors"
        half.given = embeddings.given.copy()
        calm = half.copy(folder / "calm")
        half.prompts = half.write(calm)
        half.prose = finished_text(calm)[1]
        half.calm_given = embeddings.given.copy()
        yield half


def rest_after(calls: int) -> Callable[[int], None]:
    def rest(call: int) -> None:
        if call == calls:
            raise BookPaused("half of it is enough")

    return rest


def assert_it_ended_alike(half: Half, settings: Settings, prompts: Counter[str]) -> None:
    book, prose = finished_text(settings)
    assert book.state is BookState.FINISHED
    assert prose == half.prose
    assert prompts == half.prompts
    database = open_library(settings)
    with database.read() as connection:
        stored = connection.execute(select(vectors.c.hash)).scalars().all()
    assert stored
    assert set(half.embeddings.given) - set(stored), "nothing was searched for"
    again = {text for text in stored if half.embeddings.given[text] > half.calm_given[text]}
    assert again == set(), "what was stored was embedded anew"
    database.dispose()


def delete(index: Path, half: Half) -> None:
    shutil.rmtree(index)


def put_an_old_copy_back(index: Path, half: Half) -> None:
    shutil.rmtree(index)
    shutil.copytree(half.old_index, index)


def flip_bytes_of_vectors(index: Path, half: Half) -> None:
    lot = random.Random(5)
    for path in index.rglob("data_level0.bin"):
        content = bytearray(path.read_bytes())
        for _ in range(200):
            content[lot.randrange(len(content))] ^= 0xFF
        path.write_bytes(content)


def flip_bytes_of_sqlite(index: Path, half: Half) -> None:
    lot = random.Random(5)
    [path] = index.rglob("chroma.sqlite3")
    content = bytearray(path.read_bytes())
    for _ in range(2_000):
        content[lot.randrange(len(content))] ^= 0xFF
    path.write_bytes(content)


def cut_every_file_short(index: Path, half: Half) -> None:
    for path in index.rglob("*.bin"):
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def put_a_file_in_its_way(index: Path, half: Half) -> None:
    shutil.rmtree(index)
    index.write_text("no folder can be made here")


SAMPLE = [flip_bytes_of_vectors]
REST = [put_an_old_copy_back, delete, flip_bytes_of_sqlite, cut_every_file_short, put_a_file_in_its_way]
"""tests/storage/index does each of these to an index alone."""


@pytest.mark.slow
@pytest.mark.parametrize("damage", [*SAMPLE, *(pytest.param(damage, marks=pytest.mark.soak) for damage in REST)])
def test_a_book_whose_index_was_damaged_while_it_rested_goes_on_as_if_nothing_was(
    half: Half, tmp_path: Path, damage: Callable[[Path, Half], None]
) -> None:
    settings = half.copy(tmp_path / "home")
    damage(settings.home / "index", half)

    prompts = half.write(settings)

    assert_it_ended_alike(half, settings, prompts)


@pytest.mark.soak
def test_a_book_whose_index_is_deleted_while_it_is_written_goes_on_as_if_nothing_was(
    half: Half, tmp_path: Path
) -> None:
    settings = half.copy(tmp_path / "home")

    prompts = half.write(settings, lambda call: shutil.rmtree(settings.home / "index") if call == 5 else None)

    assert_it_ended_alike(half, settings, prompts)


@pytest.mark.slow
@pytest.mark.parametrize("gone_at", [5, pytest.param(0, marks=pytest.mark.soak)])
def test_a_book_whose_chroma_server_goes_away_goes_on_as_if_nothing_was(
    half: Half, tmp_path: Path, gone_at: int
) -> None:
    with chroma_server(tmp_path / "chroma") as (url, stop):
        settings = half.copy(tmp_path / "home").model_copy(update={"chroma_url": url})

        prompts = half.write(settings, lambda call: stop() if call == gone_at else None)

    assert_it_ended_alike(half, settings, prompts)


@contextmanager
def chroma_server(folder: Path) -> Iterator[tuple[str, Callable[[], None]]]:
    """Run a Chroma server; yields its address and what stops it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    program = Path(sys.executable).with_name("chroma")
    command = [program, "run", "--path", folder, "--host", "127.0.0.1", "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:

        def stop() -> None:
            process.kill()
            process.wait()

        try:
            _await_port(port, process)
            yield f"http://127.0.0.1:{port}", stop
        finally:
            stop()


def _await_port(port: int, process: "subprocess.Popen[bytes]", seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError("the Chroma server does not start")
