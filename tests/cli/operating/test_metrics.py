"""The figures of an installation: as they are printed, and as they are scraped from this machine's loopback."""

import os
import socket
import time
from contextlib import closing

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from bookwright.app.access import library
from bookwright.app.status.figures import StudioFigures, served
from bookwright.models.book import BookState
from bookwright.models.errors import InvalidSetting
from bookwright.models.settings import Settings
from bookwright.models.step import Failure
from bookwright.storage.lease import Lease
from bookwright.storage.steps.journal import Journal
from bookwright.storage.stores import BookStorage
from tests.cli.conftest import Cli
from tests.cli.shelf import attempt
from tests.support.fake_prefect import queued

Figures = dict[tuple[str, frozenset[tuple[str, str]]], float]


def read(text: str) -> Figures:
    samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
    return {(sample.name, frozenset(sample.labels.items())): sample.value for sample in samples}


def figure(found: Figures, name: str, **labels: str) -> float:
    wanted = labels.items()
    return sum(value for (each, own), value in found.items() if each == name and wanted <= own)


def record(storage: BookStorage, step: str, failure: Failure | None = None) -> None:
    with storage.write() as stores:
        lease = Lease.take(stores.connection, storage.book, "the test", 60)
        root = stores.nodes.root()
    Journal(storage, lease).record(attempt(root, step, "Rain fell.", failure=failure))
    with storage.write() as stores:
        lease.release(stores.connection)


def test_all_calls_on_record_are_printed_as_figures(cli: Cli, book: BookStorage) -> None:
    done = cli("metrics", "--once")

    found = read(done.out)
    assert done.code == 0
    assert figure(found, "bookwright_calls_total") == 3
    assert figure(found, "bookwright_calls_total", outcome="unparsable", role="writer", model="openai:gpt-x") == 1
    assert figure(found, "bookwright_tokens_total", kind="input") == 3 * 1_200
    assert figure(found, "bookwright_tokens_total", kind="output") == 3 * 300
    assert round(figure(found, "bookwright_cost_dollars_total"), 6) == round(3 * 0.0045, 6)
    assert figure(found, "bookwright_call_seconds_count", model="openai:gpt-x") == 3
    assert figure(found, "bookwright_call_seconds_sum") == 4.5
    assert figure(found, "bookwright_written_length") > 0
    assert sum(value for (name, _), value in found.items() if name == "bookwright_books") == 1


def test_a_book_that_waits_for_a_worker_counts_as_queued(cli: Cli, book: BookStorage, settings: Settings) -> None:
    with book.write() as stores:
        stores.books.set_state(book.book, BookState.PAUSED)

    with queued(settings, book.book):
        found = read(cli("metrics", "--once").out)
        with library(settings) as database:
            figures, deadline = StudioFigures(database, settings), time.monotonic() + 20
            while not figure(scraped := read(figures.text()), "bookwright_books", standing="queued"):
                assert time.monotonic() < deadline
                time.sleep(0.05)  # a scrape waits for no answer of Prefect's

    for each in (found, scraped):
        assert (figure(each, "bookwright_books", standing="queued"), figure(each, "bookwright_books")) == (1, 1)


def test_nothing_of_a_book_is_in_the_figures(cli: Cli, book: BookStorage) -> None:
    out = cli("metrics", "--once").out

    assert not [word for word in ("Night Watch", "lamp", "Rain", "The Log") if word in out]


def test_a_scrape_counts_what_was_recorded_since(book: BookStorage, settings: Settings) -> None:
    with library(settings) as database:
        figures = StudioFigures(database, settings, settled_seconds=0)
        with served(figures, 0) as address:
            before = read(httpx.get(address).text)
            record(book, "draft.2")
            record(book, "draft.3", Failure.REFUSAL)
            after = read(httpx.get(address).text)

    assert figure(before, "bookwright_calls_total") == 0
    assert figure(after, "bookwright_calls_total") == 2
    assert figure(after, "bookwright_calls_total", outcome="refusal") == 1


def test_what_is_only_just_recorded_is_counted_by_a_later_scrape(book: BookStorage, settings: Settings) -> None:
    with library(settings) as database:
        figures = StudioFigures(database, settings, settled_seconds=3_600)
        record(book, "draft.2")

        assert figure(read(figures.text()), "bookwright_calls_total") == 0


def test_a_cap_that_was_changed_while_figures_are_served_is_the_one_they_show(
    book: BookStorage, settings: Settings
) -> None:
    config = settings.home / "config.toml"
    with library(settings) as database:
        figures = StudioFigures(database, settings)
        caps = []
        for said in (None, "studio_usd = 7.5\n", "studio_usd = \n", "studio_usd = 9\n"):
            if said is not None:
                config.write_text(said)
                os.utime(config, ns=(len(caps), len(caps)))
            caps.append(figure(read(figures.text()), "bookwright_studio_cap_dollars"))

    assert caps == [0, 7.5, 7.5, 9]


def test_they_are_served_on_the_loopback_alone(book: BookStorage, settings: Settings) -> None:
    with library(settings) as database, served(StudioFigures(database, settings), 0) as address:
        port = httpx.URL(address).port
        with closing(socket.socket()) as probe:
            probe.bind(("127.0.0.2", port or 0))  # another address of the loopback: free, so nobody listens everywhere

        assert httpx.URL(address).host == "127.0.0.1"
        with pytest.raises(InvalidSetting, match=f"port {port}"), served(StudioFigures(database, settings), port or 0):
            pass
