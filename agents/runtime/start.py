"""Makes an agent that can be started out of one that consists of prompts. Source: REQUIREMENTS S4-013."""

import logging
import threading
from dataclasses import dataclass, replace

from bookwright.agents.backends.call import Canceller
from bookwright.agents.runtime.agent import AgentDefinition, Execution, ExecutionHandle, PromptAgent, RunnableAgent
from bookwright.agents.runtime.coordinator import Task
from bookwright.agents.runtime.sinks import Sinks
from bookwright.agents.runtime.stream import AgentStream, Services, StreamParams, open_stream, told
from bookwright.agents.runtime.stream_log import note
from bookwright.agents.tools.registry import ToolRegistry
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
        threading.Thread(target=_run, args=(stream, sinks, handle), name=name, daemon=True).start()
        return handle

    def _open(self, given: str, sinks: Sinks, execution: Execution, canceller: Canceller) -> AgentStream:
        model = self.agent.get_model() or execution.model
        if not model:
            raise InvalidInput(f"the agent {execution.agent_id!r} names no model, and none was given")
        agents = dict(self.agent.get_agent_definitions() or {})
        params = StreamParams(
            prompt=self.agent.get_prompt(given),
            model=model,
            system_prompt=self.agent.get_system_prompt(),
            execution=execution,
            can_use_tool=sinks.can_use_tool,
            agents=agents,
        )
        tasks = _Delegation(params, sinks, self.services, canceller)
        more = ToolRegistry([Task(agents, tasks.delegate)] if agents else [])
        return open_stream(params, self.services, sinks.callbacks(), canceller, more)


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
        above = self.params.execution
        execution = replace(
            above, agent_id=name, session=SessionState.new(), fork_session=False,
            allowed_tools=_both(above.allowed_tools, definition.tools),
        )  # fmt: skip
        params = replace(
            self.params, prompt=prompt, model=definition.model or self.params.model, system_prompt=definition.prompt,
            execution=execution, agents={},
        )  # fmt: skip
        stream = open_stream(params, self.services, own.callbacks(), self.canceller, ToolRegistry([]))
        return _spoken(stream, own)


def _both(first: tuple[str, ...] | None, second: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """The names that are in both lists, where None holds all names."""
    if first is None or second is None:
        return second if first is None else first
    return tuple(name for name in second if name in first)


def _run(stream: AgentStream, sinks: Sinks, handle: ExecutionHandle) -> None:
    ended_well = False
    try:
        _spoken(stream, sinks)
        ended_well = True
    except BaseException as error:  # the thread's edge; the sinks were told of it
        note(logging.INFO, "[Agent] %s failed: %s", stream.session_id, error)
    finally:
        handle.completion.set_result(ended_well)


def _spoken(stream: AgentStream, sinks: Sinks) -> str:
    """Run a stream and say how it ended."""
    try:
        text = stream.run()
    except BaseException as error:
        told(sinks.on_failed, error, stream.metrics)
        raise
    told(sinks.on_completed, text, stream.metrics)
    return text
