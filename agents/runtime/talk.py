"""The session of one execution: opened by the three rules, then added to turn by turn."""

import logging
from dataclasses import dataclass

from bookwright.agents.backends.protocol import Correction
from bookwright.agents.react import action
from bookwright.agents.react.observation import observation
from bookwright.agents.runtime.agent import Execution
from bookwright.agents.runtime.metrics import note
from bookwright.failpoints import Failpoint
from bookwright.models.errors import InvalidInput, SessionNotStarted
from bookwright.models.step import Reply, ToolUse
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
        execution.agent_id, execution.tab_id, book=execution.book, model=execution.model,
        identity=execution.session.id,
    )  # fmt: skip
