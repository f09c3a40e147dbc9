"""Attempts at steps as rows of the journal: what an answered call leaves, and what an activity has on record."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, bindparam, insert, select, update

from bookwright.models.step import Failure, Reply, StepKey, StepRecord, ToolUse, Usage
from bookwright.storage.engine.database import database_now
from bookwright.storage.engine.prepared import Prepared
from bookwright.storage.repositories.texts import TextStore, text_hash
from bookwright.storage.steps.tool_uses import ToolUseRepository
from bookwright.storage.tables import steps

_activity = (steps.c.book, steps.c.node, steps.c.revision, steps.c.activity, steps.c.round)
_ATTEMPTS = Prepared(
    select(steps).where(*(column == bindparam(f"key_{column.name}") for column in _activity)).order_by(steps.c.id)
)
_MOVED = update(steps).where(steps.c.id == bindparam("moved")).values(has_move=True)
_INSERT = Prepared(
    insert(steps).values(recorded_at=database_now()).returning(steps.c.id),
    *(column.name for column in steps.c if column.name not in ("id", "recorded_at")),
)


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
    rows = _ATTEMPTS.execute(connection, _key_values(beside, "key_"))
    asked = (row.id for row in rows if row.failure == Failure.TOOL_USE)
    uses = ToolUseRepository(connection, beside.book, store).of_steps(asked)
    for row in rows:
        key = beside.model_copy(update={"step": row.step})
        found.setdefault(row.step, []).append(_record(row, key, store, uses.get(row.id)))
    return found


def _values(attempt: Attempt, hashes: Sequence[str], reply_hash: str) -> dict[str, Any]:
    prompt = " ".join(hashes)
    reply, usage = attempt.reply, attempt.reply.usage
    return _key_values(attempt.key) | {
        "attempt": attempt.attempt,
        "failure": attempt.failure,
        "detail": attempt.detail,
        "role": attempt.role,
        "model": reply.model,
        "template": attempt.template,
        "input_hash": text_hash(prompt),
        "prompt": prompt,
        "reply": reply_hash,
        "reasoning": reply.reasoning,
        "finish_reason": reply.finish_reason,
        "input_tokens": usage.input_tokens,
        "cached_tokens": usage.cached_tokens,
        "cache_write_tokens": usage.cache_write_tokens,
        "output_tokens": usage.output_tokens,
        "is_estimate": usage.is_estimate,
        "cost": reply.cost,
        "duration_millis": reply.duration_millis,
        "first_event_millis": reply.first_event_millis,
    }


def _key_values(key: StepKey, prefix: str = "") -> dict[str, Any]:
    return {
        f"{prefix}book": key.book,
        f"{prefix}node": key.node,
        f"{prefix}revision": key.revision,
        f"{prefix}activity": key.activity.value,
        f"{prefix}round": key.round,
        f"{prefix}step": key.step,
    }


def _record(row: Row[Any], key: StepKey, store: TextStore, use: ToolUse | None) -> StepRecord:
    usage = Usage(
        input_tokens=row.input_tokens, cached_tokens=row.cached_tokens, cache_write_tokens=row.cache_write_tokens,
        output_tokens=row.output_tokens, is_estimate=row.is_estimate,
    )  # fmt: skip
    reply = Reply(
        text=store.get(row.reply), reasoning=row.reasoning, finish_reason=row.finish_reason, model=row.model,
        usage=usage, cost=row.cost, duration_millis=row.duration_millis, first_event_millis=row.first_event_millis,
    )  # fmt: skip
    return StepRecord(
        id=row.id, key=key, attempt=row.attempt, failure=Failure(row.failure) if row.failure else None,
        detail=row.detail, reply=reply, prompt=tuple(row.prompt.split()), has_move=row.has_move, tool_use=use,
    )  # fmt: skip
