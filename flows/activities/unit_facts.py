"""Facts about a unit's place in its book that several activities need: levels, lengths, profile, orders."""

from dataclasses import replace

from bookwright.agents.cards import element_allowance, make_card
from bookwright.agents.relay.secrets.guard import Guard, public_at
from bookwright.agents.relay.secrets.kept import Kept, kept_at
from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.flows.blueprints.unit_plans import ChildLengths, child_lengths, child_level_of, counted_child
from bookwright.flows.deps import Deps
from bookwright.models.document import Document, DocumentKind
from bookwright.models.profile import Profile, ProfileName
from bookwright.models.step import Activity
from bookwright.models.text.length import MENDED, TOLERANCE, LengthRange, range_of, range_of_last
from bookwright.models.tree.decision import Decision
from bookwright.models.tree.depth import Depth, depth_under, in_words
from bookwright.models.tree.level import Level
from bookwright.models.tree.place import hierarchical_position
from bookwright.models.tree.task import TaskNode
from bookwright.prompts.card import Card

_DESIGN_SHARE = {Level.BOOK: 0.02, Level.VOLUME: 0.02, Level.ACT: 0.03}
_DESIGN_WORDS = (60, 1_200)
_FEW_TASKS, _FINE_TASKS = 2, 3
"""Tasks of a short unit's only round: fewer and larger ones; a book of one sitting has a single one outside fine."""
_SITTING_SHARE = 0.6
CHARACTERS_A_WORD = 1.6
"""Of documents about a book; a book itself takes a little more."""


def unit_of(node: TaskNode, deps: Deps) -> TaskNode:
    """Return the unit that a task serves, or the node itself if it is one."""
    return node if node.unit is None else deps.storage.node(node.unit)


def max_unit_length(deps: Deps) -> int:
    """How long a unit may be to be written at once: the brief's word, or the profile's."""
    return deps.brief.max_unit_length or deps.profile.max_unit_length


def depth_at(unit: TaskNode, deps: Deps) -> Depth:
    """How much process a unit bears; an author who names planning rounds has all of it, however short the unit is."""
    return depth_under(deps.brief, unit.length)


def profile_at(unit: TaskNode, deps: Deps) -> Profile:
    """The book's profile as far as a unit bears it: what is short is planned once, in few large tasks."""
    profile = deps.profile
    if profile.is_small or depth_at(unit, deps) is Depth.FULL:
        return profile
    is_fine = profile.name is ProfileName.FINE
    few = _FINE_TASKS if is_fine else 1 if is_one_sitting(unit, deps) else _FEW_TASKS
    return profile.model_copy(
        update={
            "max_planning_rounds": 1,
            "max_tasks_per_round": min(profile.max_tasks_per_round, few),
            "designs_leaves": is_fine,
            "decomposes": False,
            "asks_decision": False,
        }
    )


def lengths_of_children(unit: TaskNode, deps: Deps) -> ChildLengths:
    """Return how long this unit's children are to be; those of a unit that has none are as long as itself."""
    level = child_level_of(unit, deps)
    return child_lengths(unit, level, max_unit_length(deps), deps) if level else ChildLengths(unit.length or 1, 0, 0)


def is_short_enough(unit: TaskNode, deps: Deps) -> bool:
    """True if the unit may be written at once: what its elders fell short by may put it a little over.

    One whose children the author or a blueprint has settled is divided, however short it is.
    """
    if unit.child_level is not None:
        return False
    return counted_child(unit, deps) is None and (unit.length or 0) <= _longest_piece(unit, deps) * (1 + TOLERANCE)


def _longest_piece(unit: TaskNode, deps: Deps) -> float:
    """How long a unit may be to be written at once; a whole story as long in characters as one in words would be."""
    most = max_unit_length(deps)
    is_story = unit.parent is None and depth_at(unit, deps) is not Depth.FULL
    if is_story and deps.brief.max_unit_length is None and not deps.profile.is_small:
        return most / in_words(1, counts_words=deps.brief.length_unit == "words")
    return most


