"""Lines that may be headings, by their form alone; whether they are is told by all of them together (`chapters`)."""

import re
from dataclasses import dataclass, replace
from enum import StrEnum

from bookwright.manuscripts.headings.numbers import HAN_NUMBER, HANGUL_NUMBER, WORD_NUMBER, number_of, plain_digits
from bookwright.models.text.language import lazy_pattern

MOST_LETTERS = 90
"""No heading is longer."""


class Rank(StrEnum):
    """What a heading stands above."""

    PART = "part"
    CHAPTER = "chapter"
    SPECIAL = "special"
    """A chapter without a number, such as a prologue."""
    MATTER = "matter"
    """What is no part of the story: contents, copyright, dedication."""


@dataclass(frozen=True)
class Heading:
    """A line that may be a heading."""

    rank: Rank
    family: str
    """Its kind of wording: headings of one level share it, such as `"chapter"`, `"章"` or `"roman"`."""
    number: int | None = None
    title: str = ""
    is_weak: bool = False
    """A bare number, or one with a title: lists and scenes have them, too."""
    is_entry: bool = False
    """A line of a table of contents: dots or a page number end it."""
    shape: str = ""
    """How it is written, to tell one author's habit from a line that only looks alike."""
    written: str = ""
    """The number as it stands there, in narrow letters."""
    text: str = ""
    """All of it, where it is only a part of its line."""
    above: "Heading | None" = None
    """The part that the same line names before it, as in `"第一卷 第三章"`."""


_GAP = r"[\s:：.．、·・,，—–―-]*"
_PAGE = lazy_pattern(r"(?:\s*[.．·…‥]{3,}\s*|\s*(?:\. ){3,}|\t+\s*|\s{3,})[0-9ivxlc]{1,5}$", re.IGNORECASE)
_WRAP = lazy_pattern(r"^[【《〈［\[（(「『=＝*＊~～◆◇■□●○★☆#\s-]+|[】》〉］\]）)」』=＝*＊~～◆◇■□●○★☆\s-]+$")
_SENTENCE_END = lazy_pattern(r"[。.,，、;；:：]$|[。；]|[.!?！？…]\s+\w+.*[.!?]$")
_QUOTED = tuple("“\"「『‘'—–-")

_EN_CHAPTER = lazy_pattern(
    rf"^(?P<word>chapter|chap\.|ch\.|episode)\s*(?:the\s+)?(?P<number>\d+|[ivxlcdm]+|{WORD_NUMBER})(?P<rest>(?:{_GAP}$)|[\s:.—–-].*)$",
    re.IGNORECASE,
)
_EN_PART = lazy_pattern(
    rf"^(?P<word>part|book|volume|vol\.?|act)\s*(?:the\s+)?(?P<number>\d+|[ivxlcdm]+|{WORD_NUMBER})(?P<rest>(?:{_GAP}$)|[\s:.—–-].*)$",
    re.IGNORECASE,
)
_EN_PART_AFTER = lazy_pattern(
    rf"^(?:the\s+)?(?P<number>{WORD_NUMBER})\s*(?P<word>part|book|volume|act)$", re.IGNORECASE
)
_HAN = lazy_pattern(
    rf"^(?:正文\s*)?第\s*(?P<number>{HAN_NUMBER})\s*(?P<word>[章回節节話话集折卷巻部篇編编冊册幕])(?P<rest>.*)$"
)
_HAN_BEFORE = lazy_pattern(rf"^(?P<word>[卷巻])(?:之)?\s*(?P<number>{HAN_NUMBER})(?P<rest>.*)$")
_HAN_SONO = lazy_pattern(rf"^(?P<word>其)[のノ之]\s*(?P<number>{HAN_NUMBER})(?P<rest>.*)$")
_PART_FIRST = (
    lazy_pattern(
        rf"^(?P<above>(?:第\s*{HAN_NUMBER}\s*[卷巻部篇編编冊册]|[卷巻]\s*{HAN_NUMBER}).*?)[\s·・:：—-]*"
        rf"(?P<below>第\s*{HAN_NUMBER}\s*[章回節节話话].*)$"
    ),
    lazy_pattern(
        rf"^(?P<above>(?:part|book|volume|vol\.?|act)\s+(?:\d+|[ivxlcdm]+|{WORD_NUMBER}).*?)[\s,;:·.—–-]+"
        r"(?P<below>(?:chapter|chap\.|ch\.)\s*\S.*)$",
        re.IGNORECASE,
    ),
    lazy_pattern(
        rf"^(?P<above>(?:제\s*{HANGUL_NUMBER}|\d+)\s*[부권편막].*?)[\s,·:：.—–-]+"
        rf"(?P<below>(?:제\s*{HANGUL_NUMBER}|\d+)\s*[장화회].*)$"
    ),
)
"""A part and a chapter of it in one line."""
_OF_PARTS = (_EN_PART, _EN_PART_AFTER, _HAN_BEFORE)
"""What these find is a part."""
_HANGUL = lazy_pattern(
    rf"^(?:제\s*(?P<number>{HANGUL_NUMBER})|(?P<figure>\d+))\s*(?P<word>[장화회부권편막])(?P<rest>{_GAP}$|[\s:：.—–-].*)$"
)
_BARE = (
    ("roman", lazy_pattern(r"^(?P<number>[IVXLC]+)\.?(?P<rest>)$")),
    ("roman title", lazy_pattern(r"^(?P<number>[IVXLC]+)(?P<rest>[.:—–]\s+\S.*|\s+[—–-]\s+\S.*)$")),
    ("figure", lazy_pattern(r"^(?P<number>\d{1,4})\.?(?P<rest>)$")),
    ("figure title", lazy_pattern(r"^(?P<number>\d{1,4})(?P<rest>(?:[.:)．、—–]|\s+[—–-])\s*\S.*|\s+\S.*)$")),
    ("word", lazy_pattern(rf"^(?P<number>{WORD_NUMBER})\.?(?P<rest>)$", re.IGNORECASE)),
    ("han", lazy_pattern(rf"^(?P<number>{HAN_NUMBER})[.．、]?(?P<rest>)$")),
    ("han title", lazy_pattern(rf"^(?P<number>{HAN_NUMBER})(?P<rest>[.．、・　\s]\s*\S.*)$")),
)

