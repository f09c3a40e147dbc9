"""Takes out of the codex what only the prose of one unit told, once that prose has been replaced."""

from collections.abc import Collection

from sqlalchemy import Select, bindparam, delete, or_, select

from bookwright.models.codex.record import Origin, RecordKind, SuggestionStatus
from bookwright.models.codex.taking_back import without_told
from bookwright.models.document import DocumentKind
from bookwright.models.tree.task import TaskNode
from bookwright.storage.engine.prepared import Prepared
from bookwright.storage.stores import Stores
from bookwright.storage.tables import IS_CURRENT, IS_LIVING, codex, codex_suggestions, documents, nodes

_PROSE: Select[tuple[int]] = (
    select(documents.c.id)
    .join(nodes, nodes.c.key == documents.c.node)
    .where(
        documents.c.book == bindparam("book"), documents.c.kind == DocumentKind.PROSE.value,
        or_(nodes.c.label == bindparam("label"), nodes.c.label.like(bindparam("below"))),
    )
)  # fmt: skip
"""All prose of a unit and of what is below it, of replaced nodes too."""
_DRAWN = select(codex.c.slug, codex.c.document).where(
    codex.c.book == bindparam("book"), codex.c.kind == RecordKind.ENTRY.value, codex.c.document.in_(_PROSE)
)
_STANDING = _PROSE.where(IS_CURRENT, IS_LIVING)
_REPLACED = Prepared(_DRAWN.where(codex.c.document.not_in(_STANDING)))
_ALL_DRAWN = Prepared(_DRAWN)
_WITHDRAW = delete(codex_suggestions).where(
    codex_suggestions.c.book == bindparam("book"), codex_suggestions.c.document.in_(bindparam("told", expanding=True)),
    codex_suggestions.c.status == SuggestionStatus.OPEN.value,
)  # fmt: skip


def take_back(stores: Stores, unit: TaskNode, step: int | None, *, only_replaced: bool = False) -> list[str]:
    """Take out of the codex what only the prose of a unit told; what it suggested and still waits goes, too.

    Each record gets a new version, or is removed if nobody else told of it; the ids of those come back.
    `only_replaced` leaves what the prose told that stands there now.
    """
    drawn = (_REPLACED if only_replaced else _ALL_DRAWN).execute(stores.connection, _place(unit))
    if not drawn:
        return []
    told = {row.document for row in drawn}
    stores.connection.execute(_WITHDRAW, {"book": unit.book, "told": list(told)})
    return [slug for slug in sorted({row.slug for row in drawn}) if _is_changed(stores, slug, told, step)]


def rests_on_replaced_prose(stores: Stores, unit: TaskNode) -> bool:
    """Whether the codex rests on prose of a unit that stands no more."""
    return _REPLACED.execute(stores.connection, _place(unit)).first() is not None


def _place(unit: TaskNode) -> dict[str, str]:
    return {"book": unit.book, "label": unit.label, "below": f"{unit.label}.%"}


def _is_changed(stores: Stores, slug: str, told: Collection[int], step: int | None) -> bool:
    history = stores.codex.history(RecordKind.ENTRY, slug)
    newest = history[-1]
    if newest.is_removed or newest.record.id != slug:
        return False
    left = without_told(history, told)
    if left is None:
        stores.codex.remove(RecordKind.ENTRY, slug, newest.version, Origin.PROSE)
    elif left != newest.record:
        stores.codex.edit(left, newest.version, Origin.PROSE, step=step)
    return left != newest.record
