"""What every template may use: the card that code fills in for one step."""

from collections.abc import Iterable
from dataclasses import dataclass


class Told(tuple[str, ...]):
    """Lines of a card that are words of the book's own documents, which a text made with them rests on."""

    sources: tuple[int, ...] = ()
    """Ids of those documents."""

    @classmethod
    def of(cls, lines: Iterable[str], sources: Iterable[int]) -> "Told":
        """Make it of lines and of the documents that they come from."""
        made = cls(lines)
        made.sources = tuple(dict.fromkeys(sources))
        return made


@dataclass(frozen=True)
class BookCard:
    """The book, as its brief has it. Empty strings for what the author left open."""

    title: str
    premise: str
    language: str
    """English name of the book's language, such as `"Japanese"`."""
    length: int
    length_unit: str
    """`"words"` or `"characters"`, in every length below too."""
    length_class: str
    """`"short"`, `"medium"` or `"long"`."""
    genre: str = ""
    style: str = ""
    audience: str = ""
    ending: str = ""


@dataclass(frozen=True)
class FormCard:
    """What a blueprint's template of directions may name: a unit's place among the others, and nothing of the story."""

    book: BookCard
    level: str
    """`"book"`, `"act"`, `"chapter"` ..."""
    index: int
    """The unit's ordinal among its siblings, from 1."""
    count: int
    """How many siblings there are meant to be, itself included; 0 where the length decides."""
    parent_index: int
    """The ordinal of the unit above among its own siblings; 0 for the book and what hangs below it."""
    is_last: bool
    """It ends the book."""
    length: int
    child_level: str = ""
    """What it divides into; empty where it is written at once."""
    child_count: int = 0
    """How many of those there are meant to be; 0 where the length decides."""
    is_in_opening: bool = False
    """Every unit above it is the first among its siblings: with `index` 1 it opens the book."""


@dataclass(frozen=True)
class NodeCard:
    """A unit, or a design or search task."""

    label: str
    """`"1.2.3"`."""
    level: str
    """`"book"` ... `"paragraph"`; for a task the level of its unit."""
    task_type: str
    """`"design"`, `"search"` or `"write"`."""
    title: str
    goal: str
    instructions: tuple[str, ...] = ()
    input_brief: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    acceptance_criteria: tuple[str, ...] = ()
    length: int = 0
    """Target length; 0 for design and search tasks."""
    complexity_score: int = 0
    """What its planner thought of it, from 1 to 10; 0 where nobody said."""
    position: str = ""
    """Its unit's place in the tree in words of the book's language, such as `"第1卷第2幕"`; empty for the book."""


@dataclass(frozen=True)
class KeptCard:
    """One thing that readers are not to know yet, for whoever reviews a text. Never for who writes."""

    id: str
    """A number by which an answer can name it, which tells nothing of it; empty for setting text."""
    content: str
    is_hinted: bool = False
    """The text may hint at it; False where it is to say nothing of it."""
    allowed: tuple[str, ...] = ()
    """Words that may be said of it."""
    forbidden: tuple[str, ...] = ()
    is_noticed: bool = False
    """Readers may notice that something is left out, and no more."""
    subtlety: int = 0
    """How finely it may be hinted at: 1 plainly, 10 almost invisibly; 0 where nobody may."""
    about: str = ""
    """Whom or what it is about, or the entry and the section that it is from."""


