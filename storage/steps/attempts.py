"""Attempts at steps as rows of the journal, and what the tools brought that they asked for."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, bindparam, insert, select, update

from bookwright.models.step import Failure, Reply, StepKey, StepRecord, ToolUse, Usage
from bookwright.storage.engine.database import database_now
from bookwright.storage.engine.prepared import Prepared
from bookwright.storage.repositories import Repository
from bookwright.storage.repositories.texts import TextStore, text_hash
from bookwright.storage.tables import steps, tool_uses

_activity = (steps.c.book, steps.c.node, steps.c.revision, steps.c.activity, steps.c.round)
_ATTEMPTS = Prepared(
    select(steps).where(*(column == bindparam(column.name) for column in _activity)).order_by(steps.c.id)
)
_MOVED = update(steps).where(steps.c.id == bindparam("moved")).values(has_move=True)
_INSERT = Prepared(
    insert(steps).values(recorded_at=database_now()).returning(steps.c.id),
    *(column.name for column in steps.c if column.name not in ("id", "recorded_at")),
)

_OF_ATTEMPT = ("attempt", "failure", "detail", "role", "template")
_OF_REPLY = ("model", "reasoning", "finish_reason", "cost", "duration_millis", "first_event_millis")
"""Columns that are called as the fields are which they hold."""


@dataclass(frozen=True)
class Attempt:
    """One answered call, about to be recorded."""

    key: StepKey
    attempt: int
    role: str
    template: str
    prompt: tuple[str, ...]
    """The prompt's blocks themselves, in order, the system frame first."""
    reply: Reply
    failure: Failure | None = None
    detail: str = ""
    stores_prompt: bool = True
    """Whether the texts of the prompt and the card are stored, or only their hashes."""
    card: tuple[str, ...] = ()
    """What the last block was rendered from, as `prompts.stored_card` tells it."""


class ToolUseRepository(Repository):
    """The uses of tools of one book."""

    def __init__(self, connection: Connection, book: str, texts: TextStore) -> None:
        super().__init__(connection, book)
        self._texts = texts

    def add(self, use: ToolUse, lease_token: int) -> None:
        """Keep a use; one that is on record for the attempt stays as it is."""
        known = select(tool_uses.c.step).where(tool_uses.c.step == use.step)
        if self._connection.execute(known).first() is not None:
            return
        key = text_hash(use.response)
        self._texts.put({key: use.response})
        values = use.model_dump() | {"response": key, "book": self._book, "lease_token": lease_token}
        self._connection.execute(insert(tool_uses).values(recorded_at=database_now(), **values))

    def of_steps(self, ids: Iterable[int]) -> dict[int, ToolUse]:
        """Return what is on record for attempts, by the attempt's id."""
        wanted = tuple(ids)
        if not wanted:
            return {}
        query = select(tool_uses).where(tool_uses.c.book == self._book, tool_uses.c.step.in_(wanted))
        return {row.step: self._use(row) for row in self._connection.execute(query)}

    def before(self, step: int) -> list[ToolUse]:
        """Return the uses that led up to an attempt, oldest first: those of the same step of the walk."""
        key = ("node", "revision", "activity", "round", "step")
        this = select(steps).where(steps.c.id == step, steps.c.book == self._book).subquery()
        query = (
            select(tool_uses)
            .join(steps, steps.c.id == tool_uses.c.step)
            .join(this, this.c.book == steps.c.book)
            .where(*(steps.c[name] == this.c[name] for name in key), steps.c.id < step)
            .order_by(tool_uses.c.step)
        )
        return [self._use(row) for row in self._connection.execute(query)]

    def _use(self, row: Row[Any]) -> ToolUse:
        return ToolUse.model_validate(row._asdict() | {"response": self._texts.get(row.response)})


def insert_attempt(
    connection: Connection, attempt: Attempt, prompt: Sequence[str], card: Sequence[str], reply: str, *,
    has_move: bool, lease_token: int,
) -> int:  # fmt: skip
    """Store an attempt with the hashes of its prompt, its card and its reply; return the step's id."""
    values = _values(attempt, prompt, reply)
    values |= {"card": " ".join(card), "has_move": has_move, "lease_token": lease_token}
    return int(_INSERT.execute(connection, values).scalar_one())


def mark_moved(connection: Connection, step: int) -> None:
    """Say of a step that was recorded without its move that it has been made."""
    connection.execute(_MOVED, {"moved": step})


def attempts_beside(connection: Connection, beside: StepKey) -> dict[str, list[StepRecord]]:
    """Return the recorded attempts of a step's whole activity by step, oldest first."""
    found: dict[str, list[StepRecord]] = {}
    store = TextStore(connection, beside.book)
    rows = _ATTEMPTS.execute(connection, _key_values(beside))
    asked = (row.id for row in rows if row.failure == Failure.TOOL_USE)
    uses = ToolUseRepository(connection, beside.book, store).of_steps(asked)
    for row in rows:
        key = beside.model_copy(update={"step": row.step})
        found.setdefault(row.step, []).append(_record(row, key, store, uses.get(row.id)))
    return found


def _values(attempt: Attempt, hashes: Sequence[str], reply_hash: str) -> dict[str, Any]:
    prompt = " ".join(hashes)
    return {
        **_key_values(attempt.key),
        **vars(attempt.reply.usage),
        **{name: getattr(attempt, name) for name in _OF_ATTEMPT},
        **{name: getattr(attempt.reply, name) for name in _OF_REPLY},
        "input_hash": text_hash(prompt),
        "prompt": prompt,
        "reply": reply_hash,
    }


def _key_values(key: StepKey) -> dict[str, Any]:
    return {**vars(key), "activity": key.activity.value}


def _record(row: Row[Any], key: StepKey, store: TextStore, use: ToolUse | None) -> StepRecord:
    values = row._asdict()
    reply = Reply.model_validate(values | {"text": store.get(row.reply), "usage": Usage.model_validate(values)})
    prompt = tuple(row.prompt.split())
    return StepRecord.model_validate(values | {"key": key, "reply": reply, "prompt": prompt, "tool_use": use})
