"""One talk with one agent: says things, follows the answer on the event bus, breaks it off, keeps the bill."""

from collections.abc import Mapping
from concurrent.futures import Future, wait
from queue import Empty, SimpleQueue
from typing import Any

from pydantic import JsonValue

from bookwright.agents.backends.protocol import EventKind
from bookwright.agents.backends.service import ModelService
from bookwright.agents.backends.spending import prices
from bookwright.agents.backends.spending.budget import BudgetLedger
from bookwright.agents.backends.windows import with_windows
from bookwright.agents.react.observation import findings
from bookwright.agents.runtime.agent import Execution
from bookwright.agents.runtime.events.bus import EventBus
from bookwright.agents.runtime.executor import TabExecutor
from bookwright.agents.runtime.messages import MessageStore, spoken
from bookwright.agents.runtime.permission import EDITING_TOOLS, Allowed, Denied, Permission, PermissionMode
from bookwright.agents.runtime.sinks import SESSION
from bookwright.agents.runtime.start import TASK
from bookwright.agents.runtime.stream import Services
from bookwright.agents.tools.outside import one_line
from bookwright.app.talks.opening import Opening
from bookwright.app.talks.view import SOURCES, ChatView, Confirm, Question, TalkBill
from bookwright.flows.talking import TalkGround
from bookwright.flows.tracing import talk_tracing_as_set
from bookwright.models.amount import Amount
from bookwright.models.errors import SessionNotStarted
from bookwright.models.step import ToolUse, Usage
from bookwright.models.talk.event import (
    AgentEvent,
    CompletedEvent,
    Event,
    EventPayload,
    FailedEvent,
    Message,
    SpeakerRole,
)
from bookwright.models.talk.session import SessionState
from bookwright.models.talk.tool import ToolResponse
from bookwright.models.text.language import Language, detect_language
from bookwright.storage.engine.database import Database

TAB = "chat"
BILL = "bill"
"""The name of the `agent:event` that ends an exchange: what it took, `cost` in millionths of a dollar."""

_LOOK_SECONDS = 0.1
_DRAIN_SECONDS = 30.0
_LEAVE_SECONDS = 5.0
_TOOL_CHARACTERS = 160
_SAMPLE = Usage(input_tokens=1_000)


