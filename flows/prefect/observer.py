"""Shows a walk in Prefect: one task run for each activity, and artifacts of plan, progress and chapters.

Prefect schedules and shows; nothing is ever read from it to decide what is done. Whatever becomes of its server,
each piece of work is done exactly once. What the server misses is remembered, and posted when it is back.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from prefect.exceptions import ObjectNotFound, Pause, PrefectHTTPStatusError

from bookwright.flows.deps import Deps, RunObserver
from bookwright.flows.prefect.artifacts import Artifacts
from bookwright.flows.prefect.flow_run import Notice, ServerWatch, own_flow_run
from bookwright.flows.tasks import TASKS, ActivityRecord, TaskRunLedger
from bookwright.models.errors import BookPaused, BookwrightError
from bookwright.models.step import Activity
from bookwright.models.tree.task import TaskNode

_TRY_LATER = 500
"""From here on a status is the server's own trouble, such as 503 for a locked database."""
_RUNS_AT_ONCE, _PAGES_AT_ONCE = 20, 3
"""How many missed task runs and chapters are posted before the walk goes on; the others wait for the next activity."""
_MOST_OWED = 500
"""So many task runs that are not known to stand at the server are looked for before the run's end."""
_RECORDER_SECONDS = 8.0
"""What a stock server takes to record the events that it was sent, and a little more."""


class PrefectObserver(RunObserver):
    """Shows a walk in the flow run that it is part of."""

    def __init__(self, notice: Notice) -> None:
        self._server = ServerWatch(notice)
        self._artifacts = Artifacts()
        self._ledger = TaskRunLedger()
        self._notice = notice
        self._has_complained = False
        self._deps: Deps | None = None
        self._may_lack_chapters = True

    def began(self, deps: Deps) -> None:
        """Post the artifacts of a book that is about to be written, or gone on with."""
        self._deps = deps
        self._artifacts.owe_boards()
        self._take(self._begin)

    def run(self, activity: Activity, node: TaskNode, work: Callable[[], None]) -> None:
        """Do the work once, in a task run if the server is there; raise `RunCancelled` if its run was cancelled."""
        once, record = _Once(work), ActivityRecord.of(activity, node)
        if self._server.answers() and self._server.has_run(self._way_on(node.book)) and self._has_caught_up():
            self._show(record, once)
        try:
            if not once.is_begun:
                once()
            elif once.error is not None:
                raise once.error
        finally:
            record.end(once.error)
            if own_flow_run() is not None:
                self._ledger.add(record)

    def finished(self, unit: TaskNode, deps: Deps) -> None:
        """Post the artifacts of a closed unit; a failure to do so is Prefect's affair."""
        self._artifacts.owe(unit, deps)
        self._bring_up()
        if len(self._ledger) > _MOST_OWED:
            self._take(lambda run: self._ledger.forget_known(self._server.client))

    def ended(self, deps: Deps) -> None:
        """Bring the artifacts up, however the walk ended."""
        self._artifacts.owe_boards()
        self._bring_up()

    def settle(self, patience: float) -> None:
        """Have all that was done stand at the server in its last state.

        To be called inside the flow run, when the book was left. Given up once nothing is taken for `patience` seconds.
        """
        if self._deps is None and not len(self._ledger):
            return
        self._wait_for_recorder(time.monotonic() + min(patience, _RECORDER_SECONDS))
        owed, since = self._owed, time.monotonic()
        while not self._server.is_forsaken and own_flow_run() is not None and not self._take(self._settle):
            if self._owed < owed:
                owed, since = self._owed, time.monotonic()
            if time.monotonic() > since + patience:
                why = f"{len(self._ledger)} task runs are missing there ({self._server.last_error})"
                self._notice(f"Prefect was not told of all that was done: {why}")
                return
            time.sleep(0.5)
            self._server.insist()

    @property
    def _owed(self) -> int:
        return len(self._ledger) + len(self._artifacts)

    @property
    def is_gone(self) -> bool:
        """True where the server was gone when it was last asked."""
        return self._server.is_gone

    @property
    def is_blind(self) -> bool:
        """True if the server is gone, or would not answer now."""
        return self._server.is_gone or not self._server.answers()

    def _way_on(self, book: str) -> str:
        return f"`bookwright resume {book}`" if self._deps is None else self._deps.desk.journal.way_on

    def _show(self, record: ActivityRecord, once: "_Once") -> None:
        """Run the work as the activity's Prefect task."""

        def work() -> None:
            record.adopt()
            once()

        try:
            TASKS[record.activity](record.name, work)
        except Pause as pause:
            raise BookPaused(
                "the flow run was suspended in Prefect", f"resume it there, or {self._way_on(record.book)}"
            ) from pause
        except Exception as error:  # Prefect's own fault, before or after the work: no reason to fail a book
            if error is not once.error:
                self._server.lose(error)

    def _begin(self, run: UUID) -> None:
        self._post_artifacts(run)
        if self._deps is not None:
            with self._deps.stores() as stores:
                self._may_lack_chapters = stores.nodes.root().written > 0

    def _has_caught_up(self) -> bool:
        """Post a part of what the server has missed, if anything; False where it does not take that either."""
        if self._server.is_gone or self._ledger.missed or len(self._artifacts):
            return self._take(self._catch_up)
        return True

    def _catch_up(self, run: UUID) -> None:
        self._post_artifacts(run, _PAGES_AT_ONCE)
        self._ledger.post_missed(self._server.client, run, _RUNS_AT_ONCE)

    def _settle(self, run: UUID) -> None:
        self._server.client.read_flow_run(run)
        if self._may_lack_chapters and self._deps is not None:
            self._artifacts.owe_lost(self._server.client, self._deps)
        self._post_artifacts(run)
        self._ledger.settle(self._server.client, run)

    def _bring_up(self) -> None:
        if not self._server.is_gone:  # what is owed to a lost server is posted when it is back
            self._take(self._post_artifacts)

    def _post_artifacts(self, run: UUID, at_most: int | None = None) -> None:
        if self._deps is None:
            return
        try:
            self._artifacts.post(self._server.client, run, self._deps, at_most)
        except PrefectHTTPStatusError as error:
            if error.response.status_code >= _TRY_LATER:
                raise
            self._artifacts.forget()
            if not self._has_complained:
                self._has_complained = True
                self._notice(f"Prefect does not take an artifact ({type(error).__name__}: {error}); only that is lost")

    def _take(self, tell: Callable[[UUID], None]) -> bool:
        """Tell the server something of the flow run that this is called in; False if it does not take it."""
        run = own_flow_run()
        if run is None or not self._server.answers():
            return False
        try:
            tell(run)
        except ObjectNotFound:
            self._server.forsake()
            return False
        except BookwrightError:
            return False  # what ails our own database is the walk's to tell
        except Exception as error:  # all there is to show stands in memory or in the database
            self._may_lack_chapters = True
            self._server.lose(error)
            return False
        self._server.regained()
        return True

    def _wait_for_recorder(self, deadline: float) -> None:
        """Wait until the server has recorded the events that it was sent."""
        while time.monotonic() < deadline and len(self._ledger) > self._ledger.missed:
            if not self._take(lambda run: self._ledger.forget_known(self._server.client)):
                return
            time.sleep(0.3)


@dataclass
class _Once:
    """A piece of work that is done at most once, and what it raised."""

    work: Callable[[], None]
    is_begun: bool = False
    error: BaseException | None = None

    def __call__(self) -> None:
        if self.is_begun:
            return
        self.is_begun = True
        try:
            self.work()
        except BaseException as error:
            self.error = error
            raise
