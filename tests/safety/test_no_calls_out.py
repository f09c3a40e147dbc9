"""Nothing leaves the machine: each program is overheard by an audit hook in it and in all its children.

The hook hears Python's sockets; the embedded model and Chroma's index, which are native, open none by their kind.
"""

import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from pathlib import Path

import pytest

from bookwright import NO_CALLS_OUT
from bookwright.flows.prefect.server import free_port, stop_process
from tests.cli.terminal import Terminal
from tests.support.fake_provider import FakeProvider
from tests.support.novelist import write as novelist
from tests.support.prefect_database import give_database, has_deployment

HERE = Path(__file__).parent
MODEL_HOST = "localhost"
"""Looked up for the model alone: everything of ours says 127.0.0.1."""
OWN = {"127.0.0.1"}
PATIENCE_SECONDS = 240
BRIEF = ("--premise", "A keeper reads a log in her own hand.", "--title", "The Log", "--words", "900")
AUTOMATIC = ("CI", "GITHUB_ACTIONS", "GITLAB_CI", "JENKINS_URL", "TF_BUILD", "BUILDKITE")
"""Where Prefect finds one of these it sends nothing by itself, and the test would show nothing."""


@pytest.fixture
def overheard(tmp_path: Path) -> Path:
    return tmp_path / "overheard.txt"


@pytest.fixture
def environment(tmp_path: Path, overheard: Path) -> dict[str, str]:
    """Those of a person who has never run anything: a new home, nothing switched off."""
    removed = (*NO_CALLS_OUT, *AUTOMATIC)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PREFECT_", "BOOKWRIGHT_"))}
    kept = {name: value for name, value in kept.items() if name not in removed}
    ours = {"MODEL": "compatible:fake", "EMBEDDING": "hashing", "FREE_MEGABYTES": "0"}
    ours["HOME"] = str(tmp_path / "data")
    return kept | {f"BOOKWRIGHT_{name}": value for name, value in ours.items()} | {
        "HOME": str(tmp_path), "PYTHONPATH": str(HERE / "overheard"), "OVERHEARD": str(overheard),
    }  # fmt: skip


def hosts(overheard: Path) -> set[str]:
    return {line.split()[-1] for line in overheard.read_text("utf-8").splitlines()}


def reached(provider: FakeProvider) -> dict[str, str]:
    return {"BOOKWRIGHT_LLM_BASE_URL": provider.url.replace("127.0.0.1", MODEL_HOST)}


@pytest.mark.prefect
@pytest.mark.slow
def test_write_in_a_terminal_looks_up_its_model_alone(environment: Mapping[str, str], overheard: Path) -> None:
    with FakeProvider(author=novelist) as provider:
        terminal = Terminal(["write", *BRIEF], {**environment, **reached(provider)})
        try:
            assert terminal.left() == 0, terminal.shown
        finally:
            terminal.close()

    assert len(provider.ledger) > 0
    assert hosts(overheard) - {"::1"} == OWN | {MODEL_HOST}
    assert "anonymous" not in terminal.shown


@pytest.mark.prefect
@pytest.mark.slow
def test_server_and_worker_look_up_their_model_alone(environment: Mapping[str, str], overheard: Path) -> None:
    with FakeProvider(author=novelist) as provider:
        variables = {**environment, **reached(provider)}
        command = [sys.executable, "-m", "bookwright"]
        home = Path(variables["BOOKWRIGHT_HOME"])
        give_database(home / "prefect")  # the server of a terminal makes its own
        server = subprocess.Popen([*command, "server", "--worker", "--port", str(free_port())], env=variables)
        try:
            wait_for((home / "prefect" / "api-url").exists)
            wait_for(lambda: has_deployment(home / "prefect"))
            wait_for(lambda: told(command, ["submit", *BRIEF], variables).returncode == 0)
            wait_for(lambda: is_finished(home / "bookwright.db"))
            assert '"finished"' in told(command, ["status", "--json"], variables).stdout
        finally:
            stop_process(server, 60)

    assert len(provider.ledger) > 0
    assert hosts(overheard) - {"::1"} == OWN | {MODEL_HOST}
    programs = {line.split()[0] for line in overheard.read_text("utf-8").splitlines()}
    assert {"__main__.py", "app.py", "engine.py"} <= programs  # the server and the run were heard, too


@pytest.mark.parametrize("module", ["bookwright.flows.prefect.child", "tests.conftest"])
def test_telemetry_is_off_before_prefect_is_imported(environment: Mapping[str, str], module: str) -> None:
    """Whichever module of ours a program begins with, and whatever the variables said before.

    Of the module of the flow tests/flows/prefect/test_importing.py has it.
    """
    program = (
        f"import json, os, sys\nimport {module}\nfrom bookwright import NO_CALLS_OUT\n"
        "print(json.dumps([{name: os.environ[name] for name in NO_CALLS_OUT}, list(sys.modules)]))"
    )
    variables = {**environment, "DO_NOT_TRACK": "0", "PREFECT_SERVER_ANALYTICS_ENABLED": "true", "PYTHONPATH": "."}

    done = subprocess.run(
        [sys.executable, "-c", program], env=variables, cwd=HERE.parents[1], check=True, capture_output=True, text=True
    )

    found, modules = json.loads(done.stdout)
    assert found == NO_CALLS_OUT
    theirs = [modules.index(name) for name in ("prefect", "chromadb") if name in modules]
    assert all(modules.index("bookwright") < place for place in theirs)


def told(command: list[str], arguments: list[str], variables: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*command, *arguments], env=variables, check=False, capture_output=True, text=True)


def is_finished(database: Path) -> bool:
    """True once the book is written, as the file says it: asking a program each time would be a start each time."""
    with suppress(sqlite3.OperationalError), closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as looked:
        return looked.execute("SELECT state FROM books").fetchall() == [("finished",)]
    return False  # the worker has not made it yet


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.2)
