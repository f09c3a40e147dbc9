"""Makes the guard of one unit: what is withheld from its writer, and what is public by then.

Source: DESIGN section 10, items 0 and 2.
"""

from collections.abc import Callable, Iterable

from bookwright.agents.relay.codex_then import CodexReader
from bookwright.agents.relay.guard import Guard, Withholding
from bookwright.agents.relay.holders import Holders
from bookwright.agents.relay.pieces import Piece, is_unknown, other_pieces, pieces_of
from bookwright.models.brief import Brief
from bookwright.models.codex import Visibility, folded
from bookwright.models.document import DocumentKind
from bookwright.models.plan import TaskType
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
    if not (codex.secrets() or codex.threads() or codex.entries()):
        return Guard.idle()
    return guard_of(
        codex, unit.label, brief, lambda: _read(stores, brief, unit), Holders.of(codex), lambda: designed_in(stores)
    )


def guard_of(
    codex: CodexReader, at: str, brief: Brief, read: Callable[[], list[str]], holders: Holders | None = None,
    designed: Callable[[], list[str]] = list,
) -> Guard:  # fmt: skip
    """Return the guard that a codex makes at the unit `at`.

    `read` says what readers have read by then, and `designed` how the book is designed, if asked.
    """
    sections = [(entry, pieces_of(entry)) for entry in codex.seen_at(at)]
    pieces = [
        *other_pieces(codex.secrets(), codex.threads(), at, codex.reading_order()),
        *(piece for _, own in sections for piece in own),
    ]
    unknown = [entry for entry, own in sections if is_unknown(entry, own)]
    withheld = _withheld(pieces, unknown)
    if not (withheld.texts or withheld.words):
        return Guard(withheld, holders=holders)
    told = [*_told(brief, pieces), *_names(sections, unknown, pieces)]
    return Guard(withheld, read(), told, holders, designed())


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


def read_by_then(stores: Stores, brief: Brief, unit: TaskNode, document: int) -> list[str]:
    """Return what readers had read where a unit begins, when one of its documents was stored."""
    prose = stores.documents.as_of(_leaves_before(stores, unit), DocumentKind.PROSE, document)
    return [brief.title, *(found.text for found in prose)]


def _read(stores: Stores, brief: Brief, unit: TaskNode) -> list[str]:
    prose = stores.documents.of_nodes(_leaves_before(stores, unit), DocumentKind.PROSE)
    return [brief.title, *(document.text for document in prose)]


def _leaves_before(stores: Stores, unit: TaskNode) -> list[int]:
    leaves = OutlineReader(stores.connection, unit.book).leaves_before(unit, _REMEMBERED, with_own=False)
    return [leaf.key for leaf in leaves]


def designed_in(stores: Stores) -> list[str]:
    """Return the designs of the whole book, which name whoever is in it."""
    tasks = stores.nodes.children(stores.nodes.root().key, TaskType.DESIGN)
    return [document.text for document in stores.documents.of_nodes([task.key for task in tasks], DocumentKind.DESIGN)]


def _told(brief: Brief, pieces: Iterable[Piece]) -> list[str]:
    """What anybody may know: the order for the book, what is not withheld, and what may be said of what is."""
    order = (brief.premise, brief.genre, brief.style, brief.audience)
    known = [piece.text for piece in pieces if piece.level >= Visibility.KNOW]
    allowed = [expression for piece in pieces for expression in piece.allowed]
    return [text for text in (*order, *known, *allowed) if text]
