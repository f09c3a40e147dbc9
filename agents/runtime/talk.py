"""The session of one execution, added to turn by turn, and the requests that are made of it.

A request holds the turns that the model has room for.
"""

import hashlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic import JsonValue

from bookwright.agents.backends import catalogue, windows
from bookwright.agents.backends.protocol import Correction, Prompt, Request, Sampling, ToolSpec
from bookwright.agents.backends.schema import texts_of
from bookwright.agents.backends.tokens import TokenCounter
from bookwright.agents.react import action
from bookwright.agents.react.observation import observation
from bookwright.agents.runtime.agent import Execution
from bookwright.agents.runtime.metrics import note
from bookwright.agents.small.sampling import NARROW_MODELS, PROSE
from bookwright.failpoints import Failpoint
from bookwright.models.errors import InvalidInput, SessionNotStarted
from bookwright.models.settings import Settings
from bookwright.models.step import Reply, ToolUse
from bookwright.models.talk.event import EventPayload, speakable
from bookwright.models.talk.session import Session, Turn, TurnKind
from bookwright.models.talk.tool import ToolResponse
from bookwright.storage.engine.database import Database
from bookwright.storage.repositories.sessions import SessionRepository

_BROKEN_OFF = "(This answer was broken off.)"


@dataclass(frozen=True)
class TalkSession:
    """A session that an execution goes on with, and the keeper of its loop's turns."""

    database: Database
    session: Session
    room: int
    """Characters of an observation."""

    @classmethod
    def open(cls, database: Database, execution: Execution, room: int) -> "TalkSession":
        """Begin, resume or fork a session. Source: REQUIREMENTS S4-006 to S4-009.

        Raises:
            SessionNotFound: There is none to resume or to fork.
            SessionNotStarted: What is to be forked is new, or nothing was said in it yet.
            InvalidInput: A new session is asked for under the id of one in which something was said.
        """
        state = execution.session
        with database.write(Failpoint.EDIT_BOOK) as connection:
            sessions = SessionRepository(connection)
            if execution.fork_session and not state.initialized:
                raise SessionNotStarted(f"session {state.id} is new, so it cannot be forked; start it first")
            if execution.fork_session:
                session = sessions.fork(state.id, execution.tab_id)
            elif state.initialized:
                session = sessions.get(state.id)
            else:
                session = _begin(sessions, execution)
        if execution.fork_session or state.initialized:
            note(logging.INFO, "Using RESUME logic for session: %s", state.id)
        else:
            note(logging.INFO, "Using EXTRA_ARGS (new session) logic for session: %s", session.id)
        return cls(database, session, room)

    def say(self, prompt: str) -> tuple[str, tuple[Correction, ...]]:
        """Add what the person says; return what was said first and the turns after it, as a request has them."""
        with self.database.write(Failpoint.EDIT_BOOK) as connection:
            sessions = SessionRepository(connection)
            sessions.append(self.session.id, [Turn(kind=TurnKind.SAY, text=prompt)])
            history = sessions.history(self.session.id)
        for repair in history.repairs:
            note(logging.INFO, "session %s: %s", self.session.id, repair)
        first, *rest = history.turns
        pairs = zip(rest[::2], rest[1::2], strict=True)
        return first.text, tuple(Correction(reply.text, told.text) for reply, told in pairs)

    def answer(self, text: str) -> None:
        """Add the answer to the session, whole."""
        self._append(TurnKind.ANSWER, text)

    def break_off(self, text: str) -> None:
        """Add what had come of an answer that was broken off."""
        self._append(TurnKind.ANSWER, f"{text}\n\n{_BROKEN_OFF}" if text.strip() else _BROKEN_OFF)

    def acted(self, reply: Reply, turn: action.Action | action.NoAction) -> int:
        """Keep a reply that acts, before the tool runs."""
        self._append(TurnKind.USE, action.write(turn))
        return 0

    def observed(self, use: ToolUse) -> None:
        """Keep what the tool brought."""
        self._append(TurnKind.RESULT, observation(ToolResponse.model_validate_json(use.response), self.room))

    def _append(self, kind: TurnKind, text: str) -> None:
        with self.database.write(Failpoint.EDIT_BOOK) as connection:
            SessionRepository(connection).append(self.session.id, [Turn(kind=kind, text=text)])


