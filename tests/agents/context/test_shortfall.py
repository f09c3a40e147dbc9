"""A context goes on with less where a part of it fails that may be done without, and says so."""

from collections.abc import Sequence

import pytest

from bookwright.agents.relay.continuity import ContinuityDirector
from bookwright.models.codex.entries import CodexEntry, Secret, Section
from bookwright.models.codex.record import Origin
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.errors import BackendUnavailable, FatalContextError
from bookwright.models.settings import load_settings
from bookwright.models.step import Activity
from bookwright.models.tree.level import Level
from bookwright.models.tree.task import TaskNode
from bookwright.storage.index.embedding import Hashing, Vectors
from bookwright.storage.index.knowledge import KnowledgeIndex
from bookwright.storage.tables import codex
from tests.agents.context.books import Library, block


class DeadEmbedder(Hashing):
    """Embeds what is stored and has no answer to a question."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self._error = error

    def embed(self, texts: Sequence[str], is_query: bool) -> Vectors:
        if is_query:
            raise self._error
        return super().embed(texts, is_query)


def chapter_with_past(library: Library) -> TaskNode:
    """A chapter behind many others, planned after a search of the book so far."""
    unit = library.grow(60)
    library.keep(DocumentKind.BOOK_DESIGN, "Ines keeps the lamp.")
    return unit


@pytest.mark.parametrize("error", [OSError("the disk is gone"), BackendUnavailable("the embedding server is down")])
def test_a_search_that_fails_costs_what_it_would_have_found_and_no_more(library: Library, error: Exception) -> None:
    unit = chapter_with_past(library)
    whole = library.build(unit)
    library.index = KnowledgeIndex(library.storage, DeadEmbedder(error), load_settings(embedding="hashing"))

    less = library.build(unit)

    assert whole.warnings == ()
    assert all(type(error).__name__ in warning for warning in less.warnings)
    assert [warning.partition(" left out")[0] for warning in less.warnings] == [
        "what the index has of design", "what the index has of findings", "what the index has of summary",
    ]  # fmt: skip
    assert block(less, "book_level_design") == block(whole, "book_level_design")
    assert len(block(less, "text_summary")) < len(block(whole, "text_summary"))


def spoil(library: Library, kind: str) -> None:
    """Leave a record in the database that no version of the program could read."""
    with library.storage.write() as stores:
        stores.codex.add(Secret(id="log", content="She wrote it."), Origin.AUTHOR)
        stores.codex.add(
            CodexEntry(id="Ines", kind="character", name="Ines", sections=(Section(name="eyes", text="Grey."),)),
            Origin.AUTHOR,
        )
    with library.storage.database.engine.begin() as connection:
        connection.execute(codex.update().where(codex.c.kind == kind).values(data='{"id": 7}'))


def test_what_nothing_can_be_planned_without_stops_the_book_with_its_reason(library: Library) -> None:
    with library.storage.write() as stores:
        unit = library.add_unit(stores, stores.nodes.root(), Level.CHAPTER)
    spoil(library, "entry")

    with pytest.raises(FatalContextError, match="cannot be made: ValidationError") as stopped:
        library.build(unit)

    assert "doctor" in stopped.value.advice


def test_what_the_director_cannot_read_is_an_error_and_the_rest_goes_on(library: Library) -> None:
    with library.storage.write() as stores:
        unit = library.add_unit(stores, stores.nodes.root(), Level.CHAPTER)
        stores.documents.add(NewDocument(node=unit.key, kind=DocumentKind.WRITERS_BRIEF, text="Ines waits."), None)
    spoil(library, "entry")

    with library.storage.read() as stores:
        brief = stores.books.get(unit.book).brief
        result = ContinuityDirector().build_context(unit, stores, brief)

    assert result.errors
    assert [error.partition(":")[0] for error in result.errors] == ["Context integration failed"]
    assert result.context.scene_id == "1.1:"


def test_a_writers_context_names_what_failed(library: Library) -> None:
    unit = chapter_with_past(library)
    with library.storage.write() as stores:
        stores.documents.add(NewDocument(node=unit.key, kind=DocumentKind.WRITERS_BRIEF, text="Ines waits."), None)
    library.index = KnowledgeIndex(
        library.storage, DeadEmbedder(KeyError("vector")), load_settings(embedding="hashing")
    )

    context = library.build(unit, Activity.WRITE, "writer")

    assert any("KeyError" in warning for warning in context.warnings)
    assert block(context, "writers_brief") == "Ines waits."
