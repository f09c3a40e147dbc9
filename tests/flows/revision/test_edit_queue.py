"""Edits that are saved while a book is written: taken in between two activities, in order, once."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from bookwright.agents.backends.service import ModelService
from bookwright.app.access import OpenBook
from bookwright.app.changes.editing import save_or_queue, take_in_at_rest
from bookwright.app.records.edits import decision, new_record
from bookwright.flows.deps import RunObserver
from bookwright.flows.library import find_or_create
from bookwright.flows.open_book import RunConfig
from bookwright.flows.run_book import run_book
from bookwright.models.book import BookState
from bookwright.models.codex.entries import CodexEntry, EntryKind
from bookwright.models.codex.record import FieldSuggestion, Origin, RecordKind
from bookwright.models.document import DocumentKind, DocumentOrigin, NewDocument
from bookwright.models.edit import EditState, NewRecordEdit, TextEdit
from bookwright.models.errors import EditConflict, InvalidInput
from bookwright.models.settings import Settings
from bookwright.models.step import Activity
from bookwright.models.tree.task import TaskNode
from bookwright.storage.engine import migrate
from bookwright.storage.engine.database import open_database
from bookwright.storage.lease import Lease
from bookwright.storage.stores import BookStorage
from tests.cli.shelf import a_book
from tests.support.books import make_brief_of, make_settings


class EditingObserver(RunObserver):
    """Saves an edit of a chapter while the activity after its close is under way, as an author at a page does."""

    def __init__(self, opened: OpenBook) -> None:
        self.opened = opened
        self.at: list[str] = []
        self.label = ""
        self.seen = 0
        self.versions: list[int] = []

    def run(self, activity: Activity, node: TaskNode, work: Callable[[], None]) -> None:
        if self.label and not self.seen:
            thread = threading.Thread(target=self._save)  # a page is another process; here at least another thread
            thread.start()
            thread.join()
        elif self.seen:
            with self.opened.storage.read() as stores:
                chapter = stores.nodes.by_label(self.label)
                found = stores.documents.current(chapter.key, DocumentKind.PROSE)
            assert found is not None
            self.versions.append(found.version)
        work()
        if activity is Activity.CLOSE and not self.label and node.depth:
            self.label = node.label

    def _save(self) -> None:
        with self.opened.storage.read() as stores:
            chapter = stores.nodes.by_label(self.label)
            seen = stores.documents.current(chapter.key, DocumentKind.PROSE)
        assert seen is not None
        edit = TextEdit(label=self.label, kind=DocumentKind.PROSE, text=f"{seen.text}\n\nSnow fell.", seen=seen.version)
        saved = save_or_queue(self.opened, edit)
        assert saved.queued is not None
        self.seen = seen.version


def test_an_edit_is_taken_in_while_the_book_is_written(tmp_path: Path) -> None:
    settings = make_settings(tmp_path / "home", free_megabytes=0)
    database = open_database(settings)
    migrate.upgrade(database)
    brief = make_brief_of(length=6_000, profile="economy")
    book = find_or_create(database, brief)
    opened = OpenBook(settings, BookStorage(database, book.id, brief.language), book)
    observer = EditingObserver(opened)
    models = ModelService(settings)

    finished = run_book(book.id, RunConfig(settings, database, models, observer))

    models.close()
    assert finished.state is BookState.FINISHED
    with opened.storage.read() as stores:
        chapter = stores.nodes.by_label(observer.label)
        versions = stores.documents.versions(chapter.key, DocumentKind.PROSE)
        current = stores.documents.current(chapter.key, DocumentKind.PROSE)
        [queued] = stores.edits.newest()
    by_author = [version for version in versions if version.origin is DocumentOrigin.AUTHOR]
    assert [version.base for version in by_author] == [observer.seen]
    assert current is not None
    assert current.text.endswith("Snow fell.")
    assert queued.state is EditState.TAKEN
    assert observer.versions[0] == observer.seen + 1  # before the very next activity began


@pytest.fixture
def book(tmp_path: Path) -> OpenBook:
    settings: Settings = make_settings(tmp_path / "home")
    storage = a_book(settings)
    with storage.read() as stores:
        return OpenBook(settings, storage, stores.books.get("lamp"))


def test_the_queue_is_taken_in_once_when_nobody_writes_any_more(book: OpenBook) -> None:
    lease = _held(book)
    number = save_or_queue(book, _words("Snow fell.")).queued

    _released(book, lease)
    take_in_at_rest(book)
    take_in_at_rest(book)

    assert number is not None
    assert _versions(book) == [("Rain fell. The [red] lamp went out.", "step"), ("Snow fell.", "author")]


def test_a_second_save_replaces_the_first_only_if_its_author_saw_it(book: OpenBook) -> None:
    lease = _held(book)
    first = save_or_queue(book, _words("Snow fell.")).queued

    with pytest.raises(EditConflict):
        save_or_queue(book, _words("Hail fell."))
    save_or_queue(book, _words("Sleet fell."), after=first)
    _released(book, lease)
    take_in_at_rest(book)

    assert [text for text, _ in _versions(book)] == ["Rain fell. The [red] lamp went out.", "Sleet fell."]
    with book.storage.read() as stores:
        assert [one.state for one in stores.edits.newest()] == [EditState.TAKEN, EditState.REPLACED]


@pytest.mark.parametrize("is_written", [False, True])
def test_a_second_save_goes_on_from_the_first_once_that_was_taken_in(book: OpenBook, *, is_written: bool) -> None:
    lease = _held(book)
    first = save_or_queue(book, _words("Snow fell. ")).queued
    _released(book, lease)
    take_in_at_rest(book)
    lease = _held(book) if is_written else None

    with pytest.raises(EditConflict):
        save_or_queue(book, _words("Hail fell."))  # somebody who has not seen the first
    second = save_or_queue(book, _words("Sleet fell."), after=first)
    if lease:
        save_or_queue(book, _words("Rain fell."), after=second.queued)
        _released(book, lease)
    take_in_at_rest(book)

    last = "Rain fell." if is_written else "Sleet fell."
    assert [text for text, _ in _versions(book)] == ["Rain fell. The [red] lamp went out.", "Snow fell.", last]


def test_an_edit_of_what_was_changed_meanwhile_is_refused_and_kept(book: OpenBook) -> None:
    lease = _held(book)
    save_or_queue(book, _words("Snow fell."))
    with book.storage.write() as stores:  # as its own worker may: a refresh, a last correction
        node = stores.nodes.by_label("1.1")
        stores.documents.add(NewDocument(node=node.key, kind=DocumentKind.PROSE, text="Rain fell twice."), None)
    _released(book, lease)

    take_in_at_rest(book)

    with book.storage.read() as stores:
        [kept] = stores.edits.newest()
    assert kept.state is EditState.REFUSED
    assert "version 2" in kept.outcome
    assert isinstance(kept.edit, TextEdit)
    assert kept.edit.text == "Snow fell."
    assert _versions(book)[-1][0] == "Rain fell twice."


@pytest.mark.parametrize("text", [" ", ""])
def test_what_cannot_be_saved_does_not_wait_either(book: OpenBook, text: str) -> None:
    _held(book)

    with pytest.raises(InvalidInput):
        save_or_queue(book, _words(text))

    with book.storage.read() as stores:
        assert stores.edits.newest() == []


def _words(text: str) -> TextEdit:
    return TextEdit(label="1.1", kind=DocumentKind.PROSE, text=text, seen=1)


def _held(book: OpenBook) -> Lease:
    with book.storage.write() as stores:
        return Lease.take(stores.connection, "lamp", "a worker", 60)


def _released(book: OpenBook, lease: Lease) -> None:
    with book.storage.write() as stores:
        lease.release(stores.connection)


def _versions(book: OpenBook) -> list[tuple[str, str]]:
    with book.storage.read() as stores:
        node = stores.nodes.by_label("1.1")
        found = stores.documents.versions(node.key, DocumentKind.PROSE)
        return [(stores.documents.text_of(one), one.origin.value) for one in found]


def test_what_is_added_to_the_codex_and_taken_from_its_suggestions_waits_too(book: OpenBook) -> None:
    ines = CodexEntry(id="ines", kind=EntryKind.CHARACTER, name="Ines")
    with book.storage.write() as stores:
        stores.codex.add(ines, Origin.PROSE)
        wish = FieldSuggestion(path="aliases", present=[], wanted=["The Keeper"])
        stores.codex.suggestions.add(RecordKind.ENTRY, "ines", 1, wish, None, None)
        [suggested] = stores.codex.suggestions.waiting(RecordKind.ENTRY)
    lease = _held(book)
    with book.storage.read() as stores:
        taken = decision(stores, suggested.id, is_taken=True)
    said = [{"name": "lamp", "text": "The lamp was out."}, {"name": "log", "text": "The log is forged."}]
    saved = [save_or_queue(book, taken)]
    saved += [save_or_queue(book, new_record(book, RecordKind.SECRET, one)) for one in said]
    _released(book, lease)

    take_in_at_rest(book)

    with book.storage.read() as stores:
        told = {secret.id: secret.content for secret in stores.codex.secrets()}
        [kept] = stores.codex.entries()
        states = {one.state for one in stores.edits.newest()}
    assert all(one.queued for one in saved)
    assert told == {"secret-1": "The lamp was out.", "secret-2": "The log is forged."}
    assert (kept.aliases, states) == (("The Keeper",), {EditState.TAKEN})


def test_a_record_whose_name_was_taken_meanwhile_is_refused_and_kept(book: OpenBook) -> None:
    lease = _held(book)
    save_or_queue(book, new_record(book, RecordKind.ENTRY, {"name": "Ines", "text": "Keeps the lamp."}))
    with book.storage.write() as stores:  # as a reading of the next chapter may
        stores.codex.add(CodexEntry(id="ines", kind=EntryKind.CHARACTER, name="Ines"), Origin.PROSE)
    _released(book, lease)

    take_in_at_rest(book)

    with book.storage.read() as stores:
        [refused], [entry] = stores.edits.newest(), stores.codex.entries()
    assert (refused.state, entry.sections) == (EditState.REFUSED, ())
    assert "already" in refused.outcome
    assert isinstance(refused.edit, NewRecordEdit)
    assert "Keeps the lamp." in str(refused.edit.record)
