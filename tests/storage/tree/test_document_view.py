"""What the holder of a book remembers of its documents: the versions that stand, and no more than a little."""

import pytest

from bookwright.models.document import Document, DocumentKind, NewDocument
from bookwright.models.text.language import Language
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import PlanNode, TaskType
from bookwright.storage.stores import BookStorage, Stores
from bookwright.storage.tree.held_view import DocumentView, HeldView
from tests.storage.conftest import BACKINGS, BOOK


@pytest.fixture(params=BACKINGS)
def backing(request: pytest.FixtureRequest) -> str:
    """Every test here runs on both."""
    return str(request.param)


@pytest.fixture
def held(storage: BookStorage) -> BookStorage:
    """The book as its holder opens it."""
    return BookStorage(storage.database, BOOK, Language.EN, HeldView())


def add(stores: Stores, text: str, data: str = "") -> Document:
    new = NewDocument(node=stores.nodes.root().key, kind=DocumentKind.SUMMARY, text=text, data=data)
    return stores.documents.add(new, None)


def current(stores: Stores) -> Document | None:
    return stores.documents.current(stores.nodes.root().key, DocumentKind.SUMMARY)


def test_a_written_document_is_known_as_it_would_be_read(held: BookStorage, storage: BookStorage) -> None:
    for text in ("It rained.", "It snowed."):
        with held.write() as stores:
            add(stores, text)

    with held.look() as stores, storage.look() as others:
        assert current(stores) == current(others)
        assert stores.documents.latest(DocumentKind.SUMMARY) == others.documents.latest(DocumentKind.SUMMARY)


def test_a_transaction_reads_the_version_that_it_has_just_written(held: BookStorage) -> None:
    with held.write() as stores:
        add(stores, "It rained.")
    with held.write() as stores:
        before = current(stores)
        after = add(stores, "It snowed.")

        assert before is not None
        assert before.text == "It rained."
        assert current(stores) == after


def test_the_structure_of_what_was_written_is_known(held: BookStorage) -> None:
    with held.write() as stores:
        made = add(stores, "It rained.", '{"weather": "rain"}')
    with held.look() as stores:
        assert stores.documents.data_of(made) == '{"weather": "rain"}'


def test_a_view_keeps_the_documents_that_were_asked_for_last() -> None:
    view = DocumentView()
    first = Document(
        id=1, book=BOOK, node=1, kind=DocumentKind.PROSE, version=1, text_hash="a", length=1, text="a"
    )  # fmt: skip
    for node in range(1, 2_000):
        view.keep(node, DocumentKind.PROSE, first.model_copy(update={"node": node, "id": node}))
        view.current(1, DocumentKind.PROSE)

    assert view.current(1, DocumentKind.PROSE) == first
    assert not view.knows(2, DocumentKind.PROSE)
    assert view.find(1_999) is not None


def test_however_many_are_asked_for_at_once_all_are_found_those_that_were_known_too(
    held: BookStorage, storage: BookStorage
) -> None:
    many = [PlanNode(goal=f"goal {number}", task_type=TaskType.WRITE) for number in range(400)]
    with storage.write() as stores:
        units = stores.nodes.add(stores.nodes.root(), many, level=Level.CHAPTER.value)
        for unit in units:
            stores.documents.add(NewDocument(node=unit.key, kind=DocumentKind.RETELLING, text=unit.goal), None)
    keys = [unit.key for unit in units]

    with held.look() as stores:
        found = [
            [document.node for document in stores.documents.of_nodes(asked, DocumentKind.RETELLING)]
            for asked in (keys[:200], keys, keys, [*keys[-256:], keys[0]])
        ]

    assert found == [keys[:200], keys, keys, [keys[0], *keys[-256:]]]
