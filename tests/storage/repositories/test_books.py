"""Books and their briefs: finding, changing, deleting."""

import pytest
from sqlalchemy import func, select

from bookwright.models.book import BookState
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.errors import BookNotFound
from bookwright.storage.stores import BookStorage
from bookwright.storage.tables import metadata
from tests.storage.conftest import BOOK, BRIEF


def test_a_new_book_rests_and_has_cost_nothing(storage: BookStorage) -> None:
    with storage.read() as stores:
        book = stores.books.get(BOOK)

    assert (book.state, book.reason, book.title) == (BookState.PAUSED, "not begun", "The Log")
    assert (book.brief, book.brief_version) == (BRIEF, 1)
    assert (book.calls, book.tokens, book.dollars, book.length_ratio) == (0, 0, 0.0, 1.0)
    assert book.lease_owner is None


def test_a_beginning_that_one_book_has_finds_it(storage: BookStorage) -> None:
    with storage.write() as stores:
        stores.books.create("lantern", BRIEF)

        assert stores.books.get("lam").id == BOOK
        assert stores.books.get(BOOK).id == BOOK
        for wrong, said in (("la", "more than one"), ("x", "bookwright status"), ("l%", "no book"), ("", "no book")):
            with pytest.raises(BookNotFound, match=said):
                stores.books.get(wrong)


def test_an_id_that_begins_another_is_found_by_itself(storage: BookStorage) -> None:
    with storage.write() as stores:
        stores.books.create(f"{BOOK}-2", BRIEF)

        assert stores.books.get(BOOK).id == BOOK


def test_a_changed_brief_is_a_new_version_and_the_old_one_stays(storage: BookStorage) -> None:
    with storage.write() as stores:
        version = stores.books.edit_brief(BOOK, BRIEF.changed(title="The Second Log"))
        book = stores.books.get(BOOK)
        kept = stores.connection.execute(select(func.count()).select_from(metadata.tables["briefs"])).scalar_one()

    assert (version, book.brief_version, kept) == (2, 2, 2)
    assert (book.title, book.brief.title, book.brief.length) == ("The Second Log", "The Second Log", 20_000)


def test_a_state_has_a_reason_and_an_advice(storage: BookStorage) -> None:
    with storage.write() as stores:
        stores.books.set_state(BOOK, BookState.PAUSED, "no money", "raise the budget")

        book = stores.books.get(BOOK)
        assert (book.state, book.reason, book.advice) == (BookState.PAUSED, "no money", "raise the budget")


def test_archived_books_are_listed_on_demand(storage: BookStorage) -> None:
    with storage.write() as stores:
        stores.books.create("old", BRIEF)
        stores.books.change("old", is_archived=True)

        assert [book.id for book in stores.books.all()] == [BOOK]
        assert {book.id for book in stores.books.all(with_archived=True)} == {BOOK, "old"}
        assert stores.books.find("nowhere") is None


def test_a_deleted_book_leaves_no_row_behind(storage: BookStorage) -> None:
    with storage.write() as stores:
        root = stores.nodes.root()
        first = stores.documents.add(NewDocument(node=root.key, kind=DocumentKind.DESIGN, text="a"), None)
        new = NewDocument(node=root.key, kind=DocumentKind.PROSE, text="b", inputs=(first.id,))
        stores.queue.add(DocumentKind.BOOK_DESIGN, stores.documents.add(new, None).id)

    with storage.write() as stores:
        stores.books.delete(BOOK)

    with storage.database.read() as connection:
        rows = {
            name: connection.execute(select(func.count()).select_from(table)).scalar_one()
            for name, table in metadata.tables.items()
        }
    assert {name: count for name, count in rows.items() if count} == {"studio": 1}  # where it goes on counting
