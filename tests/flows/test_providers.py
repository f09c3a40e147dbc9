"""The same book through both SDKs, against a provider that speaks their wire formats and misbehaves."""

from pathlib import Path

import pytest

from bookwright.agents.backends.service import ModelService
from bookwright.flows.library import find_or_create
from bookwright.flows.open_book import RunConfig
from bookwright.flows.run_book import run_book
from bookwright.models.book import Book, BookState
from bookwright.models.brief import make_brief
from bookwright.models.document import DocumentKind
from bookwright.models.settings import load_settings
from bookwright.storage.stores import BookStorage
from tests.support import novelist
from tests.support.books import new_library
from tests.support.fake_provider import FakeProvider

BRIEF = {"premise": "A keeper reads a log in her own hand.", "length": 1_500, "profile": "economy", "title": "The Log"}
TROUBLES = {1: "429:0", 3: "529", 5: "reset", 7: "empty", 9: "eof"}


@pytest.fixture(params=["openai:gpt-6.1-terra", "anthropic:claude-sonnet-5-5"])
def model(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def written(home: Path, model: str, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch) -> tuple[Book, str]:
    monkeypatch.setenv("OPENAI_API_KEY", "test")
    monkeypatch.setenv("OPENAI_BASE_URL", provider.url)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", provider.root)
    settings = load_settings(home=home, model=model, embedding="hashing", free_megabytes=0)
    database = new_library(settings)
    book = find_or_create(database, make_brief(BRIEF))
    models = ModelService(settings)
    try:
        finished = run_book(book.id, RunConfig(settings, database, models))
        with BookStorage(database, book.id, book.brief.language).read() as stores:
            leaves = [unit.key for unit in stores.nodes.leaves()]
            prose = stores.documents.of_nodes(leaves, DocumentKind.PROSE)
            failed = sum(role.failed for role in stores.steps.by_role())
    finally:
        models.close()
        database.dispose()
    assert finished.calls - failed <= len(provider.ledger)
    return finished, "\n\n".join(document.text for document in prose)


def test_a_book_is_written_and_every_call_is_on_record(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeProvider(author=novelist.write) as provider:
        book, text = written(tmp_path, model, provider, monkeypatch)

    assert book.state is BookState.FINISHED
    assert abs(book.brief.language.measure(text) - 1_500) <= 225
    assert book.calls == len(provider.ledger)
    assert book.cost > 0


def test_trouble_on_the_wire_changes_the_bill_and_not_the_book(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeProvider(author=novelist.write) as calm:
        _, expected = written(tmp_path / "calm", model, calm, monkeypatch)

    with FakeProvider(author=novelist.write, script=TROUBLES) as wild:
        book, text = written(tmp_path / "wild", model, wild, monkeypatch)

    assert book.state is BookState.FINISHED
    assert text == expected
    assert len(wild.ledger) > len(calm.ledger)
