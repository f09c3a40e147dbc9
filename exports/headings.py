"""The headings of parts and chapters in the book's language and its author's habit, and the contents that list them."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from bookwright.manuscripts.headings.lines import Heading, Rank, heading_in
from bookwright.manuscripts.headings.numbers import plain_digits, written_like
from bookwright.models.text.language import Language
from bookwright.models.tree.level import Level

_SMALL_GAP = 3
_BRACKETS = '【】《》〈〉［］[]（）()「」『』“”"= ~*#'
"""May stand around a title, or around the number before it."""
_PAIRS = tuple(zip("（(【〈《「『［[“", "）)】〉》」』］]”", strict=True))
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
    told = heading.title
    if not any(told.startswith(opener) and closer in told for opener, closer in _PAIRS):
        told = told.lstrip(_BRACKETS)
    title = line.find(told, last) if told else len(line)
    if title < 0:
        return None
    above = wording_of(line[: places[begin]]) if heading.above else None
    end = title + len(told)
    end += any(line.startswith(closer, end) and told.count(opener) > told.count(closer) for opener, closer in _PAIRS)
    return heading.number, Wording(
        line[places[begin] : first], line[first:last], line[last:title], line[end:], bool(told),
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


_CHAPTER = {Language.EN: "Chapter {}", Language.ZH: "第{}章", Language.JA: "第{}章", Language.KO: "제{}장"}
_VOLUME = {Language.EN: "Volume {}", Language.ZH: "第{}卷", Language.JA: "第{}巻", Language.KO: "제{}권"}
_ACT = {Language.EN: "Part {}", Language.ZH: "第{}部", Language.JA: "第{}部", Language.KO: "제{}부"}
CONTENTS = {Language.EN: "Contents", Language.ZH: "目录", Language.JA: "目次", Language.KO: "차례"}
"""The title of the table of contents."""
SKIP_LINK = {Language.EN: "To the text", Language.ZH: "跳到正文", Language.JA: "本文へ", Language.KO: "본문으로"}
"""What leads past the contents, for those who go through a page by keys or by ear."""

_NUMBERED = re.compile(
    r"^(?:(?:chapter|part|volume|book|act)\s+(?:\d+|[ivxlc]+|one|two|three|four|five|six|seven|eight|nine|ten)\b"
    r"|第\s*[0-9０-９一二三四五六七八九十百千零〇两]+\s*[章卷部幕回节節話话巻]"
    r"|제\s*\d+\s*[장권부막화])",
    re.IGNORECASE,
)
"""A title that brings its number and is too long, or too odd, for a heading that anybody would recognise."""


class Numbering:
    """Counts a book's parts and chapters. Those behind the author's own are headed as the author heads them."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._chapters = Habit(language)
        self._parts = Habit(language)
        self._part: int | None = None
        """The number of the part that chapters stand in now; None for one of the author's."""
        self._was_numbered = False
        """The title of the last chapter of ours brought its number."""
        self.before: Rank | None = None
        """What the last heading was asked for, a part or a chapter."""

    def part(self, level: Level, number: int, title: str, *, is_own: bool) -> str:
        """Return the heading of a volume or act; `number` counts among its siblings from 1."""
        self.before = Rank.PART
        self._chapters.begin_part()
        if is_own:
            self._parts.learn(title)
            self._part = None
            return title
        heading = self._parts.go_on(_in_a_line(title))
        self._part = self._parts.last if heading else None
        pattern = _VOLUME if level is Level.VOLUME else _ACT
        return heading or _heading(self._language, pattern[self._language].format(number), title)

    def chapter(self, title: str, *, is_own: bool) -> str:
        """Return the heading of the next chapter: the author's own as it is; empty where the author sets none."""
        self.before = Rank.CHAPTER
        if is_own:
            self._chapters.learn(title)
            return title
        read = heading_in(title)
        if read is not None and read.rank is Rank.SPECIAL and not read.title:
            return title  # a prologue has no number and counts for none
        heading = self._chapters.go_on(_in_a_line(title), self._part)
        return self._by_itself(title, read) if heading is None else heading

    def _by_itself(self, title: str, read: Heading | None) -> str:
        """Number a chapter of a book that is all ours; a title that brings its number says where the count stands.

        A number alone that is another chapter's is a name behind names: `"第八回"`, the eighth time, may be the third.
        """
        number = _number_in(read)
        count, bare = self._chapters.last, read is not None and not read.title
        is_name = bare and not self._was_numbered and number is not None and number != count > 1
        self._was_numbered = number is not None and not is_name
        if number is not None and not is_name:
            self._chapters.last = number
        return _heading(self._language, _CHAPTER[self._language].format(self._chapters.last), title, is_name=is_name)


def _number_in(read: Heading | None) -> int | None:
    """The number that a title brings, if it is a chapter's."""
    return read.number if read is not None and not read.is_weak and read.rank is Rank.CHAPTER else None


def _heading(language: Language, numbered: str, title: str, *, is_name: bool = False) -> str:
    title = _in_a_line(title)
    if not title:
        return numbered
    read = heading_in(title)
    brings_number = read is not None and not read.is_weak and read.rank in (Rank.CHAPTER, Rank.PART)
    if not is_name and (brings_number or _NUMBERED.match(title)):
        return title
    return f"{numbered}{': ' if language is Language.EN else ' '}{title}"


def _in_a_line(title: str) -> str:
    return " ".join(title.split())


@dataclass(frozen=True)
class ContentsEntry:
    """A part or chapter as the contents list it; `depth` counts what stands above it."""

    number: int
    title: str
    depth: int

    @property
    def identity(self) -> str:
        """What names its place in the file."""
        return f"section-{self.number:05}"


def nested(
    entries: Iterable[ContentsEntry], level: tuple[str, str], item_end: str, item: Callable[[ContentsEntry], str]
) -> Iterator[str]:
    """Yield the items that have a title, each with the deeper ones in it; depth grows by one at most."""
    depth = -1
    for entry in entries:
        if not entry.title:
            continue
        if entry.depth > depth:
            yield level[0]
        else:
            yield item_end + f"{level[1]}{item_end}" * (depth - entry.depth)
        yield item(entry)
        depth = entry.depth
    yield f"{item_end}{level[1]}" * (depth + 1)
