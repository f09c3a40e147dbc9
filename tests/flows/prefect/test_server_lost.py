"""A book goes on when the Prefect server dies or was never there."""

import os
import signal
from pathlib import Path

import pytest

from bookwright.flows.deps import NoWindow
from bookwright.flows.prefect.login import make_login
from bookwright.flows.prefect.observer import open_window
from bookwright.flows.prefect.pool import on_server
from bookwright.flows.prefect.server import (
    PrefectApi,
    api_url,
    free_port,
    server_environment,
    start_server,
    wait_until_up,
)
from bookwright.models.book import BookState
from bookwright.models.settings import load_settings
from tests.flows.prefect.windowed import (
    Recording,
    create_book,
    write,
)

pytestmark = pytest.mark.prefect


def test_the_walk_goes_on_when_the_server_dies_and_says_so_once(home: Path, plain_walk: list[str]) -> None:
    settings = load_settings()
    book = create_book(settings)
    port = free_port()
    server = start_server(server_environment(settings, port, has_ui=False), home / "server.log")
    wait_until_up(server, api_url(port))
    notices: list[str] = []

    def kill_at_five(count: int) -> None:
        if count == 5 and server.poll() is None:
            os.kill(server.pid, signal.SIGKILL)
            server.wait()

    with (
        on_server(PrefectApi(api_url(port), make_login(settings))),
        open_window(settings, book, notices.append) as window,
    ):
        recording = Recording(window, kill_at_five)
        finished = write(settings, recording)

    assert finished.state is BookState.FINISHED
    assert recording.names == plain_walk
    assert len(notices) == 1
    assert notices[0].startswith("Prefect fails (ConnectError")
    assert notices[0].endswith("the book is written on without it")


def test_without_a_server_the_book_is_written_as_plain_functions(home: Path, plain_walk: list[str]) -> None:
    settings = load_settings()
    book = create_book(settings)
    notices: list[str] = []

    with on_server(PrefectApi(api_url(free_port()))), open_window(settings, book, notices.append) as window:
        recording = Recording(window)
        finished = write(settings, recording)

    assert isinstance(window, NoWindow)
    assert finished.state is BookState.FINISHED
    assert recording.names == plain_walk
    assert [notice.startswith("Prefect could not be started") for notice in notices] == [True]
