"""`bookwright server` on a fresh home: it asks nobody anything, with a terminal or without one."""

import os
import signal
from pathlib import Path

import pytest

from bookwright.flows.prefect.server import free_port
from tests.cli.terminal import CTRL_C, Terminal
from tests.durability.command import wait_until
from tests.support.forks import Forks
from tests.support.prefect_database import give_database

pytestmark = [pytest.mark.prefect, pytest.mark.slow]

_UP = "Prefect's UI is at"
QUESTIONS = ("How would you like to proceed", "Would you like", "[y/n]", "(y/N)", "profile")
"""What Prefect's own programs ask who starts them for the first time."""


@pytest.fixture
def fresh(tmp_path: Path) -> dict[str, str]:
    """The environment of somebody who never ran Prefect, but for its database: see `test_no_calls_out`."""
    give_database(tmp_path / "books" / "prefect")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    return kept | {"HOME": str(tmp_path), "BOOKWRIGHT_HOME": str(tmp_path / "books")}


def test_a_first_server_asks_nothing_where_nobody_can_answer(
    fresh: dict[str, str], tmp_path: Path, prefect_forks: Forks
) -> None:
    command, log = ["bookwright", "server", "--port", str(free_port())], tmp_path / "log"
    with prefect_forks.talking(command, fresh, log) as (server, stdout):
        wait_until(lambda: _UP in log.read_text(), "the server is up", 60)
        server.terminate()
        code, said = server.wait(60), stdout.read()

    assert code == 128 + signal.SIGTERM
    assert [question for question in QUESTIONS if question in said + log.read_text()] == []


def test_a_first_server_asks_nothing_in_a_terminal(
    fresh: dict[str, str], monkeypatch: pytest.MonkeyPatch, prefect_forks: Forks
) -> None:
    for name in [name for name in os.environ if name.startswith("PREFECT_")]:
        monkeypatch.delenv(name)
    server = Terminal(["server", "--port", str(free_port())], fresh, forks=prefect_forks)
    try:
        server.expect(_UP)
        server.type(CTRL_C)
        server.left()
        assert [question for question in QUESTIONS if question in server.shown] == []
    finally:
        server.close()
