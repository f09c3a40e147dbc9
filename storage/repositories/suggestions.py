"""What an extraction would change of the codex and may not: kept until the author takes or drops it."""

import json
from typing import Any

from sqlalchemy import Row, bindparam, insert, select, update

from bookwright.models.codex.record import FieldSuggestion, RecordKind, Suggestion, SuggestionStatus
from bookwright.models.errors import EntryNotFound
from bookwright.storage.engine.database import database_now
from bookwright.storage.repositories import Repository
from bookwright.storage.tables import codex_suggestions as suggestions

_OF_BOOK = suggestions.c.book == bindparam("book")
_ONE = select(suggestions).where(_OF_BOOK, suggestions.c.id == bindparam("id"))
_OPEN = select(suggestions).where(_OF_BOOK, suggestions.c.status == SuggestionStatus.OPEN.value)
_SAME = select(suggestions.c.id).where(
    _OF_BOOK, suggestions.c.kind == bindparam("kind"), suggestions.c.slug == bindparam("slug"),
    suggestions.c.path == bindparam("path"), suggestions.c.wanted == bindparam("wanted"),
    suggestions.c.status != SuggestionStatus.TAKEN.value,
)  # fmt: skip


class SuggestionRepository(Repository):
    """The suggestions of one book in one transaction."""

    def add(
        self, kind: RecordKind, slug: str, version: int, wish: FieldSuggestion, document: int | None, step: int | None
    ) -> None:
        """Keep a wish, unless the same one waits already or was dropped before."""
        wanted = json.dumps(wish.wanted, ensure_ascii=False, sort_keys=True)
        same = {"book": self._book, "kind": kind.value, "slug": slug, "path": wish.path, "wanted": wanted}
        if self._connection.execute(_SAME, same).first() is not None:
            return
        present = json.dumps(wish.present, ensure_ascii=False, sort_keys=True)
        rest = {"version": version, "present": present, "document": document, "step": step}
        status = {"status": SuggestionStatus.OPEN.value, "recorded_at": database_now()}
        self._connection.execute(insert(suggestions).values(same | rest | status))

    def waiting(self, kind: RecordKind, slug: str | None = None) -> list[Suggestion]:
        """Return what waits for the author, oldest first."""
        query = _OPEN.where(suggestions.c.kind == kind.value).order_by(suggestions.c.id)
        if slug is not None:
            query = query.where(suggestions.c.slug == slug)
        return [_suggestion(row) for row in self._connection.execute(query, {"book": self._book})]

    def get(self, identity: int) -> Suggestion:
        """Return one that still waits; `EntryNotFound` is raised where none of that number does."""
        row = self._connection.execute(_ONE, {"book": self._book, "id": identity}).one_or_none()
        if row is None or row.status != SuggestionStatus.OPEN:
            raise EntryNotFound(f"no suggestion {identity} waits in book {self._book!r}")
        return _suggestion(row)

    def move(self, kind: RecordKind, slug: str, to: str) -> None:
        """Let what waits for one record wait for another, which has taken its place."""
        waiting = (suggestions.c.book == self._book, suggestions.c.kind == kind.value, suggestions.c.slug == slug)
        is_open = suggestions.c.status == SuggestionStatus.OPEN.value
        self._connection.execute(update(suggestions).where(*waiting, is_open).values(slug=to))

    def settle(self, identity: int, status: SuggestionStatus) -> None:
        """Say what became of one."""
        self._connection.execute(update(suggestions).where(suggestions.c.id == identity).values(status=status.value))


def _suggestion(row: Row[Any]) -> Suggestion:
    wish = {"present": json.loads(row.present), "wanted": json.loads(row.wanted)}
    return Suggestion.model_validate(row._asdict() | wish)
