"""The comments of one book."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Row, insert, select, update

from bookwright.models.edit import Anchor, Comment, CommentState
from bookwright.models.errors import EntryNotFound
from bookwright.storage.engine.database import database_now
from bookwright.storage.repositories.base import Repository
from bookwright.storage.tables import comments, nodes

_ALL = select(comments, nodes.c.label).join(nodes, nodes.c.key == comments.c.node)


class CommentRepository(Repository):
    """The comments of one book in one transaction."""

    def add(self, node: int, anchor: Anchor, words: str) -> int:
        """Keep a comment at a node's text; return its number."""
        values = anchor.model_dump() | {
            "book": self._book, "node": node, "words": words, "state": CommentState.OPEN.value,
            "created_at": database_now(),
        }  # fmt: skip
        return int(self._connection.execute(insert(comments).values(values).returning(comments.c.id)).scalar_one())

    def of_nodes(self, keys: Sequence[int]) -> list[Comment]:
        """Return what is not done yet of the comments at some nodes, in order of their coming."""
        return self._undone(comments.c.node.in_(keys))

    def open(self) -> list[Comment]:
        """Return all comments of the book that are not done yet, in order of their coming."""
        return self._undone()

    def get(self, identity: int) -> Comment:
        """Return a comment.

        Raises:
            EntryNotFound: There is none of that number.
        """
        query = _ALL.where(comments.c.book == self._book, comments.c.id == identity)
        row = self._connection.execute(query).one_or_none()
        if row is None:
            raise EntryNotFound("There is no such comment.")
        return _comment(row)

    def settle(self, identity: int, state: CommentState, seen: int = 0) -> None:
        """Say what became of a comment."""
        changed = update(comments).where(comments.c.book == self._book, comments.c.id == identity)
        self._connection.execute(changed.values(state=state.value, seen=seen))

    def _undone(self, *conditions: ColumnElement[bool]) -> list[Comment]:
        query = _ALL.where(comments.c.book == self._book, comments.c.state != CommentState.DONE.value, *conditions)
        return [_comment(row) for row in self._connection.execute(query.order_by(comments.c.id))]


def _comment(row: Row[Any]) -> Comment:
    values = row._asdict()
    return Comment.model_validate(values | {"anchor": values})
