"""The events that a walk emits: calls as they stream, steps once recorded, units once closed."""

from contextlib import suppress
from dataclasses import dataclass

from bookwright.agents.backends.protocol import EventKind, FailureListener, Listener, Request, StreamEvent
from bookwright.agents.backends.spending.budget import BudgetLedger
from bookwright.agents.runtime.events.bus import EventBus
from bookwright.agents.runtime.executor import Lanes
from bookwright.agents.runtime.metrics import StreamMeter
from bookwright.agents.runtime.sinks import MessageAdapter
from bookwright.agents.steps.desk import Asker
from bookwright.models.step import Reply
from bookwright.models.talk.event import FILE_CREATED, STEP, UNIT_FINISHED, StreamMetrics, speakable
from bookwright.models.tree.task import TaskNode
from bookwright.storage.steps.attempts import Attempt
from bookwright.storage.stores import BookStorage


class WalkEvents:
    """Emits the events of one book's walk. Whatever fails in telling them is ignored."""

    def __init__(self, bus: EventBus, storage: BookStorage) -> None:
        self._bus = bus
        self._storage = storage
        self._last_step = 0
        self._asked = ""

    @property
    def book(self) -> str:
        """The book's id, which is its tab and its lane."""
        return self._storage.book

    def asked(self, name: str) -> None:
        """Note which call is asked; what is recorded next is of it."""
        self._asked = name

    def hear(self, name: str, event: StreamEvent) -> None:
        """Say what the call named `name` does; called on the model loop's thread."""
        with suppress(Exception):  # see the class
            speaker = self._speaker(name)
            match event.kind:
                case EventKind.TEXT:
                    speaker.text(event.text)
                case EventKind.REASONING:
                    speaker.reasoning(event.text)
                case _:
                    speaker.event(event.kind.value, event.text, {"tool": speakable(event.tool)} if event.tool else {})

    def recorded(self, attempt: Attempt, step: int) -> None:
        """Say that an attempt is on record."""
        self._last_step = step
        with suppress(Exception):  # see the class
            data = {
                "id": step, "label": self._asked.partition(" ")[0], "activity": attempt.key.activity.value,
                "step": attempt.key.step, "attempt": attempt.attempt, "role": attempt.role,
                "detail": speakable(attempt.detail), "failure": attempt.failure.value if attempt.failure else None,
                **_bill(attempt.reply),
            }  # fmt: skip
            self._speaker(self._asked).event(STEP, data=data)

    def finished(self, unit: TaskNode) -> None:
        """Say that a unit was closed, and how far the book is with it."""
        with suppress(Exception):  # see the class
            root = ([unit, *self._storage.above(unit)])[-1]
            with self._storage.look() as stores:
                names = stores.chapter_names()
            name = names.name_with(unit.label, unit.title) if unit.label in names.chapters else unit.name
            data = {
                "label": unit.label, "name": name, "level": unit.level.value, "title": unit.title,
                "written": unit.written, "length": unit.length or 0, "bookWritten": root.written,
                "bookLength": root.length or 0, "lastStep": self._last_step,
            }  # fmt: skip
            self._speaker(unit.label).event(UNIT_FINISHED, data=data)

    def created(self, path: str) -> None:
        """Say that the book's folder has a new file."""
        with suppress(Exception):  # see the class
            self._speaker("").event(FILE_CREATED, data={"path": speakable(path)})

    def completed(self, name: str, reply: Reply, metrics: StreamMetrics) -> None:
        """Say that a call has its reply."""
        with suppress(Exception):  # see the class
            self._speaker(name).completed(reply.text, metrics, _bill(reply))

    def failed(self, name: str, error: BaseException, metrics: StreamMetrics) -> None:
        """Say that a call brought no reply."""
        with suppress(Exception):  # see the class
            self._speaker(name).failed(error, metrics)

    def _speaker(self, name: str) -> MessageAdapter:
        """Who speaks of a call in the bus's terms: the step is the task, its last word the agent."""
        return MessageAdapter(self._bus, name.rpartition("/")[2] or "walk", self.book, name or None)


@dataclass(frozen=True)
class HeardAsker:
    """Asks as another asker does, and says how each call ended, with its metrics."""

    inner: Asker
    events: WalkEvents
    lanes: Lanes
    """Each call holds the book's lane, so that whatever else runs in it does so between two steps."""

    def ask(
        self, request: Request, budget: BudgetLedger | None, listener: Listener, on_failure: FailureListener
    ) -> Reply:
        """Complete a prompt; a `BackendError` says that nothing was delivered."""
        meter = StreamMeter()
        self.events.asked(request.name)

        def hear(event: StreamEvent) -> None:
            meter.hear(event)
            listener(event)

        try:
            with self.lanes.enter(self.events.book):
                reply = self.inner.ask(request, budget, hear, on_failure)
        except BaseException as error:  # also an interrupt: whoever watches learns that the call is over
            self.events.failed(request.name, error, meter.finish())
            raise
        self.events.completed(request.name, reply, meter.finish())
        return reply


def _bill(reply: Reply) -> dict[str, object]:
    usage = reply.usage
    return {
        "model": reply.model, "inputTokens": usage.input_tokens, "cachedTokens": usage.cached_tokens,
        "outputTokens": usage.output_tokens, "cost": reply.cost, "durationMillis": reply.duration_millis,
    }  # fmt: skip
