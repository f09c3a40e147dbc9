"""What all tests share."""

import gc
import os
import shlex
import signal
from collections.abc import Generator, Iterator
from contextlib import ExitStack
from itertools import zip_longest
from pathlib import Path

import execnet
import pytest
from hypothesis import settings

from bookwright.flows.prefect.server import NO_AUTHORITY
from bookwright.models.settings import Settings, load_settings
from bookwright.storage.engine import migrate
from bookwright.storage.engine.database import open_database
from tests.support.forks import SHARING, Forks, forking_python, listening, reached, sharing
from tests.support.postgres import PostgresServer, running_postgres
from tests.support.scratch import temporary_files

settings.register_profile("bookwright", deadline=None)  # a busy machine is no fault of the program
settings.register_profile("thorough", deadline=None, max_examples=2_000)  # pytest --hypothesis-profile=thorough
settings.load_profile("bookwright")

os.environ["PREFECT_API_SSL_CERT_FILE"] = NO_AUTHORITY  # for clients of Prefect's that tests make themselves

os.environ["OMP_WAIT_POLICY"] = "passive"
"""As the embedded model sets it, too late where llama.cpp is loaded before: its threads waited burning cores."""

signal.signal(signal.SIGINT, signal.default_int_handler)
"""A shell's background jobs ignore it, and so would all programs that they start, which tests press Ctrl-C on."""

os.register_at_fork(after_in_child=gc.freeze)
"""A fork leaves its parent's garbage alone: the embedded model's server would end there, and wait for its thread."""

gc.set_threshold(50_000, 10, 10)  # by default each look at all that is imported comes again after 700 new objects


def pytest_configure(config: pytest.Config) -> None:
    """Begin what all processes share that run tests: temporary files, and what programs are forked from."""
    if not hasattr(config, "workerinput"):
        begun = ExitStack()
        begun.enter_context(temporary_files())
        begun.enter_context(listening())
        config.add_cleanup(begun.close)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes(config: pytest.Config, specs: list[execnet.XSpec]) -> None:
    """Fork the processes that share the tests, too, from one that has imported these: each would do it anew."""
    begun = ExitStack()
    begun.enter_context(sharing(is_for_all=config.args == config.getini("testpaths")))
    config.add_cleanup(begun.close)
    specs[:] = [execnet.XSpec(f"{spec}//python={shlex.quote(forking_python())} -m {SHARING}") for spec in specs]


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Look for no garbage in what is imported, which stays: not meanwhile and not later, nor in forks."""
    gc.disable()
    collected = yield
    gc.freeze()
    gc.enable()
    return collected


def pytest_sessionfinish() -> None:
    """Look for garbage as long as there is some: pytest does so ten times at its end, at all that tests have left."""
    for _ in range(5):
        if not gc.collect():
            break
    gc.freeze()


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A Postgres server."""
    with running_postgres() as server:
        yield server


@pytest.fixture(scope="session")
def prefect_forks() -> Forks:
    """Starts programs of Prefect and of ours."""
    return reached()


@pytest.fixture(scope="session")
def postgres_template(postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The name of a migrated database of the server."""
    name = postgres.new_database()
    migrated(load_settings(home=tmp_path_factory.mktemp("postgres"), database_url=postgres.url(name)))
    return name


def migrated(settings: Settings) -> None:
    database = open_database(settings)
    migrate.upgrade(database)
    database.dispose()


_FORKING = [
    Path(__file__).parent / path
    for path in (
        *(f"durability/test_{name}.py" for name in ("crash_points", "kill", "races", "budget_under_fire", "upkeep")),
        *(f"durability/test_{name}.py" for name in ("disk", "signals", "locks", "clocks")),
        "flows/blueprints/test_story.py",
    )
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run first whose forks write books, since a child of one that has used Chroma waits for its threads for ever.

    Then come files with slow tests, most of which wait for servers, and between them quick ones, which need the
    processor; the quick ones that are left come last, at the very end those whose tests have no folder of their own.
    Where several processes share the tests, each file goes to one of them and the files go out in this order, so that
    all of them seldom wait at once, and no long file is left for the end.
    """
    files: dict[Path, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    forking = [path for path in _FORKING if path in files]
    others = [path for path in files if path not in _FORKING]
    slow = [path for path in others if any(map(_is_slow, files[path]))]
    quick = [path for path in others if path not in set(slow)]
    quick.sort(key=lambda path: not any("tmp_path" in item.fixturenames for item in files[path]))
    turns = [path for pair in zip_longest(slow, quick) for path in pair if path is not None]
    items[:] = [item for path in (*forking, *turns) for item in files[path]]


def _is_slow(item: pytest.Item) -> bool:
    return any(item.get_closest_marker(mark) for mark in ("slow", "prefect", "embedded"))
