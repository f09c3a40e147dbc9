"""What the author of a book that is there already says anew in its brief, and gates that are added or taken away.

Each gate is looked at against the tree before it is kept.
"""

from collections.abc import Callable, Sequence

from bookwright.app.access import at_rest
from bookwright.app.node_lookup import node_at
from bookwright.app.orders.briefs import changed_brief, given
from bookwright.app.records.edits import put_records, unknown_records
from bookwright.flows.revision.edits import change_brief
from bookwright.models.book import Book
from bookwright.models.brief import Brief
from bookwright.models.errors import InvalidInput
from bookwright.models.gate import PHASES
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.models.tree.unit_rule import Spot, UnitRule
from bookwright.storage.stores import BookStorage, Stores

_CHANGEABLE = (
    "pen_name", "contact", "prompt_language", "profile", "max_unit_length", "max_planning_rounds", "budget",
    "candidates", "candidates_for", "gates", "unattended", "webhook", "default_visibility", "forbidden_keywords",
)  # fmt: skip
"""What a brief may say anew without meaning another book; the models too."""


def update_brief(book: Book, brief: Brief, storage: BookStorage, tell: Callable[[str], None]) -> Book:
    """Store a new version of a known book's brief where the author now names other models, caps and so on.

    `tell` hears what was changed.

    Raises:
        BookHeld: A worker writes it; nothing was changed.
    """
    named = given(brief)
    wanted = changed_brief(book.brief, {key: named[key] for key in _CHANGEABLE if key in named})
    if "models" in named:
        wanted = wanted.changed(models=brief.models)  # as a whole: a role that is no longer named has no model
    _add_new_records(book, brief, storage, tell)
    if wanted == book.brief:
        return book
    with at_rest(storage) as stores:
        changed = change_brief(wanted, book, stores)
    tell(f"the brief of {book.id} is now version {changed.brief_version}")
    return changed


def _add_new_records(book: Book, brief: Brief, storage: BookStorage, tell: Callable[[str], None]) -> None:
    """Put secrets and threads into a known book's codex that it never had; those that it has stay as they are."""
    with storage.read() as stores:
        news = unknown_records((*brief.secrets, *brief.foreshadowing), stores.codex)
    if not news:
        return
    with at_rest(storage) as stores:
        put_records(news, stores)
    tell(f"new in the codex of {book.id}: {', '.join(record.id for record in news)}")


def with_gates(brief: Brief, added: Sequence[str], removed: Sequence[str], stores: Stores) -> tuple[Brief, list[str]]:
    """Return a brief with more gates, or fewer, and which of the new ones stand where nothing is yet.

    Raises:
        InvalidBrief: One is neither a phase nor a rule for units.
        InvalidInput: One could never open, or one that is to go is not there.
    """
    wanted = brief.changed(gates=[*brief.gates, *added])
    gone = brief.changed(gates=list(removed)).gates
    for gate in gone:
        if gate not in wanted.gates:
            raise InvalidInput(f"the brief has no gate {gate!r}; it has {', '.join(brief.gates) or 'none'}")
    new = [gate for gate in wanted.gates if gate not in brief.gates]
    ahead = [gate for gate in new if gate not in PHASES and _is_ahead(UnitRule.parse(gate), stores)]
    return wanted.changed(gates=[gate for gate in wanted.gates if gate not in gone]), ahead


def _is_ahead(rule: UnitRule, stores: Stores) -> bool:
    """True if the unit that a rule names is still to come.

    Raises:
        InvalidInput: It is there and closed, or is no unit.
    """
    unit = _found(rule.spot, stores) if rule.spot is not None else None
    if unit is None:
        return rule.spot is not None
    if not unit.is_unit:
        raise InvalidInput(f"{unit.name} is a task of the planning; gates of this kind stand behind units")
    if unit.status is NodeStatus.DONE:
        raise InvalidInput(f"{unit.name} is closed already, so a gate {rule.words!r} would never open")
    return False


def _found(spot: Spot, stores: Stores) -> TaskNode | None:
    """Return the node that a rule names; None while there is none."""
    label = spot.label
    if spot.chapter:
        chapters = stores.codex.reading_order().chapters
        label = chapters[spot.chapter - 1] if spot.chapter <= len(chapters) else ""
    if label:
        return node_at(label, stores)
    parts = stores.nodes.children(stores.nodes.root().key) if spot.part else []
    return next((part for part in parts if part.is_unit and part.unit_index == spot.part), None)
