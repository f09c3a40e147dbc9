"""The progress of a book in words: what is being done now, how fast it is written, how long it will take."""

from dataclasses import dataclass

from bookwright.models.book import Book
from bookwright.models.tree.task import TaskNode
from bookwright.storage.steps.queries import StepLine
from bookwright.storage.stores import Stores

WORDS = {
    "recall": "Recalling what {unit} rests on",
    "condense": "Making what is long short enough to keep in mind",
    "plan": "Planning {unit}",
    "judge": "Weighing the plan of {unit}",
    "decompose": "Taking a large question apart",
    "execute": "Working out {unit}",
    "aggregate": "Putting what was worked out together",
    "decide": "Deciding how {unit} goes on",
    "divide": "Laying out what comes next in {unit}",
    "brief": "Telling the writer what {unit} needs",
    "write": "Writing {unit}",
    "close": "Looking back on {unit}",
    "review": "Reading {unit} with fresh eyes",
    "maintain": "Bringing the memory of the story up to date",
    "publish": "Finding title and blurb",
}
"""What each activity is called where its author looks on."""


_FEWEST_SECONDS = 30.0
"""Before that a pace says nothing."""


@dataclass(frozen=True)
class Doing:
    """What is being done on a book, as a text to be translated and what is put into it."""

    text: str
    unit: str


@dataclass(frozen=True)
class PaceSoFar:
    """How fast a book is written, by its own journal."""

    worked_seconds: float
    per_hour: float
    """Of the book's unit; 0 while nothing is written."""
    seconds_left: float | None
    """None while nothing tells."""


def doing_of(line: StepLine | None, node: TaskNode | None) -> Doing:
    """Say in words what the newest step of a book was about."""
    if line is None or node is None:
        return Doing("Getting ready", "")
    return Doing(WORDS.get(line.activity, "Working on {unit}"), node.title or node.goal[:60])


def newest_step(stores: Stores) -> tuple[StepLine | None, TaskNode | None]:
    """Return the newest step on record and the node that it was about."""
    found = stores.steps.last(1)
    return (found[0], stores.nodes.by_label(found[0].label)) if found else (None, None)


def pace_of(book: Book, root: TaskNode, worked_seconds: float) -> PaceSoFar:
    """Return how fast a book is written, and how long it takes at that pace to its end."""
    if not root.written or worked_seconds < _FEWEST_SECONDS:
        return PaceSoFar(worked_seconds, 0.0, None)
    per_second = root.written / worked_seconds
    left = max((root.length or book.brief.length) - root.written, 0) / per_second
    return PaceSoFar(worked_seconds, per_second * 3600, left)
