"""The queue of edits of one book: what its author wants changed while somebody writes it."""

from typing import Any

from sqlalchemy import Row, insert, select, update

from bookwright.models.edit import AuthorEdit, EditState, NoteEdit, QueuedEdit, RecordEdit, TextEdit
from bookwright.storage.engine.database import database_now
from bookwright.storage.repositories.base import Repository
from bookwright.storage.tables import edits

_FIRST = select(edits).where(edits.c.state == EditState.WAITING.value).order_by(edits.c.id)


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
        return [_edit(row) for row in self._connection.execute(_FIRST.where(edits.c.book == self._book))]

    def waiting_for(self, target: str) -> QueuedEdit | None:
        """Return the newest edit of something that waits."""
        query = _FIRST.where(edits.c.book == self._book, edits.c.target == target).order_by(None)
        row = self._connection.execute(query.order_by(edits.c.id.desc()).limit(1)).one_or_none()
        return _edit(row) if row else None

    def latest_for(self, target: str) -> QueuedEdit | None:
        """Return the newest edit of something, whatever became of it."""
        query = select(edits).where(edits.c.book == self._book, edits.c.target == target)
        row = self._connection.execute(query.order_by(edits.c.id.desc()).limit(1)).one_or_none()
        return _edit(row) if row else None

    def newest(self, limit: int = 50) -> list[QueuedEdit]:
        """Return the last edits with what became of them, newest first."""
        query = select(edits).where(edits.c.book == self._book).order_by(edits.c.id.desc()).limit(limit)
        return [_edit(row) for row in self._connection.execute(query)]

    def amend(self, identity: int, state: EditState, outcome: str) -> None:
        """Say, in the transaction that has settled an edit, that it came to something else."""
        changed = update(edits).where(edits.c.id == identity, edits.c.book == self._book)
        self._connection.execute(changed.values(state=state.value, outcome=outcome))

    def settle(self, identity: int, state: EditState, outcome: str = "") -> bool:
        """Say what became of an edit; False if it waits no more."""
        changed = self._connection.execute(
            update(edits)
            .where(edits.c.id == identity, edits.c.book == self._book, edits.c.state == EditState.WAITING.value)
            .values(state=state.value, outcome=outcome, settled_at=database_now())
        )
        return bool(changed.rowcount)


def _edit(row: Row[Any]) -> QueuedEdit:
    names = ("id", "state", "outcome", "created_at", "settled_at")
    body = QueuedEdit.model_validate_json(f'{{"id": 0, "state": "waiting", "created_at": 0, "edit": {row.body}}}').edit
    return QueuedEdit(edit=body, **{name: row._mapping[name] for name in names})
