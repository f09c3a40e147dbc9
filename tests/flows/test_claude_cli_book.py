"""A small book written through the program `claude`, for which a stand-in speaks."""

from pathlib import Path
from typing import Any

from bookwright.agents.backends.retry import RetryPolicy
from bookwright.agents.backends.service import ModelService
from bookwright.flows.library import find_or_create, open_library
from bookwright.flows.open_book import RunConfig
from bookwright.flows.run_book import run_book
from bookwright.models.book import Book, BookState
from bookwright.models.brief import make_brief
from bookwright.models.document import DocumentKind
from bookwright.models.settings import load_settings
from bookwright.storage.stores import BookStorage
from tests.support import novelist
from tests.support.fake_claude import FakeClaude

BRIEF = {
    "premise": "A keeper reads a log in her own hand.", "length": 1_500, "profile": "economy", "title": "The Log",
    "max_planning_rounds": 1,
}  # fmt: skip
TROUBLES = {1: "empty", 3: "crash", 5: "cut_off", 7: "garbage", 9: "error:API Error: 529 overloaded", 11: "orphan"}


async def _no_rest(seconds: float) -> None:
    """Go on at once."""


def written(home: Path, claude: FakeClaude) -> tuple[Book, str]:
    changes: dict[str, Any] = {"embedding": "hashing", "free_megabytes": 0, "claude_path": str(claude.path)}
    settings = load_settings(home=home, model="claude-cli", **changes)
    database = open_library(settings)
    book = find_or_create(database, make_brief(BRIEF))
    models = ModelService(settings, policy=RetryPolicy(sleep=_no_rest))
    try:
        finished = run_book(book.id, RunConfig(settings, database, models))
        with BookStorage(database, book.id, book.brief.language).read() as stores:
            leaves = [unit.key for unit in stores.nodes.leaves()]
            prose = stores.documents.of_nodes(leaves, DocumentKind.PROSE)
    finally:
        models.close()
        database.dispose()
    return finished, "\n\n".join(document.text for document in prose)


def test_a_book_is_written_and_trouble_changes_its_bill_alone(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("calm", "wild")]
    for folder in folders:
        folder.mkdir()

    with FakeClaude(folders[0], author=novelist.write) as calm:
        book, expected = written(folders[0], calm)
    with FakeClaude(folders[1], author=novelist.write, script=TROUBLES) as wild:
        troubled, text = written(folders[1], wild)

    assert book.state is troubled.state is BookState.FINISHED
    assert text == expected
    assert abs(book.brief.language.measure(text) - 1_500) <= 225
    assert (book.calls, troubled.calls) == (len(calm.calls), len(wild.calls))
    assert len(wild.calls) - len(calm.calls) == 5
    assert book.cost == 12_500 * len(calm.calls)
    assert troubled.cost > book.cost
