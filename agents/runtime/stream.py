"""One execution of an agent: its session, the loop of model and tools, its events and its metrics."""

import logging
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

from bookwright.agents.backends.call import Canceller
from bookwright.agents.backends.protocol import (
    Correction,
    EventKind,
    FailedAttempt,
    FailureListener,
    Listener,
    Request,
    StreamEvent,
    ToolSpec,
)
from bookwright.agents.backends.spending.budget import BudgetLedger
from bookwright.agents.backends.tokens import TokenCounter
from bookwright.agents.react import action
from bookwright.agents.react.loop import Loop, answered
from bookwright.agents.react.observation import ROOM
from bookwright.agents.runtime.agent import AgentDefinition, Execution, Preset, SystemPrompt, TemplatePrompt
from bookwright.agents.runtime.asking import RequestMaker, as_event
from bookwright.agents.runtime.metrics import StreamMeter
from bookwright.agents.runtime.permission import PermissionGuard
from bookwright.agents.runtime.sinks import CanUseTool, StreamCallbacks
from bookwright.agents.runtime.stream_log import note
from bookwright.agents.runtime.talk import TalkSession
from bookwright.agents.tools.builtin import file_registry
from bookwright.agents.tools.files.sandbox import Sandbox
from bookwright.agents.tools.registry import ToolRegistry
from bookwright.models.settings import Settings
from bookwright.models.step import Reply
from bookwright.models.talk.event import EventPayload, StreamMetrics
from bookwright.models.text.language import Language
from bookwright.prompts.render import render_agent
from bookwright.storage.engine.database import Database

SHORTENED = "shortened"
"""The name of the `agent:event` that says that the model was not shown the whole talk."""


class TalkAsker(Protocol):
    """Whoever completes prompts and lets a single call be cancelled: the model service."""

    def ask(
        self, request: Request, budget: BudgetLedger | None, listener: Listener, on_failure: FailureListener,
        canceller: Canceller | None = None,
    ) -> Reply:  # fmt: skip
        """Complete a prompt.

        Raises:
            BackendError: Nothing was delivered.
        """
        ...


@dataclass(frozen=True)
class StreamParams:
    """What is asked, of whom, with which tools. Source: REQUIREMENTS S4-018 to S4-024."""

    prompt: str
    model: str
    system_prompt: SystemPrompt
    execution: Execution
    can_use_tool: CanUseTool
    agents: Mapping[str, AgentDefinition]
    """Sub-agents, by name."""

    def __post_init__(self) -> None:
        """Tell what is about to be asked."""
        note(
            logging.INFO, "[Agent-PreQuery] agent=%s model=%s session=%s permissionMode=%s cwd=%s prompt=%s",
            self.execution.agent_id, self.model, self.execution.session.id, self.execution.permission_mode,
            self.execution.cwd, self.prompt,
        )  # fmt: skip


@dataclass(frozen=True)
class Services:
    """What all executions share."""

    models: TalkAsker
    database: Database
    budget: BudgetLedger | None = None
    """Each call is held at its worst in it before it is sent."""
    counter: TokenCounter = field(default_factory=TokenCounter)
    """Tells how much of a long talk its model can read."""
    settings: Settings = field(default_factory=Settings)


