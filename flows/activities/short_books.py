"""Short books of which the author has said nothing but the order: how they are told instead of planned.

A plan in many steps costs so short a book more than it gives, as blind readers found (docs/prose). A story of one
sitting is told from its order alone; a short book of several chapters is told from one plain plan, by a writer who has
the plan and every page so far in view. What the author adds to it later is heard as in any other book.
"""

from bookwright.agents.readers import FREE_DRAFT, PLOT
from bookwright.flows.activities.surroundings import child_level_of, depth_at, is_one_sitting, is_short_enough
from bookwright.flows.deps import Deps
from bookwright.models.document import DocumentKind
from bookwright.models.gate import GateKind
from bookwright.models.profile import ProfileName
from bookwright.models.step import Activity
from bookwright.models.tree.depth import Depth
from bookwright.models.tree.level import Level
from bookwright.models.tree.task import TaskNode

_TOKENS = 2
"""How many a word or a character has at most, with what stands beside the pages."""


def is_free(unit: TaskNode, deps: Deps) -> bool:
    """True for a book of one piece that is told from its order alone."""
    if not is_one_sitting(unit, deps):
        return False
    if deps.blueprint is not None or deps.desk.is_done(Activity.WRITE, unit, "plan"):
        return False
    if deps.desk.is_done(Activity.WRITE, unit, FREE_DRAFT.name):
        return True
    if _is_begun(unit, deps) or _is_design_asked(deps):
        return False
    return unit.revision > 1 or _is_order_all(unit, deps)  # what the codex has learned since is the story's own


def is_told_whole(unit: TaskNode, deps: Deps) -> bool:
    """True for a short book of several chapters that is told from one plain plan, and for all its units."""
    if deps.profile.name is ProfileName.SMALL or deps.makes_designs:
        return False
    book = deps.storage.above(unit)[-1] if unit.parent is not None else unit
    if depth_at(book, deps) is Depth.FULL or deps.blueprint is not None or book.revision > 1:
        return False
    if deps.desk.is_done(Activity.PLAN, book, PLOT.name, 1):
        return True
    if book.planning_round or is_short_enough(book, deps) or child_level_of(book, deps) is not Level.CHAPTER:
        return False
    has_room = (book.length or 1) * _TOKENS <= deps.profile.reading_room
    return has_room and not (_is_begun(book, deps) or _is_design_asked(deps)) and _is_order_all(book, deps)


def is_told(unit: TaskNode, deps: Deps) -> bool:
    """True for a unit that is told without a plan, a brief or a design of its own."""
    return is_free(unit, deps) or is_told_whole(unit, deps)


def _is_begun(book: TaskNode, deps: Deps) -> bool:
    """True for a book that was begun with a plan of the usual kind."""
    with deps.stores() as stores:
        return bool(stores.nodes.children(book.key))


def _is_design_asked(deps: Deps) -> bool:
    """True if the author wants to see a plan or a design before anything is written."""
    return bool({GateKind.OUTLINE, GateKind.BOOK_DESIGN} & set(deps.brief.gates))


def _is_order_all(book: TaskNode, deps: Deps) -> bool:
    """True if the author has given nothing but the order."""
    with deps.stores() as stores:
        has_outline = stores.documents.current(book.key, DocumentKind.OUTLINE, with_text=False) is not None
        codex = stores.codex
        return not (has_outline or codex.entries() or codex.secrets() or codex.threads())
