"""Stock phrases of machine prose: the lists, an author's changes to them, and what they find in a text."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from bookwright.agents.relay.figures.text import excerpt, folded, paragraphs_of
from bookwright.agents.relay.leaks.folding import simplified
from bookwright.models.errors import InvalidSetting
from bookwright.models.text.figures import Stock, StockHit
from bookwright.models.text.language import Language

UNRATED = ("default name", "leftover")
"""Groups that count once and are no matter of rate: a hero's name stands on every page."""

OWN_GROUP = "own"
_HEADER = re.compile(r"\[([^\[\]\\^]+)\]")
_PLAIN = re.compile(r"[^\\^$.|?*+()\[\]{}]+")
_CODED = re.compile(r"\\(?:x\w\w|u\w{4}|U\w{8}|N\{[^}]*\}|\d{1,3}|.)|\[\^?\]?(?:\\.|[^\]\\])*\]")
_GROUP = re.compile(r"\([^()]*\)(?:[?*+]|\{[^}]*\})?")
_CHOICE = re.compile(r"\(\?:([\w|]+)\)(?![?*{])")
"""A group of which every find has one word."""
_QUOTES = 3


@dataclass(frozen=True)
class StockPhrase:
    """One entry of a list."""

    entry: str
    """As it is spelt in the list, by which it is taken off."""
    group: str
    pattern: re.Pattern[str]
    needles: tuple[tuple[str, ...], ...]
    """Of each of these, one stands in every find, so that most entries need no search at all; the longest first."""


StockList = tuple[StockPhrase, ...]
"""The entries that hold for a book."""


def changed(phrases: StockList, lines: Iterable[str], language: Language, source: str = "your list") -> StockList:
    """Return a list with an author's lines laid over it: `-phrase` takes an entry off, any other adds one.

    Raises:
        InvalidSetting: A line is no regular expression; the message names it.
    """
    kept, group = {phrase.entry: phrase for phrase in phrases}, OWN_GROUP
    for number, line in enumerate(map(str.strip, lines), 1):
        if header := _HEADER.fullmatch(line):
            group = header.group(1).strip()
        elif line and not line.startswith("#"):
            phrase = _phrase(line.removeprefix("-").strip(), group, language, f"line {number} of {source}")
            if line.startswith("-"):
                kept.pop(phrase.entry, None)
            else:
                kept[phrase.entry] = phrase
    return tuple(kept.values())


@cache
def shipped_list(language: Language) -> StockList:
    """Return the list that comes with the program."""
    name = f"{language.value}.txt"
    lines = (files(__package__) / "stock_phrases" / name).read_text("utf-8").splitlines()
    return changed((), lines, language, name)


def stock_list(language: Language, home: Path | None = None) -> StockList:
    """Return the list with the changes of `stock_phrases/LANGUAGE.txt` in the data folder, if that is there.

    Raises:
        InvalidSetting: The file cannot be read, or a line of it is no regular expression.
    """
    path = home / "stock_phrases" / f"{language.value}.txt" if home else None
    if path is None or not path.is_file():
        return shipped_list(language)
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidSetting(f"{str(path)!r} cannot be read as UTF-8 text ({error})") from None
    return changed(shipped_list(language), lines, language, str(path))


def stock_in(text: str, language: Language, phrases: StockList | None = None) -> Stock:
    """Count stock phrases in a text, each with places."""
    whole = "\n".join(paragraphs_of(text))
    small = _one_script(folded(whole), language)
    entries = shipped_list(language) if phrases is None else phrases
    found = [hit for phrase in entries if (hit := _hit(phrase, whole, small))]
    rated = sum(hit.count for hit in found if hit.group not in UNRATED)
    length = language.measure(whole)
    return Stock(
        count=rated,
        per_thousand=round(1_000 * rated / length, 2) if length else 0.0,
        hits=tuple(sorted(found, key=lambda hit: -hit.count)),
    )


def _hit(phrase: StockPhrase, whole: str, small: str) -> StockHit | None:
    for words in phrase.needles:
        for word in words:
            if word in small:
                break
        else:
            return None
    if not (spans := [match.span() for match in phrase.pattern.finditer(small) if match.end() > match.start()]):
        return None
    quotes = tuple(excerpt(whole, start, end) for start, end in spans[:_QUOTES])
    return StockHit(entry=phrase.entry, group=phrase.group, count=len(spans), quotes=quotes)


def _phrase(entry: str, group: str, language: Language, place: str) -> StockPhrase:
    small = _one_script(folded(entry) if _PLAIN.fullmatch(entry) else entry, language)
    body = re.sub(r" (?![?*+{])", r"\\s+", small)
    if language is Language.EN:
        body = rf"(?<!\w)(?:{body})" + ("" if body.endswith("$") else r"(?!\w)")
    try:
        pattern = re.compile(body, re.MULTILINE)
    except re.error as error:
        raise InvalidSetting(f"{place} is no regular expression ({error}): {entry!r}") from None
    return StockPhrase(entry, group, pattern, _needles(small))


def _one_script(text: str, language: Language) -> str:
    """Bring Chinese to one script, character by character; a text in another language stays."""
    return simplified(text) if language is Language.ZH else text


def _needles(entry: str) -> tuple[tuple[str, ...], ...]:
    """Return what each find of a pattern holds: its runs of letters, and one of the words of each choice."""
    flat = _CODED.sub("\0", entry).lower()
    depths = ((match, flat[: match.start()]) for match in _CHOICE.finditer(flat))
    choices = [tuple(match[1].split("|")) for match, before in depths if before.count("(") == before.count(")")]
    while flat != (flat := _GROUP.sub("\0", flat)):
        pass
    if "|" in flat:
        return ()
    certain = re.sub(r".(?:[?*]|\{0?,?\d*,?\d*\})", "\0", flat)
    runs = [(run,) for run in re.split(r"[^\w]+", certain) if run]
    return tuple(sorted((*runs, *choices), key=lambda words: -min(map(len, words))))
