"""The tool by which a coordinator gives a task to a sub-agent. Source: REQUIREMENTS S4-022."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from pydantic import Field

from bookwright.agents.runtime.agent import AgentDefinition
from bookwright.agents.tools.tool import Params, Tool, success
from bookwright.models.errors import BackendError, ToolFailure
from bookwright.models.talk.tool import ErrorCode, ToolResponse

TASK = "Task"

Delegate = Callable[[str, AgentDefinition, str], str]
"""Given a sub-agent's name, its definition and its task, returns its answer."""


class TaskParams(Params):
    """What `Task` takes."""

    agent: str = Field(min_length=1, max_length=80)
    prompt: str = Field(min_length=1, max_length=20_000)


class Task(Tool[TaskParams]):
    """Gives a task to a sub-agent, which works in a session of its own, and returns its answer."""

    name = TASK
    parameters = TaskParams
    limits: ClassVar = {}

    def __init__(self, agents: Mapping[str, AgentDefinition], delegate: Delegate) -> None:
        self._agents = agents
        self._delegate = delegate

    def description(self, locale: str = "en") -> str:
        """What the model is told, with the sub-agents that there are."""
        listed = "\n".join(f"- `{name}`: {each.description}" for name, each in self._agents.items())
        return f"{super().description(locale)}\n\n{listed}"

    def run(self, params: TaskParams) -> ToolResponse:
        """Have it done.

        Raises:
            ToolFailure: There is no such sub-agent, or its model did not deliver.
        """
        definition = self._agents.get(params.agent)
        if definition is None:
            there = f"The agents are: {', '.join(self._agents)}."
            raise ToolFailure(ErrorCode.NOT_FOUND, f"There is no agent {params.agent!r}.", there)
        try:
            answer = self._delegate(params.agent, definition, params.prompt)
        except BackendError as error:
            advice = "Do it yourself, or try once more."
            raise ToolFailure(ErrorCode.API_ERROR, f"{params.agent} could not finish: {error}.", advice) from error
        data: dict[str, Any] = {"agent": params.agent, "answer": answer}
        return success(data, f"{params.agent} has answered.")
