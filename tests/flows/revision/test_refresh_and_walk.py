"""A refresh is no walk: it opens no gate, and what the walk has begun waits as the walk is to take it up again."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from bookwright.agents.backends.service import ModelService
from bookwright.flows.open_book import RunConfig
from bookwright.flows.revision.refresh import RefreshScope
from bookwright.flows.revision.revise import chosen, take_in
from bookwright.flows.run_book import run_book
from bookwright.flows.stopping import Limits
from bookwright.models.document import DocumentKind
from bookwright.models.errors import BookPaused
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import TaskNode
from bookwright.storage.stores import Stores
from tests.flows.conftest import SECRET
from tests.flows.revision.changed import Written, written
from tests.flows.revision.test_refresh_keeps_secrets import Saying, prose, redo


@pytest.fixture
def halfway(tmp_path: Path) -> Written:
    """A book whose first chapter is done and whose second one has its brief alone; more are to come."""
    storage, settings = written(
        tmp_path, Limits.parse("chapter:1", None), length=9_000, profile="economy", max_planning_rounds=1
    )
    with closing(ModelService(settings)) as models, pytest.raises(KeyboardInterrupt):
        run_book(storage.book, RunConfig(settings, storage.database, Saying(models, dies_after="brief")))
    return storage, settings


def chapters(stores: Stores) -> list[TaskNode]:
    return stores.nodes.children(stores.nodes.root().key, TaskType.WRITE)


def test_a_chapter_in_progress_keeps_its_length_and_the_book_its_place(halfway: Written) -> None:
    storage, settings = halfway
    with storage.write() as stores:
        first, second = chapters(stores)
        old = chosen(stores, first, DocumentKind.PROSE)
        take_in(stores, first, old, f"{old.text}\n\nThe lamp was blue all along.")
        place = stores.books.get(storage.book).intent

    with closing(ModelService(settings)) as models:
        redone = redo(halfway, models)

    with storage.read() as stores:
        assert DocumentKind.SUMMARY in [one.document.kind for one in redone]
        assert [unit.length for unit in chapters(stores)] == [first.length, second.length]
        assert stores.books.get(storage.book).intent == place
    storage.database.dispose()


@pytest.mark.parametrize("copied", ["resting"], indirect=True)
def test_a_brief_that_its_author_changed_is_written_from_and_not_made_again(copied: Written) -> None:
    storage, settings = copied
    around = RunConfig(settings, storage.database, ModelService(settings))
    with closing(around.models), pytest.raises(KeyboardInterrupt):
        run_book(storage.book, replace(around, models=Saying(around.models, dies_after="draft")))
    with storage.write() as stores:
        second = chapters(stores)[1]
        brief = chosen(stores, second, DocumentKind.WRITERS_BRIEF)
        take_in(stores, second, brief, "The lamp was blue all along.")

    with closing(ModelService(settings)) as models:
        asker = Saying(models)
        with pytest.raises(BookPaused, match="reached chapter 2"):
            run_book(storage.book, replace(around, models=asker, limits=Limits.parse("chapter:2", None)))

    with storage.read() as stores:
        kept = chosen(stores, second, DocumentKind.WRITERS_BRIEF)
    assert (kept.version, kept.text) == (brief.version + 1, "The lamp was blue all along.")
    assert "brief" not in asker.steps
    assert any("The lamp was blue all along." in prompt for prompt in asker.prompts)


@pytest.mark.parametrize("copied", ["fable"], indirect=True)
def test_a_chapter_that_is_refused_while_it_is_written_anew_waits_for_nobody(copied: Written) -> None:
    storage, settings = copied
    leak = f"@gap 1\n{SECRET}"
    with storage.write() as stores:
        label = stores.codex.reading_order().chapters[0]
        node = stores.nodes.by_label(label)
        brief = chosen(stores, node, DocumentKind.WRITERS_BRIEF)
        take_in(stores, node, brief, f"{brief.text}\n\nThe lamp was blue all along.")
        before = chosen(stores, node, DocumentKind.PROSE)

    with closing(ModelService(settings)) as models:
        asker = Saying(models, revise_leak=leak, revise=f"<<<TEXT>>>\n{before.text}\n\n{SECRET}")
        redo(copied, asker, RefreshScope(label, is_anew=True))

    after = prose(storage, label)
    assert asker.steps.count("revise_leak") == settings.review_retries
    assert after.version == before.version + 1
    assert "drowned king" not in after.text
    with storage.read() as stores:
        assert stores.gates.all() == []
