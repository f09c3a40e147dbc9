"""Text that no check counts as a leak: the author's order, wording that binds, what is printed."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from bookwright.agents.relay.leaks.folding import Folded
from bookwright.agents.relay.leaks.keywords import find_keyword, stem_of
from bookwright.models.brief import Brief
from bookwright.models.text.binding import MARK, binding_lines

_QUOTED = re.compile(
    r"(?<!\*)\*(?!\*)([^*\n]+)\*(?!\*)|(?<!\w)_([^_\n]+)_(?!\w)|\"([^\"\n]+)\"|“([^”\n]+)”|«([^»\n]+)»|「([^」\n]+)」|『([^』\n]+)』"
)
"""What a line of a design has between quotation marks or in italics: wording for the page."""

Span = tuple[int, int]


@dataclass(frozen=True)
class Public:
    """What is public at a place by itself, whatever a codex keeps back there.

    A sentence that tells most of something kept is none of it, wherever it stands but in print: an author
    who tells planners the end has not told readers.
    """

    printed: tuple[str, ...] = ()
    """What readers have read by then."""
    order: tuple[str, ...] = ()
    """The author's own words: the brief, and notes with which they sent something back."""
    named: tuple[str, ...] = ()
    """Of that, what is said of the story itself: a word in it is forbidden to nobody."""
    bound: tuple[str, ...] = ()
    """Lines of the book's design that bind."""
    designs: tuple[str, ...] = ()
    """How the book is designed: a name in it is public if its sentence says nothing else of what is kept."""

    @property
    def wordings(self) -> tuple[str, ...]:
        """What is to stand on a page letter by letter: what those lines quote."""
        quoted = (found for line in self.bound for found in _QUOTED.finditer(line))
        return tuple(words for found in quoted for words in found.groups() if words)

    @property
    def told(self) -> tuple[str, ...]:
        """All that anybody may know, but for the sentences that tell."""
        return (*self.order, *self.bound, *self.wordings)


NOTHING_PUBLIC = Public()


def order_of(brief: Brief) -> tuple[str, ...]:
    """Return what an author says of a book to whoever works on it."""
    said = (brief.title, brief.premise, brief.genre, brief.audience, brief.ending, brief.style)
    return tuple(text for text in said if text)


def named_by(brief: Brief) -> tuple[str, ...]:
    """Return what an author says the story is: not how it ends, nor how it is to sound or not to."""
    return tuple(text for text in (brief.title, brief.premise, brief.genre) if text)


def bound_in(*designs: str) -> tuple[str, ...]:
    """Return the lines of documents that bind, without their mark."""
    lines = (line.removeprefix(MARK).strip() for text in designs for line in binding_lines(text))
    return tuple(dict.fromkeys(lines))


def spans_of(draft: Folded, expressions: Iterable[str]) -> list[Span]:
    """Return the places of a text at which expressions that may be said stand, however they are spelt."""
    wanted = (words for words in dict.fromkeys(expressions) if (stem := stem_of(words)) and stem in draft.letters)
    return [(found.start, found.end) for words in wanted for found in find_keyword(draft, words)]


def is_within(place: Span, spans: Iterable[Span]) -> bool:
    """Whether a place lies inside one of the spans."""
    return any(start <= place[0] and place[1] <= end for start, end in spans)
