"""One execution of an agent: its session, the loop of model and tools, its events and its metrics."""

import logging
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

from pydantic import JsonValue

from bookwright.agents.backends.protocol import (
    Correction,
    EventKind,
    FailureListener,
    Listener,
    Request,
    StreamEvent,
    ToolSpec,
)
from bookwright.agents.backends.service import Canceller
from bookwright.agents.backends.spending.budget import BudgetLedger
from bookwright.agents.backends.tokens import TokenCounter
from bookwright.agents.react import action
from bookwright.agents.react.loop import Loop, answered
from bookwright.agents.react.observation import ROOM
from bookwright.agents.runtime.agent import Execution, Preset, SystemPrompt, TemplatePrompt
from bookwright.agents.runtime.metrics import StreamMeter, note
from bookwright.agents.runtime.permission import PermissionGuard
from bookwright.agents.runtime.sinks import Sinks
from bookwright.agents.runtime.talk import RequestMaker, TalkSession, as_event
from bookwright.agents.tools.builtin import file_tools
from bookwright.agents.tools.files.sandbox import Sandbox
from bookwright.agents.tools.overflow import Overflow
from bookwright.agents.tools.registry import ToolRegistry
from bookwright.agents.tools.tool import Tool
from bookwright.models.settings import Settings
from bookwright.models.step import Reply
from bookwright.models.talk.event import EventPayload
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


@dataclass(frozen=True)
class StreamParams:
    """What is asked, and of whom. Source: REQUIREMENTS S4-018 to S4-024."""

    prompt: str
    model: str
    system_prompt: SystemPrompt
    execution: Execution

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


@dataclass
class AgentStream:
    """One execution. `run` once, on a thread of its own."""

    params: StreamParams
    talk: TalkSession
    tools: ToolRegistry
    services: Services
    sinks: Sinks
    canceller: Canceller

    def __post_init__(self) -> None:
        self._meter = StreamMeter()
        self._partial: list[str] = []
        self._uses = 0
        self._question = -1
        """The place of what the person asked among the turns; -1 if it stands before them all."""
        self._asking = RequestMaker(
            self.params.execution,
            self.params.model,
            _system(self.params),
            self.session_id,
            self.services.counter,
            self.services.settings,
        )

    @property
    def session_id(self) -> str:
        """The session that it goes on with; of a fork the new one."""
        return self.talk.session.id

    def run(self) -> str:
        """Ask, let tools be used, say how it ended and return the answer; the session has every turn of it.

        Raises:
            BackendError: Nothing was delivered, or it was cancelled; what had come is in the session.
        """
        try:
            text = self._answer()
        except BaseException as error:  # also an interrupt: what had come is kept
            with suppress(Exception):
                self.talk.break_off(_said("".join(self._partial)))
            _safely(self.sinks.on_failed, error, self._meter.finish())
            raise
        _safely(self.sinks.on_completed, text, self._meter.finish())
        return text

    def _answer(self) -> str:
        _safely(self.sinks.on_session_id, self.session_id)
        first, turns = self.talk.say(self.params.prompt)
        self._question = len(turns) - 1
        loop = Loop(
            tools=self.tools,
            ask=lambda said, specs: self._ask(first, said, specs),
            keeper=self.talk,
            listener=self._hear,
            room=self.talk.room,
            locale=self.params.execution.locale,
        )
        text = answered(loop.run(turns)).text
        self.talk.answer(text)
        return text

    def _ask(self, first: str, said: tuple[Correction, ...], specs: tuple[ToolSpec, ...]) -> Reply:
        whole = self._asking.request(said, first, specs)
        request = self._asking.fitted(whole, self._question)
        if count := len(said) - len(request.corrections):
            text = f"{2 * count} earlier turns were not shown to the model, which has no room for them"
            _safely(self.sinks.on_event, EventPayload(name=SHORTENED, text=text))
        reply = self.services.models.ask(
            request, self.services.budget, self._hear, lambda failure: None, self.canceller
        )
        _safely(self.sinks.on_event, as_event(reply))
        return reply

    def _hear(self, event: StreamEvent) -> None:
        """Count an event and hand it on; on the model loop's thread while a call runs, else on this one."""
        self._meter.hear(event)
        match event.kind:
            case EventKind.TEXT:
                self._partial.append(event.text)
                _safely(self.sinks.on_text, event.text)
            case EventKind.REASONING:
                _safely(self.sinks.on_reasoning, event.text)
            case EventKind.TOOL_USE:
                self._uses += 1
                self._partial.clear()  # it is kept as a turn of its own
                self._meter.tool_started(self._use, event.tool)
                self._tell_use(event)
            case EventKind.TOOL_RESULT:
                self._meter.tool_ended(self._use)
                self._tell_use(event)
            case _:
                if event.kind is not EventKind.FINISHED:
                    self._partial.clear()
                _safely(self.sinks.on_event, EventPayload(name=event.kind, text=event.text))

    @property
    def _use(self) -> str:
        return f"{self.session_id[:8]}-{self._uses}"

    def _tell_use(self, event: StreamEvent) -> None:
        data: dict[str, JsonValue] = {"id": self._use, "tool": event.tool}
        _safely(self.sinks.on_event, EventPayload(name=event.kind.value, text=event.text, data=data))


def open_stream(
    params: StreamParams, services: Services, sinks: Sinks, canceller: Canceller, more: Iterable[Tool[Any]] = ()
) -> AgentStream:
    """Open a session and make ready; nothing is asked yet. `more` holds tools beside those of the execution.

    Raises:
        SessionNotFound: There is no such session to go on with.
        SessionNotStarted: Nothing was said in the session that is to be forked.
    """
    execution = params.execution
    talk = TalkSession.open(services.database, execution, ROOM.get(execution.locale, ROOM[Language.EN]))
    chosen = _tools(execution)
    for tool in more:
        chosen.add(tool)
    chosen = chosen.only(execution.allowed_tools, execution.disallowed_tools)
    guard = PermissionGuard(execution.permission_mode, sinks.can_use_tool)
    return AgentStream(params, talk, chosen.permitted(guard), services, sinks, canceller)


def _tools(execution: Execution) -> ToolRegistry:
    """The tools before the lists are applied: a registry of this execution's own."""
    if execution.tools is not None:
        return execution.tools.only()
    if execution.cwd is None:
        return ToolRegistry([])
    vault = Sandbox(execution.cwd)
    return ToolRegistry(file_tools(vault), Overflow(vault))  # which keeps the whole of long answers there


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


def _safely(callback: Callable[..., None], *values: Any) -> None:
    """Call a listener; whatever it raises is ignored, so that it does not end the stream."""
    with suppress(Exception):
        callback(*values)