_SET_OFF = lazy_pattern(r"\s*[:：.．、·・—–―-]")
_SPACED = lazy_pattern("\\s+(?:[「『“][^」』”]*[」』”]?|[\u3040-\u30ff\u3400-\u9fff《].*[^！？!?~～])$")
"""Chinese and Japanese titles that a space sets off from a number; an author's call to readers ends as none does."""

_PARTS = frozenset("卷巻部篇編编冊册幕부권편막")
_EPISODES = frozenset("話话화")
_SECTIONS = frozenset("節节折")

_SPECIAL = lazy_pattern(
    r"^(?P<word>prologue|epilogue|interlude|intermezzo|prelude|postlude|coda|foreword|preface|introduction|afterword|"
    r"postscript|postface|"
    r"楔子|引子|引言|前言|序章|序幕|序言|序曲|自序|序|尾声|尾聲|终章|終章|终曲|終曲|大结局|大結局|结局|結局|后记|後記|跋|附录|附錄|"
    r"プロローグ|エピローグ|間章|幕間|閑話|断章|最終章|最終話|あとがき|はじめに|おわりに|まえがき|"
    r"프롤로그|에필로그|서장|종장|서막|막간|서문|머리말|맺음말|후기|작가의\s*말|에필로그)"
    rf"(?:\s*(?P<number>\d+|[ivxl]+|{HAN_NUMBER}))?(?P<rest>{_GAP}$|\s*[:：.—–―·・-]+\s*\S.*|[\s　]+\S.*)$",
    re.IGNORECASE,
)
_EXTRA = lazy_pattern(
    rf"^(?P<word>番外編|番外篇|番外|外伝|外传|外傳|외전|bonus chapter)\s*(?P<number>\d+|{HAN_NUMBER})?"
    rf"(?P<rest>{_GAP}$|\s*[:：.—–―·・-]+\s*\S.*|[\s　]+\S.*|[之のノ]\S.*)$",
    re.IGNORECASE,
)
_MATTER = lazy_pattern(
    r"^(?:table of contents|contents|list of chapters|copyright(?: page)?|dedication|title page|cover|"
    r"about the author|acknowledge?ments|also by .{1,40}|colophon|imprint|"
    r"目录|目錄|目次|もくじ|封面|版权(?:页|声明)?|版權(?:頁|聲明)?|扉页|扉頁|奥付|表紙|차례|목차|판권|표지|표제지)$",
    re.IGNORECASE,
)


