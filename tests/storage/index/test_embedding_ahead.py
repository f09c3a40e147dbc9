"""What is embedded while a model is waited for: once, the same vectors, and nothing lost where it comes to nothing."""

import threading

import numpy as np
import pytest

from bookwright.models.errors import BackendUnavailable
from bookwright.storage.index.embedding import Hashing
from bookwright.storage.index.following import EmbedderAhead
from tests.storage.shelves import ThreadNotingEmbedder, story

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
