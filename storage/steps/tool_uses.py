"""What tools brought that attempts had asked for, kept beside the journal."""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, Row, insert, select

from bookwright.models.step import ToolUse
from bookwright.storage.engine.database import database_now
from bookwright.storage.repositories.base import Repository
from bookwright.storage.repositories.texts import TextStore, text_hash
from bookwright.storage.tables import steps, tool_uses


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
        return ToolUse(
            step=row.step, ordinal=row.ordinal, tool=row.tool, arguments=row.arguments, status=row.status,
            response=self._texts.get(row.response), duration_millis=row.duration_millis,
        )  # fmt: skip