def heading_in(line: str) -> Heading | None:
    """Return what a line would be as a heading; None for what is none in any of the four languages."""
    if not line or len(line) > MOST_LETTERS:
        return None
    text, is_entry = _narrowed(line)
    found = _read(text)
    return replace(found, is_entry=True) if found and is_entry else found


def is_contents(line: str) -> bool:
    """True for the line above a table of contents."""
    return len(line) <= MOST_LETTERS and bool(_MATTER.match(_narrowed(line)[0]))


def is_title(text: str) -> bool:
    """True for a line that could be a heading's title: short, and no sentence."""
    text = text.strip()
    return bool(text) and len(text) <= 70 and not text.startswith(_QUOTED) and not _SENTENCE_END.search(text)


def _narrowed(line: str) -> tuple[str, bool]:
    text = plain_digits(line).strip()
    without_page = _PAGE.sub("", text)
    is_entry = without_page != text
    return re.sub(r"\s+", " ", _WRAP.sub("", without_page)).strip(), is_entry


def _read(text: str) -> Heading | None:
    if _MATTER.match(text):
        return Heading(Rank.MATTER, "matter", title=text)
    both = next((found for pattern in _PART_FIRST if (found := pattern.match(text))), None)
    name = both["above"].strip(" ,;.·・:：—–-") if both else ""
    if both and (below := _numbered(both["below"])) and (above := _numbered(name)):
        above = replace(above, text=name)
        return replace(below, shape=f"{below.shape}+", above=above)
    return _special(text) or _numbered(text) or _bare(text)


def _special(text: str) -> Heading | None:
    for pattern in (_SPECIAL, _EXTRA):
        found = pattern.match(text)
        if found and (title := _title_of(found["rest"])) is not None:
            return Heading(Rank.SPECIAL, found["word"].casefold(), number_of(found["number"] or ""), title)
    return None


def _numbered(text: str) -> Heading | None:
    for pattern in (_EN_CHAPTER, _EN_PART, _EN_PART_AFTER, _HAN, _HAN_BEFORE, _HAN_SONO, _HANGUL):
        found = pattern.match(text)
        if found and (heading := _of_match(found)):
            return heading
    return None


def _of_match(found: re.Match[str]) -> Heading | None:
    groups = found.groupdict()
    written = groups["number"] or groups.get("figure") or ""
    rest = groups.get("rest") or ""
    number, title = number_of(written), _title_of(rest, is_set_off=_SPACED.match(rest) is not None)
    if number is None or title is None:
        return None
    word = groups["word"].casefold().rstrip(".")
    is_part = word in _PARTS or found.re.pattern in {pattern.pattern for pattern in _OF_PARTS}
    kind, joint = "figure" if written.isdigit() else "word", _joint(rest) if title else "bare"
    shape = f"{_case(groups['word'])} {kind} {joint}"
    rank = Rank.PART if is_part else Rank.CHAPTER
    return Heading(rank, _family(word), number, title, shape=shape, written=written.strip())


def _family(word: str) -> str:
    if word in ("chapter", "chap", "ch"):
        return "chapter"
    if word in _EPISODES or word == "episode":
        return "episode"
    if word in _SECTIONS:
        return "section"
    return {"vol": "volume", "巻": "卷", "编": "編", "册": "冊"}.get(word, word)


def _bare(text: str) -> Heading | None:
    for family, pattern in _BARE:
        found = pattern.match(text)
        number = number_of(found["number"]) if found else None
        title = _title_of(found["rest"]) if found else None
        if found and number is not None and title is not None and (title or not family.endswith("title")):
            shape, written = _case(found["number"]), found["number"].strip()
            return Heading(Rank.CHAPTER, family, number, title, is_weak=True, shape=shape, written=written)
    return None


def _title_of(rest: str, *, is_set_off: bool = False) -> str | None:
    """Return the title behind a number, empty if there is none; None if what follows is no title."""
    is_set_off = is_set_off or _SET_OFF.match(rest) is not None
    title = re.sub(rf"^{_GAP}", "", rest).strip()
    if not title:
        return ""
    if is_set_off and len(title) <= 70 and not re.search(r"[。；;，,]$", title):
        return title
    is_lower = title[:1].islower()
    return title if is_title(title) and not is_lower and not re.search(r"[，；]", title) else None


def _case(word: str) -> str:
    return "upper" if word.isupper() else "title" if word[:1].isupper() else "lower" if word.isascii() else ""


def _joint(rest: str) -> str:
    return "spaced" if rest[:1].isspace() else "joined" if rest[:1].isalnum() else "set off"
