"""Runs agents in tabs: one at a time in each, the others waiting in its lane."""

import threading
from collections import defaultdict, deque
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum

from bookwright.agents.runtime.agent import AgentRegistry, Execution, ExecutionHandle
from bookwright.agents.runtime.events.bus import EventBus
from bookwright.agents.runtime.permission import CanUseTool, allow
from bookwright.agents.runtime.sinks import MessageAdapter
from bookwright.models.talk.event import StreamMetrics
from bookwright.models.talk.session import SessionState


class Lanes:
    """One lane for each tab; a book is one tab, so its calls and its forks share a lane. Source: C-04."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: defaultdict[str, deque[object]] = defaultdict(deque)

    @contextmanager
    def enter(self, tab: str) -> Iterator[None]:
        """Wait for one's turn in a lane and hold it during the block. Not twice by one thread."""
        ticket = object()
        with self._changed:
            self._waiting[tab].append(ticket)
            try:
                self._changed.wait_for(lambda: self._waiting[tab][0] is ticket)
            except BaseException:  # an interrupt: others must not wait for who has gone
                self._leave(tab, ticket)
                raise
        try:
            yield
        finally:
            with self._changed:
                self._leave(tab, ticket)

    def is_busy(self, tab: str) -> bool:
        """True while something runs in a lane, or waits for it."""
        with self._changed:
            return tab in self._waiting

    def _leave(self, tab: str, ticket: object) -> None:
        self._waiting[tab].remove(ticket)
        if not self._waiting[tab]:
            del self._waiting[tab]
        self._changed.notify_all()


class TabStatus(StrEnum):
    """What a tab does."""

    IDLE = "idle"
    BUSY = "busy"


@dataclass(frozen=True)
class TabExecutionState:
    """A tab and its session, which its next execution goes on with. Source: REQUIREMENTS S4-010."""

    tab_id: str
    session: SessionState
    status: TabStatus = TabStatus.IDLE
    waiting: int = 0
    """Executions in line."""


@dataclass
class _Job:
    given: str
    execution: Execution
    can_use_tool: CanUseTool
    ended: "Future[bool]" = field(default_factory=Future)
    is_cancelled: bool = False
    """To be ended as soon as there is a handle to end it by."""
    handle: ExecutionHandle | None = None


@dataclass
class _Tab:
    name: str
    session: SessionState
    jobs: deque[_Job] = field(default_factory=deque)
    current: _Job | None = None
    is_busy: bool = False


class TabExecutor:
    """Executes agents by id. A tab that names a book shares that book's lane with the book's own calls."""

    def __init__(self, agents: AgentRegistry, bus: EventBus, lanes: Lanes | None = None) -> None:
        self._agents = agents
        self._bus = bus
        self._lanes = lanes or Lanes()
        self._tabs: dict[str, _Tab] = {}
        self._lock = threading.Lock()

    def execute(self, given: str, execution: Execution, *, can_use_tool: CanUseTool = allow) -> "Future[bool]":
        """Put an execution in its tab's line; the result is true once it ended well.

        An execution in the session that its tab was opened with resumes it from the second time on.
        What goes wrong at the start is told as `agent:failed`, like what goes wrong later. Cancelling the
        result takes an execution that still waits out of the line.

        Raises:
            InvalidInput: There is no agent of that id.
        """
        self._agents.create(execution.agent_id)
        job = _Job(given, execution, can_use_tool)
        with self._lock:
            tab = self._tabs.setdefault(execution.tab_id, _Tab(execution.tab_id, execution.session))
            tab.jobs.append(job)
            is_idle, tab.is_busy = not tab.is_busy, True
        if is_idle:
            name = f"bookwright-tab-{execution.tab_id}"
            threading.Thread(target=self._work, args=(tab,), name=name, daemon=True).start()
        return job.ended

    def state(self, tab_id: str) -> TabExecutionState | None:
        """What a tab does; None for one in which nothing was executed yet."""
        with self._lock:
            tab = self._tabs.get(tab_id)
            if tab is None:
                return None
            status = TabStatus.BUSY if tab.is_busy else TabStatus.IDLE
            return TabExecutionState(tab_id, tab.session, status, len(tab.jobs))

    def cancel(self, tab_id: str) -> None:
        """Cancel what runs in a tab, or is about to begin; what waits there is next."""
        with self._lock:
            tab = self._tabs.get(tab_id)
            if tab is None or not tab.is_busy:
                return
            job = tab.current or tab.jobs[0]  # the tab's thread has not come to its first one yet
            job.is_cancelled = True
            handle = job.handle
        if handle is not None:
            handle.cancel()

    def _work(self, tab: _Tab) -> None:
        while (job := self._next(tab)) is not None:
            ended_well = False
            if not job.ended.set_running_or_notify_cancel():
                continue  # whoever asked for it does not want it any more
            with suppress(BaseException), self._lanes.enter(tab.name):  # the thread's edge; `_run` tells
                ended_well = self._run(tab, job)
            job.ended.set_result(ended_well)

    def _next(self, tab: _Tab) -> _Job | None:
        with self._lock:
            tab.current = tab.jobs.popleft() if tab.jobs else None
            tab.is_busy = tab.current is not None
            return tab.current

    def _run(self, tab: _Tab, job: _Job) -> bool:
        execution = job.execution
        sinks = MessageAdapter(self._bus, execution.agent_id, execution.tab_id, execution.session.id).create_sinks(
            job.can_use_tool
        )
        if not execution.fork_session and execution.session.id == tab.session.id:
            execution = replace(execution, session=tab.session)  # it goes on with the session as it stands by now
        try:
            handle = self._agents.create(execution.agent_id).start(job.given, sinks, execution)
        except Exception as error:  # an edge: whoever put it in line has long gone on
            sinks.on_failed(error, StreamMetrics())
            return False
        with self._lock:
            job.handle = handle
            is_cancelled = job.is_cancelled
        if is_cancelled:
            handle.cancel()
        ended_well = handle.completion.result()
        if not execution.fork_session:  # a fork is a branch of its own and leaves the tab's session alone
            with self._lock:
                tab.session = SessionState(id=handle.session_id, initialized=True)
        return ended_well
