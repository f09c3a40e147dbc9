"""Figures about prose that need no opinion, and the places they point at."""

import re
from collections import Counter

from bookwright.models.text.language import Language
from bookwright.models.text.prose import paragraphs, sentences

_QUOTE_CHARACTERS = 80
_SPOTS = 6
_PHRASES = 3
_RUN = 5
"""Tokens of a run that is looked for a second time."""
_WORD = re.compile(r"\w+")
_BESIDE = re.compile(
    r"[^\s“”\"「」『』]{0,20}(?:[.?!,…—][”\"] [“\"](?=\w)|[。？！…]”“|」「|』『)[^\s“”\"「」『』]{0,20}"
)
_MEETING = ("” “", '" "', '” "', '" “', "”“", "」「", "』『")
"""Marks of which some stand in all that `_BESIDE` finds; it looks at every letter and takes its time."""
_TWICE = tuple(
    (
        opens,
        closes,
        re.compile(f"{opens}[^{opens}{closes}]*?([^{opens}{closes}]{{0,20}}{opens}[^{opens}{closes}]{{0,20}})"),
    )
    for opens, closes in (("“", "”"), ("「", "」"), ("『", "』"))
)
"""Two marks, and the place where the first stands again before the second, with what is around it."""
_LEFTOVERS = re.compile(
    r"^\s*(?:#{1,6}\s|\*\*[^*]+\*\*\s*$|chapter \d+\s*$|第.{1,6}[章节節]\s*$|제\s*\d+\s*장\s*$)", re.IGNORECASE
)

_WORDINGS = {
    "en": {
        "heading": 'a heading stands in the prose: "{quote}"',
        "repeated": 'occurs {count} times: "{quote}"',
        "alike": 'four sentences in a row open alike: "{quote}"',
        "side_by_side": "two speeches stand side by side, with nothing between them: {quote}",
        "opened_twice": "a quotation opens again before it is closed: {quote}",
    },
    "zh": {
        "heading": "正文里混进了标题：“{quote}”",
        "repeated": "前后出现 {count} 次：“{quote}”",
        "alike": "接连四句开头一样：“{quote}”",
        "side_by_side": "两句对话紧挨着，中间什么也没有：{quote}",
        "opened_twice": "引号没合上又开了一次：{quote}",
    },
}
"""How a spot is told to a critic, by the language of the prompts."""


def spots_in(text: str, language: Language, locale: str = "en") -> list[str]:
    """Find places worth a critic's look, each quoted; worst first, few or none.

    Repeated phrases, sentences that begin alike in a row, headings left in the prose, and speeches without anything
    between them; told in the language of the prompts, `locale`.
    """
    said = _WORDINGS.get(locale, _WORDINGS["en"])
    beside = collisions(text, locale)
    leftovers = [line.strip()[:_QUOTE_CHARACTERS] for line in text.splitlines() if _LEFTOVERS.match(line)]
    headings = [said["heading"].format(quote=line) for line in leftovers[:2]]
    repeated = [said["repeated"].format(count=count, quote=quote) for quote, count in _repeated_phrases(text, language)]
    alike = [said["alike"].format(quote=sentence) for sentence in _same_openings(text, language)]
    return [*headings, *beside, *repeated, *alike][:_SPOTS]


def collisions(text: str, locale: str = "en") -> list[str]:
    """Name the places where one speech of a paragraph ends and another begins, or begins before the first has ended.

    What stood between them was lost.
    """
    said = _WORDINGS.get(locale, _WORDINGS["en"])
    parts = paragraphs(text)
    meeting = (part for part in parts if any(marks in part for marks in _MEETING))
    beside = [said["side_by_side"].format(quote=match.group()) for part in meeting for match in _BESIDE.finditer(part)]
    twice = [said["opened_twice"].format(quote=quote) for part in parts for quote in _opened_twice(part)]
    return [*beside, *twice][:_PHRASES]


def _opened_twice(paragraph: str) -> list[str]:
    unclosed = [pattern for opens, closes, pattern in _TWICE if paragraph.count(opens) > paragraph.count(closes)]
    return [quote for pattern in unclosed for quote in pattern.findall(paragraph)]


def tokens_of(text: str, language: Language) -> list[str]:
    """Split a text into what repeats: words for Latin and Korean script, characters for zh and ja."""
    if language.is_spaced:
        return _WORD.findall(text.casefold())
    return [c for c in text if c.isalnum()]


def repetition(text: str, language: Language) -> float:
    """Return the share of runs of five tokens that occur more than once, 0 to 1."""
    grams = _grams(tokens_of(text, language), _RUN)
    return sum(count for count in grams.values() if count > 1) / max(grams.total(), 1)


def _grams(tokens: list[str], size: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(tokens[start:] for start in range(size)), strict=False))


def _repeated_phrases(text: str, language: Language) -> list[tuple[str, int]]:
    """Phrases that come back, each with its count."""
    size = 6 if language.is_spaced else 10
    joint = " " if language.is_spaced else ""
    half = size // 2
    spots: list[tuple[str, int]] = []
    seen: set[tuple[str, ...]] = set()
    for gram, count in _grams(tokens_of(text, language), size).most_common():
        if count == 1 or len(spots) == _PHRASES:
            break
        pieces = {gram[start : start + half] for start in range(size - half + 1)}
        if not seen & pieces:  # else it is more of a phrase that was shown
            spots.append((joint.join(gram), count))
        seen |= pieces
    return spots


def _same_openings(text: str, language: Language) -> list[str]:
    for paragraph in paragraphs(text):
        parts = sentences(paragraph)
        openings = [tuple(tokens_of(part, language)[: 1 if language is Language.EN else 2]) for part in parts]
        for index in range(len(openings) - 3):
            if openings[index] and len(set(openings[index : index + 4])) == 1:
                return [parts[index][:_QUOTE_CHARACTERS]]
    return []
