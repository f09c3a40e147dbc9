"""How an author words headings, and the next one worded the same way."""

import re
from dataclasses import dataclass, field

from bookwright.manuscripts.headings.lines import Rank, heading_in
from bookwright.manuscripts.headings.numbers import plain_digits, written_like
from bookwright.models.text.language import Language

_SMALL_GAP = 3
_BRACKETS = '【】《》〈〉［］[]（）()「」『』“”"= ~*#'
"""May stand around a title, or around the number before it."""
_JOINT = " :：.．、·・,，—–―-\u3000"


@dataclass(frozen=True)
class Wording:
    """A numbered heading, taken apart."""

    before: str
    number: str
    joint: str
    """From the number to the title, with the counter: `"章 "`."""
    after: str
    """What closes the line behind the title, such as `"】"`."""
    has_title: bool
    above: "Wording | None" = None
    """The part that the same line names before the chapter."""

    def told(self, number: int, title: str, language: Language, part: int | None = None) -> str:
        """Return the heading with another number and title, and in another part if `part` is its number."""
        above = self.above.told(part, "", language) if self.above and part else ""
        start = f"{above or (self.above.whole if self.above else '')}{self.before}"
        numbered = f"{start}{written_like(self.number, number, language)}"
        joint = self.joint if title or not self.has_title else self.joint.rstrip(_JOINT)
        return f"{numbered}{joint}{title if self.has_title else ''}{self.after}".strip()

    @property
    def whole(self) -> str:
        """The heading without a title."""
        return f"{self.before}{self.number}{self.joint}{self.after}"


def wording_of(line: str) -> tuple[int, Wording] | None:
    """Return the number of a heading and how it is worded; None for one without a number."""
    heading = heading_in(line)
    if heading is None or heading.number is None or heading.rank not in (Rank.CHAPTER, Rank.PART):
        return None
    narrow, places = _narrowed(line)
    begin = narrow.index(heading.above.text) + len(heading.above.text) if heading.above else 0
    number = re.compile(rf"(?<![A-Za-z0-9]){re.escape(heading.written)}(?![A-Za-z0-9])").search(narrow, begin)
    if number is None:
        return None
    first, last = places[number.start()], places[number.end()]
    told = heading.title.lstrip(_BRACKETS)
    title = line.find(told, last) if told else len(line)
    if title < 0:
        return None
    above = wording_of(line[: places[begin]]) if heading.above else None
    return heading.number, Wording(
        line[places[begin] : first], line[first:last], line[last:title], line[title + len(told) :], bool(told),
        above[1] if above else None,
    )  # fmt: skip


def _narrowed(line: str) -> tuple[str, list[int]]:
    """Return a line with narrow letters, and for each of them, and the end, its place in the line."""
    narrow, places = "", []
    for place, sign in enumerate(line):
        told = plain_digits(sign)
        narrow += told
        places += [place] * len(told)
    return narrow, [*places, len(line)]


@dataclass
class Habit:
    """What is known of how an author heads the chapters, or the parts, of one book."""

    language: Language
    last: int = 0
    """The number of the last one."""
    _numbered: dict[bool, list[Wording]] = field(default_factory=lambda: {True: [], False: []})
    """By whether there is a title behind the number."""
    _named: int = 0
    """How many have a title alone."""
    _bare: int = 0
    """How many have no heading at all."""
    _begins_anew: bool = False
    """Numbers begin at 1 in each part."""
    _is_new_part: bool = False

    def begin_part(self) -> None:
        """Whatever comes next is the first of a part."""
        self._is_new_part = True

    def learn(self, heading: str) -> None:
        """Take in a heading of the author's."""
        worded = wording_of(heading)
        read = heading_in(heading)
        if worded is not None and read is not None and (not read.is_weak or self._follows(worded[0])):
            number, wording = worded
            self._begins_anew |= wording.above is not None or (self._is_new_part and 0 < number <= 1 <= self.last)
            self.last = number
            self._numbered[wording.has_title].append(wording)
            self._is_new_part = False  # a prologue of the part may stand before
        elif not heading:
            self._bare += 1
        elif read is None or read.is_weak:
            self._named += 1

    def go_on(self, title: str, part: int | None = None) -> str | None:
        """Return the heading of the next one; None where the author's headings do not tell how it is to be.

        `part` is the number of the part that it stands in, where that is none of the author's.
        """
        if self._is_new_part and self._begins_anew:
            self.last = 0
        self._is_new_part = False
        self.last += 1
        kept = max(self._numbered.values(), key=len)
        title = _without_number(title) if kept or self._named or self._bare else title
        if kept:
            return kept[-1].told(self.last, title, self.language, part)
        if self._named:
            return title or None
        return "" if self._bare else None

    def _follows(self, number: int) -> bool:
        """True if a bare number goes on where the last heading was: `"1984"` is a title."""
        return number <= 1 or 0 < number - self.last <= _SMALL_GAP


def _without_number(title: str) -> str:
    """Return a title without the number that a model has put before it."""
    read = heading_in(title)
    is_numbered = read is not None and not read.is_weak and read.number is not None and read.rank is not Rank.SPECIAL
    return read.title if read is not None and is_numbered else title
