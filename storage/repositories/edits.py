"""The queue of edits of one book: what its author wants changed while somebody writes it."""

import json
from typing import Any

from sqlalchemy import ColumnElement, Row, insert, select, update

from bookwright.models.edit import AuthorEdit, EditState, NoteEdit, QueuedEdit, RecordEdit, TextEdit
from bookwright.storage.engine.database import database_now
from bookwright.storage.repositories.base import Repository
from bookwright.storage.tables import edits

_IS_WAITING = edits.c.state == EditState.WAITING.value


class EditQueue(Repository):
    """The edits of one book in one transaction."""

    def add(self, edit: AuthorEdit) -> int:
        """Let an edit wait behind those that are there; return its number."""
        seen = edit.seen if isinstance(edit, TextEdit | RecordEdit | NoteEdit) else None
        values = {
            "book": self._book, "target": edit.target, "seen": seen or 0, "body": edit.model_dump_json(),
            "state": EditState.WAITING.value, "created_at": database_now(),
        }  # fmt: skip
        return int(self._connection.execute(insert(edits).values(values).returning(edits.c.id)).scalar_one())

    def waiting(self) -> list[QueuedEdit]:
        """Return what waits, oldest first."""
        query = select(edits).where(edits.c.book == self._book, _IS_WAITING).order_by(edits.c.id)
        return [_edit(row) for row in self._connection.execute(query)]

    def waiting_for(self, target: str) -> QueuedEdit | None:
        """Return the newest edit of something that waits."""
        return next(iter(self._newest(1, edits.c.target == target, _IS_WAITING)), None)

    def latest_for(self, target: str) -> QueuedEdit | None:
        """Return the newest edit of something, whatever became of it."""
        return next(iter(self._newest(1, edits.c.target == target)), None)

    def newest(self, limit: int = 50) -> list[QueuedEdit]:
        """Return the last edits with what became of them, newest first."""
        return self._newest(limit)

    def amend(self, identity: int, state: EditState, outcome: str) -> None:
        """Say, in the transaction that has settled an edit, that it came to something else."""
        changed = update(edits).where(edits.c.id == identity, edits.c.book == self._book)
        self._connection.execute(changed.values(state=state.value, outcome=outcome))

    def settle(self, identity: int, state: EditState, outcome: str = "") -> bool:
        """Say what became of an edit; False if it waits no more."""
        changed = self._connection.execute(
            update(edits)
            .where(edits.c.id == identity, edits.c.book == self._book, _IS_WAITING)
            .values(state=state.value, outcome=outcome, settled_at=database_now())
        )
        return bool(changed.rowcount)

    def _newest(self, limit: int, *conditions: ColumnElement[bool]) -> list[QueuedEdit]:
        query = select(edits).where(edits.c.book == self._book, *conditions).order_by(edits.c.id.desc()).limit(limit)
        return [_edit(row) for row in self._connection.execute(query)]


def _edit(row: Row[Any]) -> QueuedEdit:
    return QueuedEdit.model_validate(row._asdict() | {"edit": json.loads(row.body)})