class Talk:
    """Used by one thread, which hears everything: all that other threads say comes to it by an inbox."""

    def __init__(
        self, opening: Opening, ground: TalkGround, database: Database, models: ModelService, bus: EventBus,
        view: ChatView, confirm: Confirm | None, cap_usd: float | None, *, says_yes: bool = False,
    ) -> None:  # fmt: skip
        """`confirm` is None where nobody can be asked; `says_yes` permits every write without asking."""
        self._opening, self._ground, self._bus, self._view = opening, ground, bus, view
        self._cap_usd = cap_usd
        self._mode = PermissionMode.ACCEPT_EDITS if says_yes else opening.member.mode
        self._ledger = BudgetLedger(cap_usd, title="this talk", remedy="--budget-usd gives it more")
        settings = with_windows([opening.model], ground.settings)
        asked, self._answering = talk_tracing_as_set(models, opening.book.id if opening.book else "")
        services = Services(asked, database, self._ledger, models.counter, settings)
        self._executor = TabExecutor(ground.agents(services), bus)
        self._inbox: SimpleQueue[Event | Question | None] = SimpleQueue()
        self._confirm = confirm
        self.session = opening.state
        """The session that it goes on with."""
        self._forks = opening.forks
        self._locale = _locale(opening.title) if opening.title else ""
        self._is_priced = prices.cost(opening.model, _SAMPLE, ground.settings) is not None
        self.failure = ""
        """The kind of failure of the last answer; empty where it came."""
        self._is_broken_off = False
        self._answer_text = ""
        self._uses: list[ToolUse] = []
        """What tools brought for the answer that is on its way."""
        self._messages = MessageStore(bus)
        bus.on("*", self._messages.hear)
        bus.on("*", self._inbox.put)

    @property
    def bill(self) -> TalkBill:
        """What the talk has taken."""
        return self._bill(Amount())

    def _bill(self, taken: Amount) -> TalkBill:
        """The bill of an answer that took so much."""
        spent = self._ledger.spent
        cost, all_cost = (taken.cost, spent.cost) if self._is_priced else (None, None)
        return TalkBill(taken.tokens, cost, spent.tokens, all_cost, self._cap_usd)

    def say(self, message: str) -> bool:
        """Say something and show the answer; True if it came.

        The first Ctrl-C breaks the answer off, and the provider sees the disconnect.

        Raises:
            KeyboardInterrupt: A second Ctrl-C came before that was done.
        """
        if self._ground.copy is not None:
            self._ground.copy.refresh()
        self._locale = self._locale or _locale(message)
        self._messages.append_message(spoken(message, TAB, self._opening.member.name))
        self._uses = []
        before = self._ledger.spent
        with self._answering(self._opening.member.name) as failed:
            self._hear_out(message)
            if self.failure:
                failed(self.failure)
        if not self.failure and "fetch_page" in self._ground.tools:
            self._tell_sources()
        self._tell_bill(self._bill(self._ledger.spent - before))
        return not self.failure

    def _hear_out(self, message: str) -> None:
        opening = self._opening
        execution = Execution(
            agent_id=opening.member.name, tab_id=TAB, session=self.session, fork_session=self._forks,
            book=opening.book.id if opening.book else None, model=opening.model, tools=self._ground.tools,
            permission_mode=self._mode, locale=self._locale,
        )  # fmt: skip
        ended = self._executor.execute(message, execution, can_use_tool=self._permit)
        ended.add_done_callback(lambda _: self._inbox.put(None))
        try:
            self._follow_to_end()
        finally:
            if not ended.done():  # a second Ctrl-C, or a signal: let what had come be kept
                self._executor.cancel(TAB)
                wait([ended], _LEAVE_SECONDS)
            self._is_broken_off = False

    def break_off(self) -> None:
        """End the answer that is on its way; any thread may ask for that."""
        self._is_broken_off = True

    def fork(self) -> str:
        """Go on in a copy from the next message on.

        Raises:
            SessionNotStarted: Nothing was said yet.
        """
        if not self.session.initialized:
            raise SessionNotStarted("nothing was said in this talk yet, so it cannot be forked")
        self._forks = True
        return f"what you say next goes into a copy; session {self.session.id} stays as it is"

    def toggle_raw(self) -> str:
        """Show raw replies from now on, or no longer."""
        self._view.shows_raw = not self._view.shows_raw
        return f"raw replies are {'shown' if self._view.shows_raw else 'not shown'}"

    def describe_tools(self) -> list[str]:
        """What the agent may use, one line each."""
        asks = self._mode is PermissionMode.DEFAULT
        lines = []
        for tool in self._ground.tools:
            about = tool.description().partition("\n")[0]
            lines.append(f"{tool.name}{' (you are asked)' if asks and tool.name in EDITING_TOOLS else ''}: {about}")
        if others := self._opening.member.asks:
            lines.append(f"{TASK}: gives a task to {' or '.join(others)}")
        return lines or ["this agent has no tools here"]

    def describe_session(self) -> list[str]:
        """The session, one line for each fact."""
        opening = self._opening
        state = "" if self.session.initialized else " (nothing was said yet)"
        book = [f"book {opening.book.id}"] if opening.book else []
        later = [f"later: bookwright chat --session {self.session.id[:8]}"] if self.session.initialized else []
        return [f"session {self.session.id}{state}", f"agent {opening.member.name}, {opening.model}", *book, *later]

    def describe_messages(self) -> list[str]:
        """What was said in this talk's tab since it was opened, one entry for each message."""
        self._bus.drain(_DRAIN_SECONDS)
        shown = (each for each in self._messages.messages(TAB) if each.role is not SpeakerRole.REASONING)
        lines = [f"{'you' if each.role is SpeakerRole.USER else each.agent_id}: {_in_short(each)}" for each in shown]
        return lines or ["nothing was said here yet"]

    def _follow_to_end(self) -> None:
        while True:
            try:
                self._follow()
                return
            except KeyboardInterrupt:
                if self._is_broken_off:
                    raise
                self._is_broken_off = True
                self._view.note("(breaking off)")

    def _follow(self) -> None:
        """Show what comes until the end of the execution."""
        while True:
            if self._is_broken_off:
                self._executor.cancel(TAB)  # again and again: it may not have begun yet
            try:
                came = self._inbox.get(timeout=_LOOK_SECONDS)
            except Empty:
                continue
            if came is None:
                break
            self._take(came)
        self._bus.drain(_DRAIN_SECONDS)
        while not self._inbox.empty():
            if (late := self._inbox.get()) is not None:
                self._take(late)

    def _take(self, came: "Event | Question") -> None:
        if isinstance(came, Question):
            self._ask_person(came)
            return
        is_own = came.parent_agent_id is None  # what a sub-agent says is material for its coordinator
        match came:
            case AgentEvent(payload=EventPayload(name=name, data=data)) if name == SESSION and is_own:
                self.session, self._forks = SessionState(id=str(data["sessionId"]), initialized=True), False
            case AgentEvent(payload=EventPayload(name=EventKind.TOOL_RESULT) as payload):
                self._uses.append(_use(payload, len(self._uses) + 1))
            case CompletedEvent() if is_own:
                self.failure, self._answer_text = "", came.payload.text
            case FailedEvent() if is_own:
                self.failure = came.payload.kind or "failed"
        self._view.hear(came)

    def _permit(self, tool: str, given: Mapping[str, Any]) -> Permission:
        """Say on the agent's thread whether it may use a tool, waiting for the person where that changes something."""
        if tool not in EDITING_TOOLS:
            return Allowed(given)
        if self._confirm is None:
            return Denied("nobody is there to permit it; the option --yes does")
        question = Question(tool, given, Future())
        self._inbox.put(question)
        return Allowed(given) if question.answer.result() else Denied("the person refuses")

    def _ask_person(self, question: Question) -> None:
        """Ask on the thread that has the terminal; nothing is asked any more once the answer was broken off."""
        is_allowed = False
        try:
            if self._confirm is not None and not self._is_broken_off:
                is_allowed = self._confirm(question.tool, question.given)
        finally:  # whatever comes between: the agent's thread waits
            question.answer.set_result(is_allowed)

    def _tell_sources(self) -> None:
        found = findings(self._uses, self._answer_text)
        pages: list[JsonValue] = [source.model_dump(mode="json") for source in found.sources]
        self._tell(SOURCES, {"sources": pages, "isVerified": found.is_verified})

    def _tell_bill(self, bill: TalkBill) -> None:
        data: dict[str, JsonValue] = {
            "tokens": bill.tokens, "cost": bill.cost, "allTokens": bill.all_tokens, "allCost": bill.all_cost,
            "sessionId": self.session.id,
        }  # fmt: skip
        self._tell(BILL, data)
        self._view.ended(bill)

    def _tell(self, name: str, data: dict[str, JsonValue]) -> None:
        payload = EventPayload(name=name, data=data)
        self._view.hear(AgentEvent(agent_id=self._opening.member.name, tab_id=TAB, payload=payload))


def _in_short(message: Message) -> str:
    """What a message says; of what a tool was given and brought, the beginning."""
    return one_line(message.text, _TOOL_CHARACTERS) if message.role is SpeakerRole.TOOL else message.text


def _use(payload: EventPayload, ordinal: int) -> ToolUse:
    tool, status = str(payload.data.get("tool", "")), ToolResponse.model_validate_json(payload.text).status
    return ToolUse(step=0, ordinal=ordinal, tool=tool, arguments="", status=status.value, response=payload.text)


def _locale(text: str) -> str:
    """The language of the instructions: Chinese for who writes Chinese, else English."""
    return "zh" if detect_language(text) is Language.ZH else "en"
