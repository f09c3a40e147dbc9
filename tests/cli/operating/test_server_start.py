"""`bookwright server` on a fresh home: it asks nobody anything, with a terminal or without one."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bookwright.flows.prefect.server import free_port
from tests.cli.terminal import CTRL_C, Terminal
from tests.support.prefect_database import give_database

pytestmark = [pytest.mark.prefect, pytest.mark.slow]

_UP = "Prefect's UI is at"
_QUESTIONS = ("How would you like to proceed", "Would you like", "[y/n]", "(y/N)", "profile")


@pytest.fixture
def fresh(tmp_path: Path) -> dict[str, str]:
    """The environment of somebody who never ran Prefect."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    return kept | {"HOME": str(tmp_path), "BOOKWRIGHT_HOME": str(tmp_path / "books")}


def test_a_first_server_asks_nothing_where_nobody_can_answer(fresh: dict[str, str]) -> None:
    command = [sys.executable, "-m", "bookwright", "server", "--port", str(free_port())]
    server = subprocess.Popen(
        command, env=fresh, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert server.stdout is not None

    said = []
    for line in server.stdout:
        said.append(line)
        if _UP in line:
            server.send_signal(signal.SIGTERM)

    assert server.wait(60) == 128 + signal.SIGTERM
    assert any(_UP in line for line in said)
    assert [question for question in _QUESTIONS if question in "".join(said)] == []


def test_a_first_server_asks_nothing_in_a_terminal(fresh: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("PREFECT_")]:
        monkeypatch.delenv(name)
    give_database(Path(fresh["BOOKWRIGHT_HOME"], "prefect"))  # the other server makes its own
    server = Terminal(["server", "--port", str(free_port())], fresh)
    try:
        server.expect(_UP)
        server.type(CTRL_C)
        server.left()
        assert [question for question in _QUESTIONS if question in server.shown] == []
    finally:
        server.close()