def is_one_sitting(book: TaskNode, deps: Deps) -> bool:
    """True for a book that is planned as a short one and written in one piece."""
    return (
        book.parent is None
        and not deps.profile.is_small
        and not deps.makes_designs
        and depth_at(book, deps) is not Depth.FULL
        and book.decision is not Decision.DIVIDE_HIERARCHY
        and is_short_enough(book, deps)
    )


def rests_on_designs(book: TaskNode, deps: Deps) -> bool:
    """True for a book of one sitting that was written from its designs, and not from the order alone."""
    return is_one_sitting(book, deps) and bool(designs_told_in(book, deps))


def designs_told_in(unit: TaskNode, deps: Deps) -> list[Document]:
    """Return the designs of a unit that its prose was made from; all of them where it has no prose of its own."""
    with deps.stores() as stores:
        tasks = stores.nodes.design_tasks(unit.key)
        designs = stores.documents.of_nodes([task.key for task in tasks], DocumentKind.DESIGN)
        prose = stores.documents.current(unit.key, DocumentKind.PROSE, with_text=False)
        told = set(stores.documents.inputs_of(prose.id)) if prose else {design.id for design in designs}
    return [design for design in designs if design.id in told]


def stands_for_chapter(unit: TaskNode, deps: Deps) -> bool:
    """True for a chapter, and for any finer or coarser unit in a chapter's place.

    In a short book that skips levels, what the sources tie to a chapter holds for the children
    of the book, or for the book that is written at once. Source: DESIGN section 4, "Levels".
    """
    if unit.level is Level.CHAPTER:
        return True
    if unit.level.is_at_least(Level.CHAPTER):
        with deps.stores() as stores:
            return not stores.nodes.child_units(unit.key)
    return unit.parent is not None and deps.storage.node(unit.parent).level.is_at_least(Level.ACT)


def design_allowance(unit: TaskNode, deps: Deps) -> int:
    """How long one design document of this unit may be, in the book's unit of length.

    A third of a very short text is shared by its round of designs; a large unit's designs stop
    growing with it. Source: CRAFT rule 9.
    """
    length = unit.length or 1
    if is_one_sitting(unit, deps):  # its designs are all that its writer has
        share = min(length / 9, 350)
    else:
        share = max(_DESIGN_SHARE.get(unit.level, 0.08) * length, min(length / 9, 250))
    return allowance(share, *_DESIGN_WORDS, deps)


def allowance(words: float, low: int, high: int, deps: Deps) -> int:
    """Return how long a document about the book may be: so many words within bounds, in the book's unit of length."""
    return round(min(max(words, low), high) * (1.0 if deps.brief.length_unit == "words" else CHARACTERS_A_WORD))


def unit_card(unit: TaskNode, deps: Deps, task: TaskNode | None = None) -> Card:
    """Return the card of an activity with everything that its unit's place decides."""
    above = deps.storage.above(unit)
    child = child_level_of(unit, deps)
    lengths = lengths_of_children(unit, deps)
    return make_card(
        deps.brief,
        unit,
        task,
        position=hierarchical_position(unit, above, deps.reading_order(), deps.brief.language),
        parent_level=above[0].level.value if above else "",
        child_level=child.value if child else "",
        is_first=(above[-1] if above else unit).written == 0,
        is_last=all(node.is_last for node in (unit, *above)),
        max_rounds=max_rounds(unit, deps),
        max_tasks=profile_at(unit, deps).max_tasks_per_round,
        open_points=unit.open_points,
        element_allowance=_elements(unit, deps),
        word_allowance=design_allowance(unit, deps),
        usual_child_length=lengths.usual,
        remaining_length=max(unit.remaining, 1),
        child_low=lengths.low,
        child_high=lengths.high,
        outline=unit.outline,
        spots=orders_for(unit, deps) if deps.profile.is_small else (),
    )


