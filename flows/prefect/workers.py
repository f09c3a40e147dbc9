"""The workers of a server: the pool and the deployment that they serve, one beside the server, the runs of dead ones.

Prefect goes on calling a run of a host that died Running and counts it against the pool's limit. That its process is
dead is told by the database: whoever lives renews the lease of its book. A run whose process was killed under a living
worker is Crashed at once, and another is handed in where its book was left in the middle. Should a process be alive
after all, the lease lets only one of the two write. Source: DESIGN sections 5 (rule 5) and 16.
"""

import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, NoReturn, cast

from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.actions import WorkPoolCreate, WorkPoolUpdate
from prefect.client.schemas.objects import FlowRun, State, StateType
from prefect.exceptions import ObjectNotFound
from prefect.states import AwaitingRetry, Crashed
from prefect.utilities.processutils import command_to_string

from bookwright.flows.library import opened_library
from bookwright.flows.parameters import book_of
from bookwright.flows.prefect.flow_run import FLOW_NAME, SLACK_SECONDS, to_stderr
from bookwright.flows.prefect.pool import POOL, HandedIn, hand_in, on_server, runs_of
from bookwright.flows.prefect.server import CHILD, PrefectApi
from bookwright.models.book import BookState
from bookwright.models.errors import BookNotFound, BookwrightError
from bookwright.models.settings import Settings
from bookwright.storage.engine.database import Database
from bookwright.storage.lease import interrupted, is_held
from bookwright.storage.repositories.books import BookRepository

_ENGINE = command_to_string([sys.executable, "-m", CHILD, "--apart", "prefect.engine"])
"""A flow run that a stopping worker does not kill with its call in flight; for a worker on this machine."""

Process = subprocess.Popen[bytes]

_LOOK_SECONDS, _LONGEST_REST_SECONDS = 0.5, 60.0

_START_SECONDS = 120.0
"""What a run may take from its process's start to its book's lease."""

_MOST_CRASHES = 10
"""Runs of one book whose processes were killed under a living worker; after that it is left to a person."""

_LEAST_SECONDS = 5.0
"""Between two looks for the runs of dead workers, however short a lease is."""


def job_template(command: str = _ENGINE) -> dict[str, Any]:
    """Return how a worker starts any run of the pool: no run and no deployment has a say in it.

    Prefect's own template takes the command, the working folder and the environment from whoever makes the run.
    """
    return {
        "job_configuration": {
            "command": command, "env": {}, "labels": {}, "name": None, "stream_output": True, "working_dir": None,
        },
        "variables": {"type": "object", "properties": {}, "additionalProperties": False},
    }  # fmt: skip


def deploy(limit: int) -> None:
    """Make the pool for `limit` books at once, and the deployment on it; or bring both up to date."""
    from prefect.deployments.runner import RunnerDeployment  # brings Docker, and the flow the engine:
    from prefect.types.entrypoint import EntrypointType

    from bookwright.flows.write_book import write_book  # what a look for dead workers does not need

    _make_pool(limit)
    deployment = write_book.to_deployment(
        FLOW_NAME, tags=["bookwright"], work_pool_name=POOL, entrypoint_type=EntrypointType.MODULE_PATH,
    )  # fmt: skip
    cast(RunnerDeployment, deployment).apply()


def _make_pool(limit: int) -> None:
    template = job_template()
    with get_client(sync_client=True) as client:
        try:
            client.read_work_pool(POOL)
        except ObjectNotFound:
            client.create_work_pool(
                WorkPoolCreate(name=POOL, type="process", base_job_template=template, concurrency_limit=limit)
            )
        else:
            client.update_work_pool(POOL, WorkPoolUpdate(base_job_template=template, concurrency_limit=limit))


@dataclass
class KeptProcess:
    """A process that runs from now on, and is started again where it ended by itself."""

    name: str
    start: Callable[[], Process]
    tell: Callable[[str], None]
    """Hears of each that ended."""
    is_vital: bool = False
    """Without it nothing goes on: one that ends again soon is not started again."""
    first_rest_seconds: float = 1.0
    """What it is started again after; twice as long each time that it has ended soon, up to a minute."""
    steady_seconds: float = 60.0
    """One that lived longer has not ended soon, however often one died before."""

    def __post_init__(self) -> None:
        self._rest = self.first_rest_seconds
        self._begin()

    def _begin(self) -> None:
        self._began, self.process = time.monotonic(), self.start()
        self._due: float | None = None

    def look(self) -> None:
        """Start it again where it ended, the later the oftener it did; raise `BookwrightError` if it is not to be."""
        code, now = self.process.poll(), time.monotonic()
        if code is None:
            return
        if self._due is None:
            ended = f"the {self.name} ended by itself with code {code}"
            if now - self._began > self.steady_seconds:
                self._rest = self.first_rest_seconds
            elif self.is_vital:
                raise BookwrightError(ended)
            self.tell(f"{ended}; another one is started in {self._rest:.0f} s")
            self._due, self._rest = now + self._rest, min(2 * self._rest, _LONGEST_REST_SECONDS)
        if now >= self._due:
            self._begin()


