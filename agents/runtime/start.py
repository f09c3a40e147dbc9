"""Makes an agent that can be started out of one that consists of prompts, and gives tasks to its sub-agents.

Source: REQUIREMENTS S4-013, S4-022.
"""

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

from pydantic import Field

from bookwright.agents.backends.service import Canceller
from bookwright.agents.runtime.agent import AgentDefinition, Execution, ExecutionHandle, PromptAgent, RunnableAgent
from bookwright.agents.runtime.metrics import note
from bookwright.agents.runtime.sinks import Sinks
from bookwright.agents.runtime.stream import AgentStream, Services, StreamParams, open_stream
from bookwright.agents.tools.tool import Params, Tool, success
from bookwright.models.errors import BackendError, InvalidInput, ToolFailure
from bookwright.models.talk.session import SessionState
from bookwright.models.talk.tool import ErrorCode, ToolResponse


def build_prompt_agent_start(agent: PromptAgent, services: Services) -> RunnableAgent:
    """Return an agent that can be started, of one that gives prompts and sub-agents."""
    return _Runnable(agent, services)


@dataclass(frozen=True)
class _Runnable:
    agent: PromptAgent
    services: Services

    def start(self, given: str, sinks: Sinks, execution: Execution) -> ExecutionHandle:
        """Open the session, then run on a thread of its own."""
        canceller = Canceller()
        stream = self._open(given, sinks, execution, canceller)
        handle = ExecutionHandle(session_id=stream.session_id, cancel=canceller.cancel)
        handle.completion.set_running_or_notify_cancel()  # it is `cancel` that ends it, not the future's own
        name = f"bookwright-agent-{execution.agent_id}"
        threading.Thread(target=_run, args=(stream, handle), name=name, daemon=True).start()
        return handle

    def _open(self, given: str, sinks: Sinks, execution: Execution, canceller: Canceller) -> AgentStream:
        model = self.agent.get_model() or execution.model
        if not model:
            raise InvalidInput(f"the agent {execution.agent_id!r} names no model, and none was given")
        params = StreamParams(self.agent.get_prompt(given), model, self.agent.get_system_prompt(), execution)
        agents = self.agent.get_agent_definitions()
        more = [Task(agents, partial(self._delegate, params, sinks, canceller))] if agents else []
        return open_stream(params, self.services, sinks, canceller, more)

    def _delegate(
        self, above: StreamParams, sinks: Sinks, canceller: Canceller,
        name: str, definition: AgentDefinition, prompt: str,
    ) -> str:  # fmt: skip
        """Run a sub-agent of an execution, in a session of its own and within the permissions of the one `above`.

        Raises:
            BackendError: Its model did not deliver.
        """
        own = sinks.of_agent(name) if sinks.of_agent else Sinks(can_use_tool=sinks.can_use_tool)
        tools = _both(above.execution.allowed_tools, definition.tools)
        execution = replace(
            above.execution, agent_id=name, session=SessionState.new(), fork_session=False, allowed_tools=tools
        )
        params = StreamParams(prompt, definition.model or above.model, definition.prompt, execution)
        return open_stream(params, self.services, own, canceller).run()


def _run(stream: AgentStream, handle: ExecutionHandle) -> None:
    try:
        stream.run()
    except BaseException as error:  # the thread's edge; the sinks were told of it
        note(logging.INFO, "[Agent] %s failed: %s", stream.session_id, error)
        handle.completion.set_result(False)
    else:
        handle.completion.set_result(True)


def _both(first: tuple[str, ...] | None, second: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """The names that are in both lists, where None holds all names."""
    if first is None or second is None:
        return second if first is None else first
    return tuple(name for name in second if name in first)


TASK = "Task"


class TaskParams(Params):
    """What `Task` takes."""

    agent: str = Field(min_length=1, max_length=80)
    prompt: str = Field(min_length=1, max_length=20_000)


class Task(Tool[TaskParams]):
    """Gives a task to a sub-agent, which works in a session of its own, and returns its answer."""

    name = TASK
    parameters = TaskParams
    limits: ClassVar = {}

    def __init__(
        self, agents: Mapping[str, AgentDefinition], delegate: Callable[[str, AgentDefinition, str], str]
    ) -> None:
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
