"""Books of which the author has said nothing but the order: how they are told instead of planned.

A plan in many steps takes more from a book that one writer can hold in view than it gives it, as blind readers found
(docs/prose). A story of one sitting is told from its order alone; a book of several chapters, as long as it needs no
acts, is told from one plain plan, by a writer who has the plan and every page so far in view. What the author adds to
it later is heard as in any other book.
"""

from bookwright.flows.activities.unit_facts import is_one_sitting, is_short_enough, max_unit_length
from bookwright.flows.blueprints.unit_plans import child_level_of
from bookwright.flows.deps import Deps
from bookwright.models.document import Document, DocumentKind
from bookwright.models.gate import GateKind
from bookwright.models.profile import ProfileName
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import TaskNode

MOST_CHAPTERS = 24
"""Chapters that a book which is told whole may have: so many fit in one plan."""

_TOKENS = 2
"""How many a word or a character has at most, with what stands beside the pages."""


def is_free(unit: TaskNode, deps: Deps) -> bool:
    """True for a book of one piece that is told from its order alone.

    Told by the tree, so that it stays so: what the codex learns of it while it is written is the story's own.
    """
    if deps.blueprint is not None or unit.is_brought_in or not is_one_sitting(unit, deps):
        return False
    if _has_tasks(unit, deps) or _is_design_asked(deps):
        return False
    return bool(unit.written or unit.revision > 1) or _is_order_all(unit, deps)


def is_told_whole(unit: TaskNode, deps: Deps) -> bool:
    """True for a book of several chapters that is told from one plain plan, and for all its units.

    A book that was planned has design tasks from its first round on; one that is told whole has none.
    """
    if deps.profile.name is ProfileName.SMALL or deps.makes_designs or deps.blueprint is not None:
        return False
    book = deps.storage.above(unit)[-1] if unit.parent is not None else unit
    if deps.brief.max_planning_rounds or book.revision > 1 or is_short_enough(book, deps):
        return False
    if not _has_chapters(book, deps) or _has_tasks(book, deps):
        return False
    if book.planning_round:
        return True
    length = book.length or 1
    fits = length * _TOKENS <= deps.profile.reading_room and length <= MOST_CHAPTERS * max_unit_length(deps)
    return fits and not _is_design_asked(deps) and _is_order_all(book, deps)


def is_told(unit: TaskNode, deps: Deps) -> bool:
    """True for a unit that is told without a plan, a brief or a design of its own."""
    return is_free(unit, deps) or is_told_whole(unit, deps)


def pages_before(unit: TaskNode, deps: Deps) -> list[Document]:
    """Return all pages before a chapter of a book that is told whole, in reading order."""
    with deps.stores() as stores:
        before = [own.key for own in stores.nodes.units_before(unit, MOST_CHAPTERS)]
        pages = stores.documents.of_nodes(before, DocumentKind.PROSE)
    return sorted(pages, key=lambda page: before.index(page.node))


def _has_chapters(book: TaskNode, deps: Deps) -> bool:
    """True where length alone divides a book, into chapters or into scenes that may as well be chapters.

    From 60,000 words or characters on it is divided into acts. An author who says how long a unit may be wants scenes
    of that length.
    """
    if book.child_level is not None:
        return False
    level = child_level_of(book, deps)
    return level is Level.CHAPTER or (level is Level.SCENE and deps.brief.max_unit_length is None)


def _has_tasks(book: TaskNode, deps: Deps) -> bool:
    """True for a book that was begun with a plan of the usual kind."""
    with deps.stores() as stores:
        return bool(stores.nodes.children(book.key, TaskType.DESIGN, TaskType.SEARCH))


def _is_design_asked(deps: Deps) -> bool:
    """True if the author wants to see a plan or a design before anything is written."""
    return bool({GateKind.OUTLINE, GateKind.BOOK_DESIGN} & set(deps.brief.gates))


def _is_order_all(book: TaskNode, deps: Deps) -> bool:
    """True if the author has given nothing but the order."""
    with deps.stores() as stores:
        has_outline = stores.documents.current(book.key, DocumentKind.OUTLINE, with_text=False) is not None
        codex = stores.codex
        return not (has_outline or codex.entries() or codex.secrets() or codex.threads())
