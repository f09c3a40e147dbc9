"""Documents and their versions, what they rested on, and what the maintainers are owed."""

from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.tree.plan import PlanNode
from bookwright.storage.stores import BookStorage, Stores
from tests.storage.conftest import BRIEF

PROSE, DESIGN, SUMMARY = DocumentKind.PROSE, DocumentKind.DESIGN, DocumentKind.SUMMARY


def add(stores: Stores, text: str, kind: DocumentKind = PROSE, inputs: tuple[int, ...] = (), node: int = 0) -> int:
    new = NewDocument(node=node or stores.nodes.root().key, kind=kind, text=text, inputs=inputs)
    return stores.documents.add(new, None).id


def test_the_newest_version_is_the_current_one(storage: BookStorage) -> None:
    with storage.write() as stores:
        root = stores.nodes.root().key
        assert stores.documents.current(root, PROSE) is None

        first, second = add(stores, "Rain fell."), add(stores, "Rain fell again.")

        current = stores.documents.current(root, PROSE)
        assert current is not None
        assert (current.id, current.version, current.text, current.length) == (second, 2, "Rain fell again.", 3)
        assert [(item.id, item.version, item.text) for item in stores.documents.versions(root, PROSE)] == [
            (first, 1, ""),
            (second, 2, ""),
        ]


def test_an_old_version_can_still_be_read(storage: BookStorage) -> None:
    with storage.write() as stores:
        first = add(stores, "Rain fell.")
        add(stores, "It was dry.")

        old = stores.documents.get(first)
        assert old is not None
        assert old.text == "Rain fell."
        assert stores.documents.get(999) is None


def test_kinds_and_nodes_have_versions_of_their_own(storage: BookStorage) -> None:
    with storage.write() as stores:
        root = stores.nodes.root()
        (task,) = stores.nodes.add(root, [PlanNode(goal="decide")], level="book")
        add(stores, "a", PROSE)
        add(stores, "b", DESIGN)
        add(stores, "c", DESIGN, node=task.key)

        wanted = [(root.key, PROSE), (root.key, DESIGN), (task.key, DESIGN)]
        found = [stores.documents.current(node, kind) for node, kind in wanted]
        assert [(item.version, item.text) for item in found if item] == [(1, "a"), (1, "b"), (1, "c")]


def test_a_document_that_no_step_made_can_be_stored(storage: BookStorage) -> None:
    with storage.write() as stores:
        new = NewDocument(node=stores.nodes.root().key, kind=PROSE, text="Rain fell.")

        assert [stores.documents.add(new, step).version for step in (None, 0)] == [1, 2]


def test_a_text_can_be_left_out_and_fetched_later(storage: BookStorage) -> None:
    with storage.write() as stores:
        add(stores, "Rain fell.")

        bare = stores.documents.current(stores.nodes.root().key, PROSE, with_text=False)
        assert bare is not None
        assert bare.text == ""
        assert stores.documents.text_of(bare) == "Rain fell."


def test_inputs_are_kept_once_each(storage: BookStorage) -> None:
    with storage.write() as stores:
        first, second = add(stores, "a"), add(stores, "b", DESIGN)
        third = add(stores, "c", SUMMARY, inputs=(second, first, second))

        assert sorted(stores.documents.inputs_of(third)) == [first, second]
        assert stores.documents.inputs_of(first) == []


def test_the_latest_of_a_kind_is_the_newest_of_the_whole_book(storage: BookStorage) -> None:
    with storage.write() as stores:
        root = stores.nodes.root()
        (task,) = stores.nodes.add(root, [PlanNode(goal="decide")], level="book")
        assert stores.documents.latest(DESIGN) is None
        add(stores, "old", DESIGN, node=task.key)
        add(stores, "new", DESIGN, node=root.key)

        latest = stores.documents.latest(DESIGN)

    assert latest is not None
    assert latest.text == "new"


def test_current_documents_of_several_nodes_come_oldest_first_with_texts(storage: BookStorage) -> None:
    with storage.write() as stores:
        root = stores.nodes.root()
        tasks = [node.key for node in stores.nodes.add(root, [PlanNode(goal="a"), PlanNode(goal="b")], level="book")]
        add(stores, "second", DESIGN, node=tasks[1])
        add(stores, "void", DESIGN, node=tasks[0])
        add(stores, "first", DESIGN, node=tasks[0])
        add(stores, "other kind", SUMMARY, node=tasks[0])

        found = stores.documents.of_nodes(tasks, DESIGN)

        assert [item.text for item in found] == ["second", "first"]
        assert stores.documents.of_nodes([], DESIGN) == []
        assert len(stores.documents.of_nodes(tasks, DESIGN, SUMMARY)) == 3


def test_documents_after_one_come_in_order(storage: BookStorage) -> None:
    with storage.write() as stores:
        ids = [add(stores, text, kind) for text, kind in (("a", PROSE), ("b", DESIGN), ("c", PROSE), ("d", PROSE))]

        assert [item.text for item in stores.documents.after(0, [PROSE], 2)] == ["a", "c"]
        assert [item.text for item in stores.documents.after(ids[0], [PROSE, DESIGN], 9)] == ["b", "c", "d"]


def test_the_queue_gives_what_waits_oldest_first(storage: BookStorage) -> None:
    with storage.write() as stores:
        first, second, third = (add(stores, text, DESIGN) for text in "abc")
        stores.queue.add(DocumentKind.BOOK_DESIGN, first)
        stores.queue.add(DocumentKind.GLOBAL_STATE, second)
        stores.queue.add(DocumentKind.BOOK_DESIGN, third)

        waiting = list(stores.queue.waiting())

    assert [(kind, document) for _, kind, document in waiting] == [
        (DocumentKind.BOOK_DESIGN, first),
        (DocumentKind.GLOBAL_STATE, second),
        (DocumentKind.BOOK_DESIGN, third),
    ]


def test_what_was_taken_in_leaves_the_queue_and_later_news_stays(storage: BookStorage) -> None:
    with storage.write() as stores:
        for text in "abc":
            stores.queue.add(DocumentKind.BOOK_DESIGN, add(stores, text, DESIGN))
        stores.queue.add(DocumentKind.GLOBAL_STATE, add(stores, "d", SUMMARY))
        rows = [row for row, _, _ in stores.queue.waiting()]

        stores.queue.mark_applied(DocumentKind.BOOK_DESIGN, rows[1])

        assert [row for row, _, _ in stores.queue.waiting()] == rows[2:]


def test_one_books_queue_is_not_anothers(storage: BookStorage) -> None:
    other = BookStorage(storage.database, "other", storage.language)
    with storage.write() as stores:
        stores.queue.add(DocumentKind.BOOK_DESIGN, add(stores, "a", DESIGN))
        stores.books.create("other", BRIEF)

    with other.read() as stores:
        assert list(stores.queue.waiting()) == []
        assert stores.documents.latest(DESIGN) is None


def test_running_documents_are_those_that_maintainers_keep() -> None:
    assert [kind for kind in DocumentKind if kind.is_running] == [DocumentKind.BOOK_DESIGN, DocumentKind.GLOBAL_STATE]