def begin_activity(
    activity: Activity,
    node: TaskNode,
    deps: Deps,
    role: str,
    card: Card | None = None,
    *,
    round_: int | None = None,
    next_activity: str = "",
    guard: Guard | None = None,
) -> ActivityRun:
    """Begin an activity of a unit or of a task, in whose round it is then; with its unit's card unless one is given.

    `role` is the one whose budget the activity's context has; the rest is as `ActivityRun` has it.
    """
    unit, task = unit_of(node, deps), None if node.is_unit else node
    card = card or unit_card(unit, deps, task)
    if round_ is None:
        round_ = task.planning_round if task else 0
    return ActivityRun(
        deps.desk, activity, node, unit, card, context=role, round_=round_, next_activity=next_activity, guard=guard
    )


def _elements(unit: TaskNode, deps: Deps) -> int:
    """How many new elements a unit can bear; a story of one sitting fewer, or it is spent on explaining them."""
    allowance = element_allowance(unit.length or 1, deps.brief.language)
    return max(round(allowance * _SITTING_SHARE), 2) if is_one_sitting(unit, deps) else allowance


def orders_for(unit: TaskNode, deps: Deps) -> tuple[str, ...]:
    """Return the notes under which an author has rejected a unit's plan, design or text."""
    if unit.revision == 1:
        return ()
    with deps.stores() as stores:
        return stores.gates.orders(unit)


def allowed_lengths(unit: TaskNode, is_last: bool, deps: Deps) -> LengthRange:
    """How short and how long a unit's text may be before it is mended; the book's last unit as its contract says."""
    target = unit.length or 1
    if not is_last:
        return range_of(target)
    unit = deps.fresh(unit)  # a step may have accepted a text of it by now
    root = (deps.storage.above(unit) or (unit,))[-1]
    return range_of_last(target, root.written - unit.written, deps.brief.length)


def wanted_lengths(unit: TaskNode, is_last: bool, deps: Deps, leeway: float = MENDED) -> LengthRange:
    """How short and how long whoever refines a unit's text is asked to make it; mending goes as far."""
    return range_of(unit.length or 1, leeway).within(allowed_lengths(unit, is_last, deps))


def is_off_length(text: str, unit: TaskNode, is_last: bool, deps: Deps) -> bool:
    """True if a text misses its unit's length by more than it may."""
    return not allowed_lengths(unit, is_last, deps).hold(deps.brief.language.measure(text))


def measured(card: Card, text: str, unit: TaskNode, deps: Deps, leeway: float = MENDED) -> Card:
    """The card of a step that writes a text anew, with the length that this one has and the one to be reached."""
    wanted = wanted_lengths(unit, card.is_last, deps, leeway)
    draft = deps.brief.language.measure(text)
    return replace(
        card, draft_length=draft, low_length=wanted.low, high_length=wanted.high, ask_length=unit.length or 1
    )


def prose_of(unit: TaskNode, deps: Deps) -> str:
    """Return all prose of a unit, its own or that of its parts in reading order."""
    with deps.stores() as stores:
        return stores.prose_of(unit)


def prose_parts(unit: TaskNode, deps: Deps) -> list[tuple[TaskNode, str]]:
    """Return the units that hold a unit's prose, each with its text, in reading order; itself if it has its own."""
    with deps.stores() as stores:
        return [(part, prose.text) for part, prose in stores.prose_below(unit)]


def kept_in(unit: TaskNode, deps: Deps) -> Kept:
    """Return what readers are not to know yet where a unit stands."""
    with deps.stores() as stores:
        kept = kept_at(stores.codex, unit.label, deps.brief.forbidden_keywords)
        is_any = kept.is_hiding or kept.words
        return replace(kept, public=public_at(stores, deps.brief, unit)) if is_any else kept


def max_rounds(unit: TaskNode, deps: Deps) -> int:
    """How many planning rounds a unit has: the brief's word, or the profile's for its length."""
    return deps.brief.max_planning_rounds or profile_at(unit, deps).max_planning_rounds
