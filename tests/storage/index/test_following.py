"""What a walk leaves in an index: found as if it were taken in at once, and embedded while a model is waited for.

It is embedded once, to the same vectors, and nothing is lost where that comes to nothing.
"""

import threading

import numpy as np
import pytest

from bookwright.models.errors import BackendUnavailable
from bookwright.storage.index.embedding import Hashing
from bookwright.storage.index.following import EmbedderAhead, IndexFollower
from bookwright.storage.index.knowledge import KnowledgeIndex
from tests.storage.shelves import DESIGN, QUERIES, SUMMARY, Shelf, ThreadNotingEmbedder, found, story


class Followed:
    """An index that is followed over a shelf on which one step has left a document."""

    def __init__(self, shelf: Shelf) -> None:
        self.inner = ThreadNotingEmbedder(name=shelf.embedder.name)
        self.ahead = EmbedderAhead(self.inner)
        self.index = KnowledgeIndex(shelf.storage, self.ahead, shelf.settings)
        self.follower = IndexFollower(self.index, self.ahead, shelf.journal)
        shelf.add("Tam winds the clock.")
        self.follower.begin_activity()
        shelf.record_step()
        self.inner.calls.clear()


@pytest.fixture
def followed(shelf: Shelf) -> Followed:
    """The index of that shelf."""
    return Followed(shelf)


def test_what_a_search_may_not_return_is_embedded_with_the_next_call_and_found_later(
    shelf: Shelf, followed: Followed
) -> None:
    key = shelf.add("Quill is a smuggler.")
    followed.follower.begin_activity()

    followed.index.search(["Quill"], [DESIGN], 3, exclude_nodes=[key])
    followed.index.search(["Quill"], [SUMMARY], 3)
    before = list(followed.inner.calls)
    followed.follower.embed_meanwhile()
    followed.follower.embed_meanwhile()
    shelf.record_step()
    followed.follower.begin_activity()
    best = followed.index.search(["Quill"], [DESIGN], 1)

    assert before == []
    assert (followed.inner.embedded, followed.inner.embedded_here) == (1, 0)
    assert [passage.text for passage in best] == ["Quill is a smuggler."]


def test_what_a_search_may_return_is_taken_in_before_it(shelf: Shelf, followed: Followed) -> None:
    shelf.add("Quill is a smuggler.")
    followed.follower.begin_activity()

    best = followed.index.search(["Quill"], [DESIGN], 1)

    assert [passage.text for passage in best] == ["Quill is a smuggler."]
    assert followed.inner.embedded_here == 1


def test_searches_find_what_they_find_where_all_is_taken_in_at_once(shelf: Shelf, followed: Followed) -> None:
    at_once = shelf.index()
    for number in range(40):
        key = shelf.add(story(number))
        followed.follower.begin_activity()
        at_once.catch_up(shelf.journal)
        own, other = (each.search(QUERIES, [DESIGN], 5, exclude_nodes=[key]) for each in (followed.index, at_once))
        assert own == other
        followed.follower.embed_meanwhile()
        shelf.record_step()

    assert followed.inner.embedded_here == 0
    assert found(followed.index, *QUERIES) == found(at_once, *QUERIES)


def test_what_was_embedded_and_not_taken_in_is_embedded_by_the_next_to_open(shelf: Shelf, followed: Followed) -> None:
    shelf.add("Marguerite owns the island.")
    followed.follower.begin_activity()
    followed.follower.embed_meanwhile()
    followed.ahead.close()  # what it made goes with the process
    rows = shelf.rows()

    index = shelf.index()
    index.catch_up(shelf.journal)
    shelf.record_step()

    assert (rows, shelf.rows(), shelf.embedder.embedded) == ((1, 1), (2, 2), 1)
    assert "Marguerite owns the island." in [passage.text for passage in index.search(["Marguerite"], [DESIGN], 3)]


def test_a_text_that_changes_until_it_is_taken_in_is_embedded_as_it_is_then(shelf: Shelf, followed: Followed) -> None:
    key = shelf.add("Quill is a smuggler.", goal="settle it")
    followed.follower.begin_activity()
    followed.follower.embed_meanwhile()
    with shelf.storage.write() as stores:
        stores.nodes.change(key, goal="settle who Quill is")

    followed.follower.begin_activity()

    [best] = followed.index.search(["Quill"], [DESIGN], 1)
    assert best.goal == "settle who Quill is"
    assert followed.inner.embedded_here == 1


def test_a_document_that_cannot_be_taken_in_fails_the_context_and_not_the_search_alone(
    shelf: Shelf, followed: Followed
) -> None:
    shelf.add("Quill is a smuggler.")
    followed.follower.begin_activity()
    followed.inner.failures = 1

    with pytest.raises(BackendUnavailable):
        followed.index.search(["Quill"], [DESIGN], 1)
    with pytest.raises(BackendUnavailable):
        followed.follower.end_context()
    followed.follower.end_context()  # once told, it is over

    assert [passage.text for passage in followed.index.search(["Quill"], [DESIGN], 1)] == ["Quill is a smuggler."]


def test_no_more_than_some_documents_wait(shelf: Shelf, followed: Followed) -> None:
    for number in range(40):
        shelf.add(story(number))
    followed.follower.begin_activity()
    waiting = shelf.rows()

    followed.follower.begin_activity()
    shelf.record_step()

    assert (waiting, shelf.rows()) == ((1, 1), (41, 41))


def test_the_last_activity_leaves_nothing_waiting(shelf: Shelf, followed: Followed) -> None:
    shelf.add("Quill is a smuggler.")

    followed.follower.begin_activity(is_last=True)
    shelf.record_step()

    assert shelf.rows() == (2, 2)


TEXTS = [story(number) for number in range(40)]


def test_texts_are_embedded_once_on_another_thread_and_in_batches() -> None:
    inner = ThreadNotingEmbedder()
    ahead = EmbedderAhead(inner)

    ahead.begin(TEXTS)
    ahead.begin(TEXTS)
    vectors = ahead.embed(TEXTS, is_query=False)

    own = threading.current_thread().name
    assert [count for name, count in inner.calls if name != own] == [16, 16, 8]
    assert [count for name, count in inner.calls if name == own] == [0]
    assert np.array_equal(vectors, Hashing().embed(TEXTS, False))


def test_what_was_not_begun_is_embedded_beside_it_in_the_order_asked() -> None:
    inner = ThreadNotingEmbedder()
    ahead = EmbedderAhead(inner)

    ahead.begin(TEXTS[::2])
    vectors = ahead.embed([*TEXTS, TEXTS[0]], is_query=False)

    assert np.array_equal(vectors, Hashing().embed([*TEXTS, TEXTS[0]], False))
    assert inner.embedded == 40


def test_a_failure_is_met_by_who_asks_for_the_vectors() -> None:
    ahead = EmbedderAhead(ThreadNotingEmbedder(failures=2))

    ahead.begin(TEXTS)
    with pytest.raises(BackendUnavailable):
        ahead.embed(TEXTS, is_query=False)

    assert np.array_equal(ahead.embed(TEXTS, is_query=False), Hashing().embed(TEXTS, False))


def test_nothing_is_begun_after_the_end() -> None:
    inner = ThreadNotingEmbedder()
    ahead = EmbedderAhead(inner)
    ahead.close()

    ahead.begin(TEXTS)

    assert inner.calls == []