def _begin(sessions: SessionRepository, execution: Execution) -> Session:
    known = sessions.find(execution.session.id)
    if known is not None and known.initialized:
        raise InvalidInput(f"session {known.id} was begun already; resume or fork it")
    return known or sessions.create(
        execution.agent_id, execution.tab_id, book=execution.book, model=execution.model, identity=execution.session.id,
    )  # fmt: skip


ROLE = "researcher"
"""The role whose settings talks have, where an agent names no model."""
REPLY = "reply"
"""The name of the `agent:event` that gives a reply as it came, with its bill; `cost` in millionths of a dollar."""

_TEMPERATURE = 0.7
_OUTPUT_TOKENS = 4_096
_OUTPUT_SHARE = 4
"""An answer takes at most one part in so many of what the model holds."""
_NARROW_OUTPUT_TOKENS = 400
"""Of models so small that they talk on without end."""


@dataclass(frozen=True)
class RequestMaker:
    """Makes the requests of one execution."""

    execution: Execution
    model: str
    system: str
    session: str
    counter: TokenCounter
    settings: Settings
    """With the window of the model, where its server was asked for it."""

    def request(self, said: tuple[Correction, ...], first: str, specs: tuple[ToolSpec, ...]) -> Request:
        """Return the request in which everything is said; `first` stands before all turns."""
        seed = hashlib.sha256(f"{self.session} {len(said)}".encode()).digest()[:4]
        extra = dict(PROSE) if self.model in NARROW_MODELS else {}
        return Request(
            model=self.model, role=ROLE, name=f"{self.execution.tab_id} talk/{self.execution.agent_id}",
            prompt=Prompt(self.system, (first,)), corrections=said, cache_key=self.session, tools=specs,
            sampling=Sampling(_TEMPERATURE, self._output, int.from_bytes(seed, "big") >> 1, extra=extra),
            locale=self.execution.locale,
        )  # fmt: skip

    def fitted(self, request: Request, question: int) -> Request:
        """Leave turns out that the model has no room for; `question` is the place of what was asked last, or -1."""
        said, count = request.corrections, self.counter.estimate
        taken = count(self.model, *texts_of(replace(request, corrections=())))
        allowance = windows.thinking_allowance(self.model, self.settings)
        spare = catalogue.provider_of(self.model).overhead_tokens + allowance
        sizes = [count(self.model, each.reply, each.problem) for each in said]
        room = self._window - self._output - taken - spare
        gone = left_out(sizes, question, room)
        kept = tuple(each for place, each in enumerate(said) if place not in gone)
        return replace(request, corrections=kept)

    @property
    def _window(self) -> int:
        return windows.window_of(self.model, self.settings).tokens

    @property
    def _output(self) -> int:
        if self.model in NARROW_MODELS:
            return _NARROW_OUTPUT_TOKENS
        return min(_OUTPUT_TOKENS, self._window // _OUTPUT_SHARE)


def as_event(reply: Reply) -> EventPayload:
    """A reply as the model gave it, with its bill."""
    data: dict[str, JsonValue] = {
        "model": reply.model, "finishReason": reply.finish_reason, "inputTokens": reply.usage.input_tokens,
        "outputTokens": reply.usage.output_tokens, "cachedTokens": reply.usage.cached_tokens,
        "isEstimate": reply.usage.is_estimate, "cost": reply.cost, "reasoning": speakable(reply.reasoning),
    }  # fmt: skip
    if reply.session_id:  # the provider's own; a talk goes on by ours
        data["providerSession"] = reply.session_id
    return EventPayload(name=REPLY, text=reply.text, data=data)


def left_out(sizes: Sequence[int], question: int, room: int) -> set[int]:
    """Return the places of the turns to leave out, so that the rest takes no more than `room`; sizes are in tokens.

    The oldest go first, then what tools brought since the question, the oldest first; the question (-1
    if it stands before all turns) and the last turn always stay, even where they are too much.
    """
    gone: set[int] = set()
    excess = sum(sizes) - room
    for place in (*range(question), *range(question + 1, len(sizes) - 1)):
        if excess <= 0:
            break
        gone.add(place)
        excess -= sizes[place]
    return gone
