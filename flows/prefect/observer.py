"""What Prefect shows of a walk: one task run for each activity, artifacts for what is finished.

Prefect schedules and shows; nothing is ever read from it to decide what is done. Whatever
becomes of its server, each piece of work is done exactly once.
"""

from collections.abc import Callable
from dataclasses import dataclass

import httpx
from prefect import tags
from prefect.exceptions import Pause, PrefectHTTPStatusError

from bookwright.flows.deps import Deps
from bookwright.flows.prefect.artifacts import Artifacts
from bookwright.flows.prefect.watch import Notice, ServerWatch
from bookwright.flows.tasks import TASKS
from bookwright.models.errors import BookPaused
from bookwright.models.step import Activity
from bookwright.models.tree.task import TaskNode

_NAME_LENGTH = 120
_TRY_LATER = 503
"""The status with which Prefect's server tells that its database is locked."""


class PrefectObserver:
    """Shows a walk in the flow run that it is part of."""

    def __init__(self, notice: Notice) -> None:
        self._server = ServerWatch(notice)
        self._artifacts = Artifacts()
        self._notice = notice
        self._has_complained = False

    def run(self, activity: Activity, node: TaskNode, work: Callable[[], None]) -> None:
        """Do the work once, in a task run of its own if the server is there.

        Raises:
            RunCancelled: Somebody cancelled the flow run, so the work was not begun.
        """
        once = _Once(work)
        if self._server.answers() and self._server.has_run(node.book):
            try:
                _show(activity, node, once)
            except Pause as pause:
                raise BookPaused(
                    "the flow run was suspended in Prefect", f"resume it there, or `bookwright resume {node.book}`"
                ) from pause
            except Exception as error:  # Prefect's own fault, before or after the work: no reason to fail a book
                if error is not once.error:
                    self._server.lose(error)
        if not once.is_begun:
            work()
        elif once.error is not None:
            raise once.error

    def finished(self, unit: TaskNode, deps: Deps) -> None:
        """Post the artifacts of a closed unit; a failure to do so is Prefect's affair."""
        if not self._server.answers():
            return
        try:
            self._artifacts.post(unit, deps)
        except Exception as error:  # all there is to show stands in the database
            if _is_outage(error):
                self._server.lose(error)  # else each further artifact would wait as long as this one
            else:
                self._complain(error)

    @property
    def is_gone(self) -> bool:
        """True where the server was gone when it was last asked."""
        return self._server.is_gone

    @property
    def is_blind(self) -> bool:
        """True if the server is gone, or would not answer now."""
        return self._server.is_gone or not self._server.answers()

    def _complain(self, error: Exception) -> None:
        if not self._has_complained:
            self._has_complained = True
            self._notice(f"Prefect does not take an artifact ({type(error).__name__}: {error}); only that is lost")


def _is_outage(error: Exception) -> bool:
    if isinstance(error, PrefectHTTPStatusError):
        return error.response.status_code == _TRY_LATER
    return isinstance(error, httpx.TransportError)


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


def _show(activity: Activity, node: TaskNode, once: _Once) -> None:
    """Run the work as the activity's Prefect task."""
    name = " ".join(f"{activity} {node.name}".split())[:_NAME_LENGTH]
    with tags(f"book:{node.book}", f"level:{node.level}", f"type:{node.task_type}"):
        TASKS[activity](name, once)
