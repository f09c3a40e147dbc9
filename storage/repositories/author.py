"""What a book's author says: comments on passages, and edits that wait while somebody writes the book."""

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Row, insert, select, update

from bookwright.models.edit import (
    Anchor,
    AuthorEdit,
    Comment,
    CommentState,
    EditState,
    NoteEdit,
    QueuedEdit,
    RecordEdit,
    TextEdit,
)
from bookwright.models.errors import EntryNotFound
from bookwright.storage.engine.database import database_now
from bookwright.storage.repositories import Repository
from bookwright.storage.tables import comments, edits, nodes

_ALL = select(comments, nodes.c.label).join(nodes, nodes.c.key == comments.c.node)


class CommentRepository(Repository):
    """The comments of one book in one transaction; `EntryNotFound` is raised for a number that it has not."""

    def add(self, node: int, anchor: Anchor, words: str) -> int:
        """Keep a comment at a node's text; return its number."""
        values = anchor.model_dump() | {
            "book": self._book, "node": node, "words": words, "state": CommentState.OPEN.value,
            "created_at": database_now(),
        }  # fmt: skip
        return int(self._connection.execute(insert(comments).values(values).returning(comments.c.id)).scalar_one())

    def of_nodes(self, keys: Sequence[int]) -> list[Comment]:
        """Return what is not done yet of the comments at some nodes, in order of their coming."""
        return self.open(comments.c.node.in_(keys))

    def open(self, *conditions: ColumnElement[bool]) -> list[Comment]:
        """Return the comments that are not done yet, all or those that meet conditions, in order of their coming."""
        query = _ALL.where(comments.c.book == self._book, comments.c.state != CommentState.DONE.value, *conditions)
        return [_comment(row) for row in self._connection.execute(query.order_by(comments.c.id))]

    def get(self, identity: int) -> Comment:
        """Return a comment."""
        query = _ALL.where(comments.c.book == self._book, comments.c.id == identity)
        row = self._connection.execute(query).one_or_none()
        if row is None:
            raise EntryNotFound("There is no such comment.")
        return _comment(row)

    def settle(self, identity: int, state: CommentState, seen: int = 0) -> None:
        """Say what became of a comment."""
        changed = update(comments).where(comments.c.book == self._book, comments.c.id == identity)
        self._connection.execute(changed.values(state=state.value, seen=seen))


def _comment(row: Row[Any]) -> Comment:
    values = row._asdict()
    return Comment.model_validate(values | {"anchor": values})


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
        return next(iter(self.newest(1, edits.c.target == target, _IS_WAITING)), None)

    def latest_for(self, target: str) -> QueuedEdit | None:
        """Return the newest edit of something, whatever became of it."""
        return next(iter(self.newest(1, edits.c.target == target)), None)

    def newest(self, limit: int = 50, *conditions: ColumnElement[bool]) -> list[QueuedEdit]:
        """Return the last edits, all or those that meet conditions, with what became of them, newest first."""
        query = select(edits).where(edits.c.book == self._book, *conditions).order_by(edits.c.id.desc()).limit(limit)
        return [_edit(row) for row in self._connection.execute(query)]

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


def _edit(row: Row[Any]) -> QueuedEdit:
    return QueuedEdit.model_validate(row._asdict() | {"edit": json.loads(row.body)})
