"""Makes the guard of one unit: what is withheld from its writer, and what is public by then.

Source: DESIGN section 10, items 0 and 2.
"""

from collections.abc import Iterable

from bookwright.agents.relay.guard import Guard, Withholding
from bookwright.agents.relay.pieces import Piece, is_unknown, other_pieces, pieces_of
from bookwright.models.brief import Brief
from bookwright.models.codex import Visibility, folded
from bookwright.models.document import DocumentKind
from bookwright.models.sight import SeenEntry
from bookwright.models.task import TaskNode
from bookwright.storage.outline import OutlineReader
from bookwright.storage.stores import Stores

_REMEMBERED = 24
"""Units before this one whose prose counts as read; what was said earlier and not since may be kept back again."""


def guard_at(stores: Stores, brief: Brief, unit: TaskNode) -> Guard:
    """Return the guard of a unit's prompts.

    The same book gives the same guard, also after a restart.
    """
    codex = stores.codex
    secrets, threads, entries = codex.secrets(), codex.threads(), codex.entries()
    if not (secrets or threads or entries):
        return Guard.idle()
    reading, seen = codex.reading_order(), codex.seen_at(unit.label)
    sections = [(entry, pieces_of(entry)) for entry in seen]
    pieces = [
        *other_pieces(secrets, threads, unit.label, reading),
        *(piece for _, own in sections for piece in own),
    ]
    unknown = [entry for entry, own in sections if is_unknown(entry, own)]
    withheld = _withheld(pieces, unknown)
    if not (withheld.texts or withheld.words):
        return Guard(withheld)
    return Guard(withheld, _read(stores, brief, unit), [*_told(brief, pieces), *_names(sections, unknown, pieces)])


def _withheld(pieces: Iterable[Piece], unknown: Iterable[SeenEntry]) -> Withholding:
    kept = [piece for piece in pieces if piece.level < Visibility.KNOW]
    words = [word for piece in kept for word in piece.forbidden]
    names = [name for entry in unknown for name in entry.entry.names]
    return Withholding(tuple(piece.text for piece in kept if piece.text), tuple(dict.fromkeys([*words, *names])))


def _names(
    sections: Iterable[tuple[SeenEntry, list[Piece]]], unknown: Iterable[SeenEntry], pieces: Iterable[Piece]
) -> list[str]:
    """What everybody may be called by: a person's name in a secret about them is none."""
    hidden = {folded(name) for entry in unknown for name in (entry.entry.id, *entry.entry.names)}
    shown = [name for entry, _ in sections for name in entry.entry.names]
    about = [piece.about for piece in pieces if piece.about]
    return [name for name in dict.fromkeys([*shown, *about]) if folded(name) not in hidden]


def _read(stores: Stores, brief: Brief, unit: TaskNode) -> list[str]:
    leaves = OutlineReader(stores.connection, unit.book).leaves_before(unit, _REMEMBERED, with_own=False)
    prose = stores.documents.of_nodes([leaf.key for leaf in leaves], DocumentKind.PROSE)
    return [brief.title, *(document.text for document in prose)]


def _told(brief: Brief, pieces: Iterable[Piece]) -> list[str]:
    """What anybody may know: the order for the book, what is not withheld, and what may be said of what is."""
    order = (brief.premise, brief.genre, brief.style, brief.audience)
    known = [piece.text for piece in pieces if piece.level >= Visibility.KNOW]
    allowed = [expression for piece in pieces for expression in piece.allowed]
    return [text for text in (*order, *known, *allowed) if text]