class AgentStream:
    """One execution. `run` once, on a thread of its own; `metrics` afterwards."""

    def __init__(
        self, params: StreamParams, talk: TalkSession, tools: ToolRegistry, services: Services,
        callbacks: StreamCallbacks, canceller: Canceller,
    ) -> None:  # fmt: skip
        self._params = params
        self._talk = talk
        self._services = services
        self._callbacks = callbacks
        self._canceller = canceller
        self._tools = tools
        self._meter = StreamMeter()
        self._partial: list[str] = []
        self._uses = 0
        self._question = -1
        """The place of what the person asked among the turns; -1 if it stands before them all."""
        self._asking = RequestMaker(
            params.execution, params.model, _system(params), talk.session.id, services.counter,
            services.settings,
        )  # fmt: skip
        self.metrics = StreamMetrics()

    @property
    def session_id(self) -> str:
        """The session that it goes on with; of a fork the new one."""
        return self._talk.session.id

    def run(self) -> str:
        """Ask, let tools be used, and return the answer; the session has every turn of it.

        Raises:
            BackendError: Nothing was delivered, or it was cancelled; what had come is in the session.
        """
        try:
            told(self._callbacks.on_session_id, self._talk.session.id)
            first, turns = self._talk.say(self._params.prompt)
            self._question = len(turns) - 1
            loop = Loop(
                tools=self._tools,
                ask=lambda said, specs: self._ask(first, said, specs),
                keeper=self._talk,
                listener=self._hear,
                room=self._talk.room,
                locale=self._params.execution.locale,
            )
            text = answered(loop.run(turns)).text
            self._talk.answer(text)
            return text
        except BaseException:  # also an interrupt: what had come is kept
            with suppress(Exception):
                self._talk.break_off(_said("".join(self._partial)))
            raise
        finally:
            self.metrics = self._meter.finish()

    def _ask(self, first: str, said: tuple[Correction, ...], specs: tuple[ToolSpec, ...]) -> Reply:
        whole = self._asking.request(said, first, specs)
        request = self._asking.fitted(whole, self._question)
        if count := len(said) - len(request.corrections):
            text = f"{2 * count} earlier turns were not shown to the model, which has no room for them"
            told(self._callbacks.on_non_assistant_event, EventPayload(name=SHORTENED, text=text))
        reply = self._services.models.ask(request, self._services.budget, self._hear, _leave_it, self._canceller)
        told(self._callbacks.on_non_assistant_event, as_event(reply))
        return reply

    def _hear(self, event: StreamEvent) -> None:
        """Count an event and hand it on; on the model loop's thread while a call runs, else on this one."""
        self._meter.event(event.kind)
        match event.kind:
            case EventKind.TEXT:
                self._meter.text(event.text)
                self._partial.append(event.text)
                told(self._callbacks.on_text_delta, event.text)
            case EventKind.REASONING:
                self._meter.reasoning(event.text)
                told(self._callbacks.on_reasoning_delta, event.text)
            case EventKind.TOOL_USE:
                self._uses += 1
                self._partial.clear()  # it is kept as a turn of its own
                self._meter.tool_started(self._use, event.tool)
                told(self._callbacks.on_tool_use, self._use, event.tool, event.text)
            case EventKind.TOOL_RESULT:
                self._meter.tool_ended(self._use)
                told(self._callbacks.on_tool_result, self._use, event.tool, event.text)
            case _:
                if event.kind is not EventKind.FINISHED:
                    self._partial.clear()
                told(self._callbacks.on_non_assistant_event, EventPayload(name=event.kind, text=event.text))

    @property
    def _use(self) -> str:
        return f"{self._talk.session.id[:8]}-{self._uses}"


def open_stream(
    params: StreamParams, services: Services, callbacks: StreamCallbacks, canceller: Canceller, more: ToolRegistry
) -> AgentStream:
    """Open a session and make ready; nothing is asked yet. `more` holds tools beside those of the execution.

    Raises:
        SessionNotFound: There is no such session to go on with.
        SessionNotStarted: Nothing was said in the session that is to be forked.
    """
    execution = params.execution
    talk = TalkSession.open(services.database, execution, ROOM[_language(execution.locale)])
    chosen = _tools(execution)
    for tool in more:
        chosen.add(tool)
    chosen = chosen.only(execution.allowed_tools, execution.disallowed_tools)
    guard = PermissionGuard(execution.permission_mode, params.can_use_tool)
    return AgentStream(params, talk, chosen.permitted(guard), services, callbacks, canceller)


def _tools(execution: Execution) -> ToolRegistry:
    """The tools before the lists are applied: a registry of this execution's own."""
    if execution.tools is not None:
        return execution.tools.only()
    return ToolRegistry([]) if execution.cwd is None else file_registry(Sandbox(execution.cwd))


def _system(params: StreamParams) -> str:
    match params.system_prompt:
        case Preset() as preset:
            return render_agent(preset.value, params.execution.locale)
        case TemplatePrompt(name, values):
            return render_agent(name, params.execution.locale, **values)
        case text:
            return text


def _said(partial: str) -> str:
    """What had come of a reply, without the form around it where it was an answer."""
    turn = action.read(partial)
    return turn.answer if isinstance(turn, action.Finish) else partial


def _language(locale: str) -> Language:
    return Language(locale) if locale in {each.value for each in Language} else Language.EN


def _leave_it(failure: FailedAttempt) -> None:
    """A failed try of a talk is told as an event and kept nowhere."""


def told(callback: Any, *values: Any) -> None:
    """Call a listener; whatever it raises is ignored, so that it does not end the stream."""
    with suppress(Exception):
        callback(*values)