@dataclass(frozen=True)
class Card:
    """All that a template of this project may name; a template names only what it uses."""

    book: BookCard
    unit: NodeCard
    """The write unit that this is about."""
    task: NodeCard
    """The task in hand; the unit itself unless the step works on a design or search task."""

    parent_level: str = ""
    """Level of the unit above; empty for the book. Levels may be skipped in a short book."""
    child_level: str = ""
    """Level that the unit divides into, or would; empty for a paragraph."""
    is_first: bool = False
    """No prose of the book stands before this unit."""
    is_last: bool = False
    """This unit ends the book."""

    directions: str = ""
    """What the book's blueprint asks of the unit's form; empty where it has none, or asks nothing."""

    # Planning
    round: int = 1
    max_rounds: int = 3
    max_tasks: int = 7
    open_points: tuple[str, ...] = ()
    """Handed down undesigned from above, or found missing in the last round; worst first."""
    element_allowance: int = 1
    """How many new elements (named person, place, rule, thing with a past) the length can bear."""
    draw: tuple[str, ...] = ()
    """Facts of this book drawn by code; empty while there are none."""
    word_allowance: int = 0
    """How long the design document asked for may be, in `book.length_unit`."""
    tasks: tuple[NodeCard, ...] = ()
    """Judge: the tasks of the round, numbered from 1 in this order."""

    # Blueprints
    entries_least: int = 0
    entries_most: int = 0
    """How few and how many entries a member may name."""
    chapters: int = 0
    """Register, plot: how many chapters the book is meant to have, or what is plotted."""
    parts: int = 0
    """Plot: how many chapters, acts or volumes are to be planned; 0 for as many as `chapters`."""
    max_findings: int = 0
    """Review: how many faults may be named."""

    # Division
    is_incremental: bool = False
    """Only the next child becomes real; later ones are outlined and bind nobody."""
    ends_here: bool = False
    """What is cut now ends the unit: every child is given, or the next one takes all that is left."""
    child_index: int = 1
    """Ordinal of the next child."""
    remaining_length: int = 0
    """What is left of the unit's length for this child and all later ones."""
    usual_child_length: int = 0
    child_low: int = 0
    child_high: int = 0
    """The usual bounds of a child's length."""
    outline: tuple[str, ...] = ()
    """What the last division foresaw for the children still to come."""

    # Writing
    is_brief: bool = False
    """Economy: the write plan is all that the writer is told of the designs."""
    ask_length: int = 0
    """The length to ask for; already corrected for how this model answers lengths."""
    plan_length: int = 0
    """How long the write plan may be."""
    is_second: bool = False
    """Somebody else writes the same pages from the same plan, and one of the two drafts is chosen; or tells the same
    story; or a plan that was doubted and made anew is doubted once more."""
    has_carry_over: bool = False
    """Another draft was left behind, and something of it is to be taken over."""
    angle: str = ""
    """Several write the same pages: what this one's order asks for beside the others'; "plain" asks for nothing more,
    empty where nobody else writes them."""
    is_unplanned: bool = False
    """The draft was made from the order alone; no plan or design is to be held against it."""
    shapes: tuple[str, ...] = ()
    """How the last units went, a line each, nearest last."""
    returning: tuple[str, ...] = ()
    """Things and turns of phrase of earlier pages that could come back, each with its sentence."""
    carried: tuple[str, ...] = ()
    """What readers of the last unit missed, and this one has to make good."""
    understood: tuple[str, ...] = ()
    """Orders: what the unit's brief or designs want its readers to have understood."""
    findings: tuple[str, ...] = ()
    """Orders: what reviews and checks of code found, a line each."""
    previous_endings: tuple[str, ...] = ()
    """The last sentences of the units before this one, nearest last."""
    spots: tuple[str, ...] = ()
    """Places that code found in the draft, each with a quotation."""
    secrets: tuple[KeptCard, ...] = ()
    """Leak review: all that readers are not to know yet. Never for who writes."""
    planted: tuple[str, ...] = ()
    """Leak review: what the text was ordered to show for a later page, with how finely and in which words."""
    bound: tuple[str, ...] = ()
    """Leak review: wording that the book's design has printed letter by letter."""
    chapter: int = 0
    """Extract: which chapter of the book the text is; 0 where it is the whole book."""
    codex: tuple[str, ...] = ()
    """Extract: entries of the codex that the text may touch, whole, one a line."""
    threads: tuple[str, ...] = ()
    """Extract: the open threads of the register, one a line, each beginning with its id."""
    due_secrets: tuple[str, ...] = ()
    """Extract: the secrets that were to come out in the text, one a line, each beginning with its id."""
    unknown_yet: tuple[str, ...] = ()
    """Extract: secrets that somebody cannot know yet when the text is set, one a line, each beginning with its id."""
    times: tuple[str, ...] = ()
    """Division, extract: when units of the book are set, one a line, the unit's own first."""
    missing_length: int = 0
    """Lengthen: how much to add. Shorten: how much to take out."""
    draft_length: int = 0
    """How long the text is that is to be written anew, lengthened or shortened; 0 where that is not known."""
    low_length: int = 0
    high_length: int = 0
    """How short and how long it is to come out."""
    piece: int = 1
    """Small profile: which piece of the unit is being told, from 1."""
    phase: str = ""
    """Small profile: `"begins"`, `"gets worse"` or `"ends"`."""

    # Upkeep
    condense_to: int = 0
    """Target length of a condensed text."""
