"""Stand-ins that tests use in place of models and indexes; nothing needs patching."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bookwright.agents.backends.protocol import FailureListener, Listener, Request
from bookwright.agents.backends.spending.budget import BudgetLedger
from bookwright.agents.context.builder import Context
from bookwright.models.step import Activity, Reply, Usage
from bookwright.models.tree.task import TaskNode


@dataclass
class ScriptedBackend:
    """Lets each agent speak its lines in turn and keeps every request.

    `lines` holds replies by agent name: a text, an object that becomes JSON, or a function of the
    request. The last line of an agent is repeated.
    """

    lines: dict[str, list[Any]]
    requests: list[Request] = field(default_factory=list)

    @property
    def speakers(self) -> list[str]:
        """Who was asked, in order: `"1.2 plan/proposer"`."""
        return [request.name for request in self.requests]

    def ask(
        self, request: Request, budget: BudgetLedger | None, listener: Listener, on_failure: FailureListener
    ) -> Reply:
        """Answer with the agent's next line."""
        self.requests.append(request)
        agent = request.name.rpartition("/")[2]
        lines = self.lines.get(agent) or self.lines["*"]
        line = lines.pop(0) if len(lines) > 1 else lines[0]
        if isinstance(line, Callable):  # type: ignore[arg-type]
            line = line(request)
        text = line if isinstance(line, str) else line.model_dump_json()
        return Reply(text=text, model=request.model, usage=Usage(input_tokens=100, output_tokens=20), cost=0)


class NoContext:
    """Knows nothing of the book: for walks whose prompts do not matter."""

    def build(self, node: TaskNode, unit: TaskNode, activity: Activity, role: str, *only: str) -> Context:
        """Return an empty context."""
        return Context(blocks=(), sources=(), stable=0)
