"""Makes the guard of one unit, and gathers what is public there.

Source: DESIGN section 10, items 0 and 2.
"""

from collections.abc import Callable

from bookwright.agents.relay.history.codex_then import CodexReader
from bookwright.agents.relay.secrets.guard import Guard
from bookwright.agents.relay.secrets.holders import Holders
from bookwright.agents.relay.secrets.kept import kept_at
from bookwright.agents.relay.secrets.matching import Withholding
from bookwright.agents.relay.secrets.public import NOTHING_PUBLIC, Public, bound_in, named_by, order_of
from bookwright.models.brief import Brief
from bookwright.models.document import Document, DocumentKind
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import TaskNode
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
    return guard_of(codex, unit.label, lambda: public_at(stores, brief, unit), Holders.of(codex))


def guard_of(codex: CodexReader, at: str, public: Callable[[], Public], holders: Holders | None = None) -> Guard:
    """Return the guard that a codex makes at the unit `at`; what is public is asked where anything is withheld."""
    withheld = Withholding.of(kept_at(codex, at))
    has_any = bool(withheld.texts or withheld.words)
    return Guard(withheld, public() if has_any else NOTHING_PUBLIC, holders)


def public_at(stores: Stores, brief: Brief, unit: TaskNode, document: int | None = None) -> Public:
    """Return what is public where a unit begins, or was when one of its documents was stored."""
    keys = [before.key for before in stores.nodes.units_before(unit, _REMEMBERED)]
    prose = (
        stores.documents.of_nodes(keys, DocumentKind.PROSE)
        if document is None
        else stores.documents.as_of(keys, DocumentKind.PROSE, document)
    )
    running = stores.documents.latest(DocumentKind.BOOK_DESIGN)
    return Public(
        printed=tuple(found.text for found in prose),
        order=(*order_of(brief), *(gate.note for gate in stores.gates.all() if gate.note)),
        named=named_by(brief),
        bound=bound_in(running.text) if running else (),
        designs=tuple(design.text for design in _designs(stores)),
    )


def _designs(stores: Stores) -> list[Document]:
    """The designs of the whole book, which name whoever is in it."""
    tasks = stores.nodes.children(stores.nodes.root().key, TaskType.DESIGN)
    return stores.documents.of_nodes([task.key for task in tasks], DocumentKind.DESIGN)
