"""The window that Prefect is: one task run for each activity, artifacts for what is finished.

Prefect schedules and shows; nothing is ever read from it to decide what is done. Whatever
becomes of its server, each piece of work is done exactly once.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import Context
from dataclasses import dataclass
from typing import TypeVar

import httpx
from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State
from prefect.exceptions import Pause, PrefectHTTPStatusError
from prefect.states import Completed, Failed

from bookwright.flows.deps import Deps, NoWindow, Window
from bookwright.flows.prefect.artifacts import Artifacts
from bookwright.flows.prefect.flow_run import FlowRun, ending_of, flow_run
from bookwright.flows.prefect.watch import Notice, ServerWatch
from bookwright.models.book import Book
from bookwright.models.errors import BookPaused, BookwrightError
from bookwright.models.settings import Settings
from bookwright.models.step import Activity
from bookwright.models.tree.level import Level
from bookwright.models.tree.task import TaskNode

Result = TypeVar("Result")

_NAME_LENGTH = 120
_TRY_LATER = 503
"""The status with which Prefect's server tells that its database is locked."""


@contextmanager
def open_window(settings: Settings, book: Book, notice: Notice | None = None) -> Iterator[Window]:
    """Show the walk inside the block as a flow run named after its book.

    On the server that Prefect's settings name or a running `bookwright server`, else on one of its
    own for as long as the block lasts. If there is none to be had, `notice` hears so in one line
    and the walk goes on without a window; so it does if the server dies later.
    """
    tell = notice or _to_stderr
    with ExitStack() as stack:
        run = _open_run(stack, settings, book, tell)
        if run is None:
            yield NoWindow()
            return
        window = PrefectWindow(tell, run.context)
        try:
            yield window
        except BaseException as error:
            run.close(ending_of(error), waits=not window.is_blind)
            raise
        run.close(Completed(message=window.written or "finished"), waits=not window.is_blind)


def _open_run(stack: ExitStack, settings: Settings, book: Book, tell: Notice) -> FlowRun | None:
    try:
        return stack.enter_context(flow_run(settings, book.id))
    except Exception as error:  # whatever ails Prefect, a book can be written without it
        tell(f"Prefect could not be started ({type(error).__name__}: {error}); the book is written without it")
        return None


def _to_stderr(line: str) -> None:
    sys.stderr.write(f"bookwright: {line}\n")


class PrefectWindow:
    """Shows a walk in the flow run that is open in `context`, or in the ambient one."""

    def __init__(self, notice: Notice, context: Context | None = None) -> None:
        self._context = context
        self._server = ServerWatch(notice)
        self._artifacts = Artifacts()
        self._notice = notice
        self._has_complained = False
        self.written = ""
        """How the book ended, in words of its length; empty until it is closed."""

    def run(self, activity: Activity, node: TaskNode, work: Callable[[], None]) -> None:
        """Do the work once, in a task run of its own if the server is there.

        Raises:
            RunCancelled: Somebody cancelled the flow run, so the work was not begun.
        """
        once = _Once(work)
        if self._server.answers() and self._inside(lambda: self._server.has_run(node.book)):
            try:
                self._inside(lambda: _show(activity, node, once))
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
        if unit.level is Level.BOOK:
            self.written = f"{unit.written:,} of {unit.length or 0:,} {deps.brief.length_unit}"
        if not self._server.answers():
            return
        try:
            self._inside(lambda: self._artifacts.post(unit, deps))
        except Exception as error:  # all there is to show stands in the database
            if _is_outage(error):
                self._server.lose(error)  # else each further artifact would wait as long as this one
            else:
                self._complain(error)

    @property
    def is_blind(self) -> bool:
        """True once the server is gone."""
        return self._server.is_gone

    def _complain(self, error: Exception) -> None:
        if not self._has_complained:
            self._has_complained = True
            self._notice(f"Prefect does not take an artifact ({type(error).__name__}: {error}); only that is lost")

    def _inside(self, work: Callable[[], Result]) -> Result:
        return work() if self._context is None else self._context.copy().run(work)


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
    """Run the work as one Prefect task, which takes no parameters: Prefect looks into all it is given."""
    name = " ".join(f"{activity} {node.name}".split())[:_NAME_LENGTH]

    @task(
        name=activity.value,
        task_run_name=lambda: name,  # a template would trip over braces in a title
        tags=[f"book:{node.book}", f"level:{node.level}", f"type:{node.task_type}"],
        cache_policy=NO_CACHE,
        persist_result=False,
        retries=0,
        log_prints=False,
    )
    def activity_task() -> State[None] | None:
        try:
            once()
        except BookwrightError as error:  # told as a state: raised, it would be logged with a traceback
            return Failed(message=str(error))
        return None

    activity_task()
