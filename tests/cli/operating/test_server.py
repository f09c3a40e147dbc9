"""`submit` and `server` where something is wrong; tests/flows/prefect/test_observer.py hands a book in."""

import socket
import subprocess
import sys

import pytest
from prefect.settings import PREFECT_API_URL, temporary_settings

from bookwright.cli.operating.server import _work
from bookwright.flows.library import find_or_create, open_library
from bookwright.flows.prefect import workers
from bookwright.flows.prefect.pool import on_server
from bookwright.flows.prefect.server import PrefectApi, api_url, free_port
from bookwright.models.brief import make_brief
from bookwright.models.errors import BookwrightError
from bookwright.storage.repositories.books import BookRepository
from tests.support.fake_prefect import queued

BRIEF = ("--premise", "A keeper of a lighthouse counts ships.", "--words", "900")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "the brief has no premise"),
        ((*BRIEF, "--words", "0"), "length in the brief"),
        ((*BRIEF, "--model", "nobody:x"), "no provider is called 'nobody'"),
        ((*BRIEF, "--model", "anthropic:nope"), "anthropic is not known to have a model 'nope'"),
        ((*BRIEF, "--until", "page:3"), "--until is 'page:3'"),
        ((*BRIEF, "--words-today", "0"), "--words-today is 0"),
        ((*BRIEF, "--export", "epub,pdf"), "no export format is called 'pdf'"),
        (("--book", "nobody"), "there is no book 'nobody'"),
        (("--book", "nobody", "--budget-usd", "5"), "is handed in as it is; `bookwright brief BOOK --set`"),
        (("--interrupted", *BRIEF), "is handed in as it is"),
    ],
)
def test_what_no_worker_could_write_is_refused_before_prefect_is_asked(cli, home, arguments, message):
    outcome = cli("submit", *arguments)

    assert (outcome.code, outcome.out) == (2, "")
    assert message in outcome.err
    assert not home.exists()


def test_without_a_server_submit_says_how_to_start_one(cli, home):
    with temporary_settings(restore_defaults={PREFECT_API_URL}):
        outcome = cli("submit", *BRIEF)

    assert (outcome.code, outcome.out) == (1, "")
    assert "no Prefect server is known; start one with `bookwright server --worker`" in outcome.err
    assert not home.exists()


@pytest.mark.parametrize("is_by_brief", [True, False])
def test_a_book_that_was_to_rest_is_wanted_again_once_it_is_handed_in_and_not_before(cli, settings, is_by_brief):
    database = open_library(settings)
    book = find_or_create(database, make_brief({"premise": BRIEF[1], "length": 900})).id
    order = BRIEF if is_by_brief else ("--book", book)
    assert cli("pause", book).code == 0

    def wishes() -> bool:
        with database.read() as connection:
            return BookRepository(connection).get(book).stop_requested

    with temporary_settings(restore_defaults={PREFECT_API_URL}):
        assert cli("submit", *order).code == 1
    assert wishes()

    with temporary_settings({PREFECT_API_URL: api_url(free_port())}):
        assert cli("submit", *order).code == 1  # the server does not answer
    assert wishes()
    with queued(settings):
        assert cli("submit", *order).out.startswith(f"{book} is handed in")
    assert not wishes()
    database.dispose()


def test_a_server_that_does_not_answer_is_named(cli, home):
    url = api_url(free_port())

    with on_server(PrefectApi(url)):
        outcome = cli("submit", *BRIEF)

    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err.startswith(f"bookwright: the Prefect server at {url} does not answer")
    assert len(outcome.err.splitlines()) == 1


@pytest.mark.parametrize("verb", [("server", "--port"), ("studio", "--no-browser", "--port")])
def test_a_service_on_a_port_in_use_is_refused(cli, home, verb):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        outcome = cli(*verb, port)

    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == f"bookwright: port {port} cannot be had (Address already in use); {verb[-1]} names another\n"


def test_a_server_that_ended_by_itself_is_told_of_as_such_and_its_worker_ends(settings):
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    worker = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    serving = workers.KeptProcess("Prefect server", lambda: ended, print, is_vital=True)

    with pytest.raises(BookwrightError, match="the Prefect server ended by itself with code 0"):
        _work(settings, PrefectApi(api_url(free_port())), serving, lambda: worker)

    assert worker.poll() is not None