def look_after(*children: KeptProcess) -> NoReturn:
    """Keep processes running until something ends this one; raises what `KeptProcess.look` does."""
    while True:
        for child in children:
            child.look()
        time.sleep(_LOOK_SECONDS)


@dataclass(frozen=True)
class Swept:
    """What was done for books whose workers died."""

    again: list[str]
    """Books whose runs were given to the pool again."""
    handed_in: list[HandedIn]
    """Books that no run stood for."""


@contextmanager
def sweeping(settings: Settings, api: PrefectApi) -> Iterator[None]:
    """Give the runs of dead hosts to the pool again, once in a lease's time, as long as the block lasts."""
    done = threading.Event()

    def sweep() -> None:
        while not done.wait(max(settings.lease_seconds, _LEAST_SECONDS)):
            try:
                with on_server(api):
                    books = sweep_once(settings)
            except BookwrightError as error:
                to_stderr(f"the runs of dead workers could not be looked for: {error}")
                continue
            for book in books:
                to_stderr(f"{book} lost its worker; its run is given to the pool again")

    thread = threading.Thread(target=sweep, name="bookwright-sweep", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def sweep_once(settings: Settings) -> list[str]:
    """Give every run whose process died to the pool again, and return their books."""
    with get_client(sync_client=True) as client:
        runs = list(runs_of(client, StateType.PENDING, StateType.RUNNING))
        with opened_library(settings) as database:
            revived = [book for run in runs if (book := _revive(run, client, database))]
            with database.read() as connection:
                dead = {book: BookRepository(connection).get(book).updated_at for book in interrupted(connection)}
        stood_for = _stood_for(client) if dead else set()
        return revived + _hand_in_crashed(client, {name: at for name, at in dead.items() if name not in stood_for})


def hand_in_interrupted(settings: Settings) -> list[HandedIn]:
    """Hand in every book whose worker died and that no run stands for, a terminal's too."""
    with get_client(sync_client=True) as client:
        stood_for = _stood_for(client)
    with opened_library(settings) as database, database.read() as connection:
        books = [book for book in interrupted(connection) if book not in stood_for]
    return [HandedIn(book, hand_in({"book": book}, book)) for book in books]


def _stood_for(client: SyncPrefectClient) -> set[str]:
    """The books that a run stands for which has not ended."""
    open_runs = runs_of(client, StateType.SCHEDULED, StateType.PENDING, StateType.RUNNING)
    return {book_of(run.parameters) for run in open_runs}


def _revive(run: FlowRun, client: SyncPrefectClient, database: Database) -> str | None:
    """End a dead run, or let the pool start it anew; return its book if it did that."""
    book = book_of(run.parameters)
    state = state_of_dead(run, book, database)
    if state is None:
        return None
    client.set_flow_run_state(run.id, state, force=True)
    return None if state.is_final() else book


def state_of_dead(run: FlowRun, identity: str, database: Database) -> State[None] | None:
    """Return the state that a dead run is to have; None for one that may be alive."""
    book = None
    with database.read() as connection, suppress(BookNotFound):
        book = BookRepository(connection).get(identity)
        if is_held(connection, book.id):
            return None
    if book is None or book.state is not BookState.WRITING:
        age = datetime.now(UTC) - run.state.timestamp if run.state else timedelta()
        if age < timedelta(seconds=_START_SECONDS):
            return None  # it is about to take its book, or has let it go and is about to say so
        if book is not None and run.start_time is not None and book.updated_at > run.start_time.timestamp():
            return Crashed(message=f"the process ended before it could say what came of the book: {book.state}")
    return AwaitingRetry(scheduled_time=datetime.now(UTC), message="its worker died; the book goes on where it was")


def _hand_in_crashed(client: SyncPrefectClient, dead: dict[str, float]) -> list[str]:
    """Hand in anew what the last run of a book was to do whose process was killed, and return the books.

    `dead` has the books that nobody writes, and when each was last written to, by the database's clock.
    """
    crashed: defaultdict[str, list[FlowRun]] = defaultdict(list)
    for run in runs_of(client, StateType.CRASHED, names=list(dead)) if dead else ():
        crashed[run.name].append(run)
    books = [book for book, runs in crashed.items() if is_to_go_on(runs, dead[book])]
    for book in books:
        last = max(crashed[book], key=_ended)
        hand_in(last.parameters | {"brief": None, "book": book}, book)
    return books


def is_to_go_on(crashed: Sequence[FlowRun], last_written: float) -> bool:
    """True if one of these runs is what wrote its book last, and there are not too many of them."""
    return len(crashed) < _MOST_CRASHES and last_written <= max(map(_ended, crashed)) + SLACK_SECONDS


def _ended(run: FlowRun) -> float:
    return run.state.timestamp.timestamp() if run.state else 0.0
