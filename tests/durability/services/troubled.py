"""A short book whose provider can be made to fail at a step of one's choice, and what is on record of it."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Row, select

from bookwright.agents.backends.retry import RetryPolicy
from bookwright.agents.backends.service import ModelService
from bookwright.flows.library import find_or_create
from bookwright.flows.open_book import RunConfig
from bookwright.flows.run_book import run_book
from bookwright.models.book import Book
from bookwright.models.brief import make_brief
from bookwright.models.document import DocumentKind
from bookwright.models.errors import BookPaused
from bookwright.models.settings import Settings, load_settings
from bookwright.storage.engine.database import Database
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.stores import BookStorage
from bookwright.storage.tables import steps
from tests.durability.invariants import violations
from tests.support import novelist
from tests.support.books import new_library
from tests.support.fake_provider import Author, Entry, FakeProvider

OPENAI = "openai:gpt-4.1"
ANTHROPIC = "anthropic:claude-sonnet-4-6"
BOTH = (OPENAI, ANTHROPIC)
"""One model for each way of talking, both with known prices."""

BRIEF = {
    "premise": "A keeper reads a log in her own hand.", "length": 600, "profile": "economy", "title": "The Log",
    "max_planning_rounds": 1,
}  # fmt: skip
"""Planned, since it sets the rounds: a book this short is told in one sitting otherwise."""


@dataclass
class TroubledBook:
    """One book, written in as many goes as it takes, all in this process."""

    settings: Settings
    database: Database
    id: str
    provider: FakeProvider
    environment: pytest.MonkeyPatch
    rests: list[float] = field(default_factory=list)
    """Seconds that the model layer would have waited."""
    earlier: list[Entry] = field(default_factory=list)
    """The ledger of a provider that is gone."""

    def write(self, **settings: Any) -> Book:
        """Go on with the book and return it, finished or at rest; settings may differ from time to time."""
        changed = load_settings(**self.settings.model_dump() | settings)
        models = ModelService(
            changed, policy=RetryPolicy(changed.max_attempts, changed.retry_after_cap_seconds, sleep=self._rest)
        )
        try:
            return run_book(self.id, RunConfig(changed, self.database, models))
        except BookPaused:
            return self.book
        finally:
            models.close()

    async def _rest(self, seconds: float) -> None:
        self.rests.append(seconds)

    def move_to(self, provider: FakeProvider) -> None:
        """Be asked at another address from now on."""
        self.earlier += self.provider.ledger
        self.provider = provider
        point_at(provider, self.environment)

    @property
    def calls(self) -> list[Entry]:
        """What the provider was asked, in order."""
        return [*self.earlier, *self.provider.ledger]

    @property
    def book(self) -> Book:
        with self.database.read() as connection:
            return BookRepository(connection).get(self.id)

    @property
    def attempts(self) -> list[Row[Any]]:
        """Every attempt on record, oldest first."""
        with self.database.read() as connection:
            return list(connection.execute(select(steps).order_by(steps.c.id)).all())

    @property
    def failed(self) -> list[Row[Any]]:
        return [attempt for attempt in self.attempts if attempt.failure]

    @property
    def prose(self) -> str:
        return self.kept(DocumentKind.PROSE)

    def kept(self, *kinds: DocumentKind) -> str:
        """What was kept of the book as documents of these kinds, or of any."""
        with BookStorage(self.database, self.id, self.book.brief.language).read() as stores:
            keys = {attempt.node for attempt in self.attempts}
            return "\n\n".join(document.text for document in stores.documents.of_nodes(keys, *kinds or DocumentKind))

    def reply(self, attempt: Row[Any]) -> str:
        """What was answered at an attempt."""
        with BookStorage(self.database, self.id, self.book.brief.language).read() as stores:
            return stores.steps.reply(attempt.id)

    def tries(self, failed: Row[Any]) -> list[tuple[int, str | None]]:
        """Number and failure of each attempt at the step that one of them failed at."""
        of_step = [a for a in self.attempts if (a.node, a.activity, a.round, a.step) == (
            failed.node, failed.activity, failed.round, failed.step)]  # fmt: skip
        return [(attempt.attempt, attempt.failure) for attempt in of_step]

    def check_accounts(self, *, hung_up: bool = False) -> None:
        """The journal's attempts and sums are the provider's, the invariants hold, nothing was paid twice.

        Of an answer during which this side hung up, only the beginning is on record.
        """
        found = violations(self.database, [asdict(call) for call in self.calls], 0)
        found = [line for line in found if not (hung_up and line.startswith("I1"))]
        assert not found, "\n".join(found)
        assert self.book.calls == len(self.calls), f"{self.book.calls} on record, {len(self.calls)} asked"
        useful = Counter(call.prompt_hash for call in self.calls if call.is_whole and not call.trouble)
        assert max(useful.values(), default=0) <= 1, "a prompt was answered twice"
        for tokens in ("input_tokens", "output_tokens"):
            told = sum(getattr(call, tokens) for call in self.calls if call.is_whole)
            kept = sum(getattr(attempt, tokens) for attempt in self.attempts if not attempt.is_estimate)
            assert kept == told, f"{kept} {tokens} on record, {told} told"


@dataclass(frozen=True)
class Calm:
    """What becomes of the book where nothing fails."""

    prose: str
    steps: tuple[tuple[str, str], ...]
    """Activity and step of each call."""

    def call(self, activity: str, step: str) -> int:
        """The number of a call, from 0."""
        return self.steps.index((activity, step))

    @property
    def json_call(self) -> int:
        """The first call that is answered in JSON."""
        return self.call("plan", "refiner")

    @property
    def prose_call(self) -> int:
        return self.call("write", "draft")


def point_at(provider: FakeProvider, environment: pytest.MonkeyPatch) -> None:
    for name, address in (("OPENAI", provider.url), ("ANTHROPIC", provider.root), ("LLM", provider.url)):
        environment.setenv(f"{name}_BASE_URL", address)
        environment.setenv(f"{name}_API_KEY", "key-of-the-tests")


def from_call(number: int, trouble: str) -> dict[int, str]:
    """The script of a provider that goes wrong at a call and stays so."""
    return {**dict.fromkeys(range(number), ""), -1: trouble}


@contextmanager
def troubled(
    home: Path,
    model: str,
    script: dict[int, str],
    environment: pytest.MonkeyPatch,
    *,
    author: Author = novelist.write,
    brief: dict[str, Any] | None = None,
    **settings: Any,
) -> Iterator[TroubledBook]:
    """A new book, its database, and its provider that misbehaves by `script`."""
    with FakeProvider(author=author, script=script) as provider:
        point_at(provider, environment)
        values = {"home": home, "model": model, "embedding": "hashing", "free_megabytes": 0, **settings}
        chosen = load_settings(**values)
        database = new_library(chosen)
        book = find_or_create(database, make_brief(BRIEF | (brief or {})))
        yield TroubledBook(chosen, database, book.id, provider, environment)
        database.dispose()
