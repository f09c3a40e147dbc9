"""The tasks of the flow `write-book`: one Prefect task for each activity of a walk.

A task shows an activity and its end; `walk_steps.py` says when there is one to do, `activities/` what is done.
Nothing is cached, persisted or retried here: what is done is told by the journal alone. Source: DESIGN section 6.
"""

from collections.abc import Callable

from prefect import Task, task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State
from prefect.states import Failed

from bookwright.models.errors import BookwrightError
from bookwright.models.step import Activity

ActivityTask = Task[[str, Callable[[], None]], State[None] | None]


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
