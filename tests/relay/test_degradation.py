"""What a prompt had to do without reaches the log, the report and whoever listens."""

from collections.abc import Callable
from dataclasses import replace

from bookwright.agents.context.builder import Context
from bookwright.agents.runtime.events.bus import EventBus
from bookwright.agents.runtime.events.walk_events import WalkEvents
from bookwright.exports.report.book_report import report_of
from bookwright.flows.deps import Deps
from bookwright.models.step import CODE, Activity, Reply, StepKey
from bookwright.models.talk.event import STEP, AgentEvent, Event
from bookwright.models.tree.task import TaskNode
from bookwright.storage.steps.attempts import Attempt
from tests.relay.scripted import chapters, script, write

MISSING = "what the index has of summary left out: OSError: the disk is gone"


class ShortContexts:
    """Contexts that lack something."""

    def build(self, node: TaskNode, unit: TaskNode, activity: Activity, role: str, *only: str) -> Context:
        return Context(blocks=(), sources=(), stable=0, warnings=(MISSING,))


def test_a_step_that_had_less_says_so_once_in_the_log_and_in_the_report(shelf: Callable[..., Deps]) -> None:
    deps = shelf(script())
    deps = replace(deps, desk=replace(deps.desk, contexts=ShortContexts()))

    write(deps, 1)

    with deps.stores() as stores:
        lines = [line for line in stores.steps.lines() if line.detail]
    writing = [line for line in lines if line.activity == Activity.WRITE]
    assert [(line.step, line.detail.startswith("context: ")) for line in writing] == [("plan", True)]
    assert MISSING in writing[0].detail
    report = report_of(deps.storage, deps.desk.settings)
    assert any(warning.startswith("1.2 write/plan: ") and MISSING in warning for warning in report.warnings)


def test_whoever_listens_hears_it_with_the_step(shelf: Callable[..., Deps]) -> None:
    deps = shelf(script())
    heard: list[Event] = []
    bus = EventBus()
    bus.on("*", heard.append)
    unit = chapters(deps)[0]
    key = StepKey(book=unit.book, node=unit.key, revision=1, activity=Activity.WRITE, round=0, step="plan")

    WalkEvents(bus, deps.storage).recorded(
        Attempt(key, 1, "writer", "", (), Reply(text="", model=CODE, cost=0), detail=f"context: {MISSING}"), 7
    )
    bus.close(10)

    told = [event.payload.data for event in heard if isinstance(event, AgentEvent) and event.payload.name == STEP]
    assert [data["detail"] for data in told] == [f"context: {MISSING}"]
