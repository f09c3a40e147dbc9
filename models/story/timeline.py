"""A book's times as data: when its units are set, in the order of the story, and what is told out of that order."""

from enum import StrEnum

from bookwright.models.frozen import FrozenModel


class StoryTurn(StrEnum):
    """How a unit stands in the order of the story, seen from the line that most of the book follows."""

    ON = "on"
    BACK = "flashback"
    AHEAD = "flash-forward"
    BESIDE = "parallel"
    """It tells of a time that an earlier unit told of, which is not the one right before it."""
    OPEN = "open"
    """Nobody can tell: it has no time, or one that cannot be compared."""


class StoryLineRow(FrozenModel):
    """A unit with its time."""

    label: str
    chapter: int
    """The number of its chapter, or of the one that it begins with."""
    title: str
    when: str = ""
    """Its time in words, its own or that of the unit above; empty where nobody has said."""
    is_own: bool = False
    """The unit itself was given that time."""
    turn: StoryTurn = StoryTurn.OPEN
    strand: int = 0
    """Rows with the same number can be put in order, and stand in that order in `StoryLine.rows`; 0 for open ones."""
    with_labels: tuple[str, ...] = ()
    """Labels of other units that are set at the same time."""
    written: int = 0

    @property
    def standing(self) -> str:
        """What is to be said of its place in the story; empty where the story simply goes on."""
        if self.turn is StoryTurn.BESIDE:
            return f"parallel to {', '.join(self.with_labels)}"
        if self.turn is StoryTurn.OPEN:
            return "not comparable" if self.when else "unknown"
        return "" if self.turn is StoryTurn.ON else self.turn.value


class TimeFinding(FrozenModel):
    """A slip of time that code has found."""

    label: str
    result: str
    """`"error"` or `"warning"`."""
    text: str
    record: str

    @property
    def line(self) -> str:
        """The slip in one line."""
        return f"{self.text}; {self.record}"


class StoryLine(FrozenModel):
    """When the units of a book are set."""

    rows: tuple[StoryLineRow, ...] = ()
    """In the order of the story, strand by strand; what nobody can order stands last, as it is told."""
    findings: tuple[TimeFinding, ...] = ()

    @property
    def is_empty(self) -> bool:
        """True if no unit has a time."""
        return not any(row.when for row in self.rows)
