"""Makes an agent that can be started out of one that consists of prompts. Source: REQUIREMENTS S4-013."""

import logging
import threading
from dataclasses import dataclass, replace

from bookwright.agents.backends.call import Canceller
from bookwright.agents.runtime.agent import AgentDefinition, Execution, ExecutionHandle, PromptAgent, RunnableAgent
from bookwright.agents.runtime.coordinator import Task
from bookwright.agents.runtime.metrics import note
from bookwright.agents.runtime.sinks import Sinks
from bookwright.agents.runtime.stream import AgentStream, Services, StreamParams, open_stream
from bookwright.models.errors import InvalidInput
from bookwright.models.talk.session import SessionState


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
        tasks = _Delegation(params, sinks, self.services, canceller)
        more = [Task(agents, tasks.delegate)] if agents else []
        return open_stream(params, self.services, sinks, canceller, more)


@dataclass(frozen=True)
class _Delegation:
    """Runs sub-agents of one execution: in sessions of their own, within its permissions, one at a time."""

    params: StreamParams
    sinks: Sinks
    services: Services
    canceller: Canceller

    def delegate(self, name: str, definition: AgentDefinition, prompt: str) -> str:
        """Run a sub-agent and return its answer.

        Raises:
            BackendError: Its model did not deliver.
        """
        own = self.sinks.of_agent(name) if self.sinks.of_agent else Sinks(can_use_tool=self.sinks.can_use_tool)
        tools = _both(self.params.execution.allowed_tools, definition.tools)
        execution = replace(
            self.params.execution, agent_id=name, session=SessionState.new(), fork_session=False, allowed_tools=tools
        )
        params = StreamParams(prompt, definition.model or self.params.model, definition.prompt, execution)
        return open_stream(params, self.services, own, self.canceller).run()


def _both(first: tuple[str, ...] | None, second: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """The names that are in both lists, where None holds all names."""
    if first is None or second is None:
        return second if first is None else first
    return tuple(name for name in second if name in first)


def _run(stream: AgentStream, handle: ExecutionHandle) -> None:
    ended_well = False
    try:
        stream.run()
        ended_well = True
    except BaseException as error:  # the thread's edge; the sinks were told of it
        note(logging.INFO, "[Agent] %s failed: %s", stream.session_id, error)
    finally:
        handle.completion.set_result(ended_well)
