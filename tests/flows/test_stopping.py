"""What SIGTERM and Ctrl-C do to a walk, at whatever moment they come."""

import signal

import pytest

from bookwright.flows.stopping import stopping
from bookwright.storage.lease import Lease
from bookwright.storage.steps.journal import Journal
from tests.support.books import make_book, make_settings

LONG = 3_600


@pytest.fixture
def journal(tmp_path):
    """The journal of a book that is held."""
    storage = make_book(make_settings(tmp_path), [])
    with storage.write() as stores:
        return Journal(storage, Lease.take(stores.connection, storage.book, "the test", 60))


def test_a_signal_before_there_is_a_journal_is_heard_by_it(journal):
    with stopping(LONG, lambda: None) as stop:
        signal.raise_signal(signal.SIGTERM)
        stop.tell(journal)

    assert journal.stop_requested


def test_the_first_signal_awaits_the_call_even_where_a_rest_was_asked_for_before(journal):
    cancelled = []

    with stopping(LONG, lambda: cancelled.append("call")) as stop:
        stop.tell(journal)
        journal.stop_requested = True  # as `bookwright pause` does from elsewhere
        signal.raise_signal(signal.SIGINT)
        after_one = list(cancelled)
        signal.raise_signal(signal.SIGTERM)

    assert (after_one, cancelled) == ([], ["call"])


def test_the_signals_are_as_they_were_afterwards():
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]

    with stopping(LONG, lambda: None):
        assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] != before

    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before
