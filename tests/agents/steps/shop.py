"""A desk with a book and a scripted model, agents to ask, and what may go wrong with either."""

from dataclasses import dataclass

from bookwright.agents.agent import Agent
from bookwright.agents.backends.protocol import FailedAttempt, FailureListener, Listener, Request
from bookwright.agents.backends.spending.budget import BudgetLedger
from bookwright.agents.cards import make_card
from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.flows.deps import Deps
from bookwright.models.errors import BackendUnavailable
from bookwright.models.step import Activity, Reply, StepKey, StepRecord
from bookwright.models.tree.decision import FlowDecision
from bookwright.models.tree.task import TaskNode
from bookwright.storage.steps.journal import Move
from bookwright.storage.stores import Stores
from tests.support.fakes import ScriptedBackend

DRAFTER = Agent("draft", "story/book/write/draft", "writer", 0.75, "writer", artefact="draft", is_prose=True)
REFINER = Agent("refine", "story/book/write/refine", "writer", 0.4, "refiner", is_prose=True)
DECIDER = Agent(
    "decide", "story/book/flow_decision/flow_decision", "judge", 0.1, "planner", artefact="decision",
    output=FlowDecision,
)  # fmt: skip
RAIN = "Rain fell on the tower, and nobody counted the ships."
DECIDED = '{"decision": "DECISION_PROCEED_TO_WRITE"}'
JSON_FAULT = "This is not what was asked for."


@dataclass
class Shop:
    """A book, its walk, and what its scripted model was asked."""

    root: TaskNode
    deps: Deps
    backend: ScriptedBackend

    def run(self, activity: Activity = Activity.WRITE) -> ActivityRun:
        """Sit down anew, as a resumed walk does."""
        card = make_card(self.deps.brief, self.root)
        desk, root = self.deps.desk, self.root
        return ActivityRun(desk, activity, root, root, card, context="writer", next_activity="close")

    def attempts(self, step: str, activity: Activity = Activity.WRITE) -> list[StepRecord]:
        """What is on record of a step."""
        key = StepKey(book=self.root.book, node=self.root.key, revision=1, activity=activity, round=0, step=step)
        return self.deps.desk.journal.attempts(key)

    def calls(self) -> int:
        """How many answers the book has paid for."""
        with self.deps.stores() as stores:
            return stores.books.get(self.root.book).calls


def count_words(text: str) -> Move:
    """Return a move that counts the words of a text as written."""

    def move(stores: Stores, step: int) -> None:
        stores.nodes.add_written(stores.nodes.root(), len(text.split()))

    return move


@dataclass
class CutOff:
    """A model whose answers all reach their limit."""

    inner: ScriptedBackend

    def ask(
        self, request: Request, budget: BudgetLedger | None, listener: Listener, on_failure: FailureListener
    ) -> Reply:
        """Answer, cut off."""
        reply = self.inner.ask(request, budget, listener, on_failure)
        return reply.model_copy(update={"finish_reason": "length"})


@dataclass
class Flaky:
    """A model whose first streams break with what had arrived."""

    inner: ScriptedBackend
    partials: list[str]

    def ask(
        self, request: Request, budget: BudgetLedger | None, listener: Listener, on_failure: FailureListener
    ) -> Reply:
        """Fail as often as there are partial answers, then answer."""
        for number, partial in enumerate(self.partials, 1):
            error = BackendUnavailable("the stream broke")
            on_failure(FailedAttempt(request.model, number, error, Reply(text=partial, model=request.model)))
        self.partials = []
        return self.inner.ask(request, budget, listener, on_failure)
