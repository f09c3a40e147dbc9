"""The tasks of the flow `write-book`: one Prefect task for each activity of a walk.

A task shows an activity and its end; `walk_steps.py` says when there is one to do, `activities/` what is done.
Nothing is cached, persisted or retried here: what is done is told by the journal alone. Source: DESIGN section 6.

Prefect's engine tells of a task run by events, which a server that is away or overloaded loses. So whatever was
done is remembered until the server is seen to have it in its last state, and what it has not got is posted by its API.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import UUID, uuid4

from prefect import Task, task
from prefect.cache_policies import NO_CACHE
from prefect.client.orchestration import SyncPrefectClient
from prefect.client.schemas.filters import (
    FlowRunFilter,
    FlowRunFilterId,
    TaskRunFilter,
    TaskRunFilterId,
    TaskRunFilterState,
    TaskRunFilterStateType,
)
from prefect.client.schemas.objects import State, StateType, TaskRun
from prefect.context import TaskRunContext
from prefect.states import Completed, Crashed, Failed

from bookwright.models.errors import BookwrightError
from bookwright.models.step import Activity
from bookwright.models.tree.task import TaskNode

ActivityTask = Task[[str, Callable[[], None]], State[None] | None]

_NAME_LENGTH = 120
_PAGE = 100
_LEFT_OPEN = "it was not begun, or its process died; what was recorded stands"
_OPEN = [StateType.PENDING, StateType.RUNNING]


def _task_of(activity: Activity) -> ActivityTask:
    @task(
        name=activity.value,
        task_run_name="{name}",
        cache_policy=NO_CACHE,
        persist_result=False,
        retries=0,
        log_prints=False,
    )
    def activity_task(name: str, work: Callable[[], None]) -> State[None] | None:
        try:
            work()
        except BookwrightError as error:  # told as a state: raised, it would be logged with a traceback
            return Failed(message=str(error))
        return None

    return activity_task


TASKS = {activity: _task_of(activity) for activity in Activity}
"""By activity: plan, judge, decompose, execute, aggregate, decide, divide, brief, write, close and the others.

Each takes the name that its run is to have, and the work; Prefect looks into all else it would be given.
"""


@dataclass
class ActivityRecord:
    """An activity that is done or under way, and the task run that shows it."""

    book: str
    activity: Activity
    name: str
    tags: tuple[str, ...]
    id: UUID = field(default_factory=uuid4)
    dynamic_key: str = field(default_factory=lambda: str(uuid4()))
    is_told: bool = False
    """Prefect's engine has begun a task run for it, so that the server may know of it."""
    ended: datetime | None = None
    error: str = ""

    @classmethod
    def of(cls, activity: Activity, node: TaskNode) -> "ActivityRecord":
        """Return the record of an activity that is about to begin."""
        name = " ".join(f"{activity} {node.name}".split())[:_NAME_LENGTH]
        return cls(node.book, activity, name, (f"book:{node.book}", f"level:{node.level}", f"type:{node.task_type}"))

    def adopt(self) -> None:
        """Take the identity of the task run that this is called in, and give that its tags.

        They are given here, and not to the task: for each tag that a task begins with, Prefect asks its server for
        a slot, and waits.
        """
        context = TaskRunContext.get()
        if context is not None:
            run = context.task_run
            self.id, self.dynamic_key, self.is_told = run.id, run.dynamic_key, True
            run.tags = sorted(self.tags)

    def end(self, error: BaseException | None) -> None:
        """Note that it is over, and how."""
        self.ended = datetime.now(UTC)
        self.error = (str(error) or type(error).__name__) if error is not None else ""

    @property
    def last_state(self) -> State[None]:
        """Its last state, told late: the server dates it by the moment in which it hears of it."""
        when = f"told afterwards; it ended {self.ended:%Y-%m-%d %H:%M:%S} UTC" if self.ended else "told afterwards"
        return Failed(message=f"{self.error} ({when})") if self.error else Completed(message=when)


class TaskRunLedger:
    """What was done in one flow run and is not known to stand at the server."""

    def __init__(self) -> None:
        self._owed: dict[UUID, ActivityRecord] = {}

    def __len__(self) -> int:
        return len(self._owed)

    @property
    def missed(self) -> int:
        """How many activities were done of which the server was not even told."""
        return sum(not record.is_told for record in self._owed.values())

    def add(self, record: ActivityRecord) -> None:
        """Remember what was done."""
        self._owed[record.id] = record

    def post_missed(self, client: SyncPrefectClient, flow_run: UUID, at_most: int) -> None:
        """Show some of what was done without a task run, the oldest first."""
        missed = [record for record in self._owed.values() if not record.is_told]
        for record in missed[:at_most]:
            _post(client, flow_run, record)
            record.is_told = True

    def forget_known(self, client: SyncPrefectClient) -> None:
        """Forget what stands at the server in a last state."""
        for known in _read(client, [record.id for record in self._owed.values() if record.is_told]):
            if known.state is not None and known.state.is_final():
                self._owed.pop(known.id, None)

    def settle(self, client: SyncPrefectClient, flow_run: UUID) -> None:
        """Give everything that is owed its last state, and what a dead process of the same run has left open.

        Each is forgotten as soon as it stands there, so that this can be called again where it was interrupted.
        """
        ids = list(self._owed)
        known = {run.id: run for run in _read(client, ids)}
        for number in ids:
            record = self._owed[number]
            if number in known and known[number].tags:
                client.set_task_run_state(number, record.last_state, force=True)
            else:
                if number in known:  # only its first event came, which has no tags yet, and none can be given later
                    client.delete_task_run(number)
                _post(client, flow_run, record)
            del self._owed[number]
        own = FlowRunFilter(id=FlowRunFilterId(any_=[flow_run]))
        open_runs = TaskRunFilter(state=TaskRunFilterState(type=TaskRunFilterStateType(any_=_OPEN)))
        for left in client.read_task_runs(flow_run_filter=own, task_run_filter=open_runs, limit=_PAGE):
            client.set_task_run_state(left.id, Crashed(message=_LEFT_OPEN), force=True)


def _post(client: SyncPrefectClient, flow_run: UUID, record: ActivityRecord) -> None:
    client.create_task_run(
        TASKS[record.activity], flow_run, record.dynamic_key, id=record.id, name=record.name,
        extra_tags=record.tags, state=record.last_state,
    )  # fmt: skip


def _read(client: SyncPrefectClient, ids: list[UUID]) -> list[TaskRun]:
    found = list[TaskRun]()
    for start in range(0, len(ids), _PAGE):
        of = TaskRunFilter(id=TaskRunFilterId(any_=ids[start : start + _PAGE]))
        found += client.read_task_runs(task_run_filter=of, limit=_PAGE)
    return found
