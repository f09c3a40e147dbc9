"""A book goes on when the Prefect server dies or was never there."""

from pathlib import Path

import pytest

from bookwright.flows.deps import RunObserver
from bookwright.flows.prefect.pool import on_server
from bookwright.flows.prefect.server import (
    PrefectApi,
    api_url,
    free_port,
    make_login,
    prefect_home,
    server_environment,
    wait_until_up,
)
from bookwright.models.book import BookState
from bookwright.models.settings import load_settings
from tests.flows.prefect.observed import (
    BRIEF,
    SHORT,
    Recording,
    write_at_terminal,
)
from tests.support.forks import SERVER, Forks
from tests.support.prefect_database import give_database

pytestmark = [pytest.mark.prefect, pytest.mark.slow]


def test_the_walk_goes_on_when_the_server_dies_and_says_so_once(
    home: Path, plain_walk: list[str], prefect_forks: Forks
) -> None:
    settings = load_settings()
    port = free_port()
    give_database(prefect_home(settings))
    server = prefect_forks.start([SERVER], server_environment(settings, port, has_ui=False), home / "server.log")
    wait_until_up(server, api_url(port))
    notices: list[str] = []
    recordings: list[Recording] = []

    def kill_at_five(count: int) -> None:
        if count == 5 and server.poll() is None:
            server.kill()
            server.wait()

    def seen_by(observer: RunObserver) -> RunObserver:
        recordings.append(Recording(observer, kill_at_five))
        return recordings[-1]

    with on_server(PrefectApi(api_url(port), make_login(settings))):
        finished = write_at_terminal(settings, notices.append, seen_by, BRIEF)

    assert finished.state is BookState.FINISHED
    assert [recording.names for recording in recordings] == [plain_walk]
    assert len(notices) == 1
    assert notices[0].startswith("Prefect fails (ConnectError")
    assert notices[0].endswith("the book is written on without it")


def test_without_a_server_the_book_is_written_as_plain_functions(home: Path, short_walk: list[str]) -> None:
    settings = load_settings()
    notices: list[str] = []
    recordings: list[Recording] = []

    def seen_by(observer: RunObserver) -> RunObserver:
        recordings.append(Recording(observer))
        return recordings[-1]

    with on_server(PrefectApi(api_url(free_port()))):
        finished = write_at_terminal(settings, notices.append, seen_by, SHORT)

    assert type(recordings[-1].inner) is RunObserver
    assert finished.state is BookState.FINISHED
    assert recordings[-1].names == short_walk
    assert [recording.names for recording in recordings[:-1]] == [[]]
    assert [notice.startswith("Prefect could not be started") for notice in notices] == [True]
