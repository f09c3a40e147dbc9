"""Speech in prose: all marks of four languages, nested, left open over paragraphs, or set off by a dash."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from bookwright.agents.relay.figures.text import paragraphs_of
from bookwright.models.text.language import Language, lazy_pattern

Span = tuple[int, int]
"""Where speech begins and ends in a paragraph, marks included."""

_PAIRS = {"“": "”", "「": "」", "『": "』", "«": "»", "〝": "〟", "‘": "’", "'": "'", '"': '"', "＂": "＂"}
_CLOSERS = {closer: opener for opener, closer in _PAIRS.items()}
_MARKS = lazy_pattern(f"[{''.join({*_PAIRS, *_CLOSERS})}]")
_SINGLE = "‘'"
_STRAIGHT = "\"＂'"
_BRACKETS = frozenset("「『“«〝")
"""Marks whose two sides differ, so that one alone tells that speech began or ended elsewhere."""

_THOUGHTS = {Language.JA: frozenset("‘'"), Language.KO: frozenset("‘'")}
"""Single marks hold thoughts there, not speech."""

_BEFORE_SINGLE = lazy_pattern(r"(?:^|[\s(\[—–\-“「『\"：:，,。！？])$")
_ENDS_SPEECH = frozenset(".,!?…—–-。！？，、~～”』」")
_HOLDS_END = lazy_pattern(r"[.,!?…。！？，、—～~]")
_LEADS_IN = lazy_pattern(r"(?:^|[.!?…。！？:：,，、—–\-\s“”」』»说道问答喊叫])\s*$")
_QUOTED_ON = lazy_pattern(r"(?:と(?!い[うっわ])|って|라고|이라고|하고|고\s|라며)")
_NAMED_ON = lazy_pattern(r"(?:とい[うっわ]|[のはがをにも]|라는|이라는|[은는이가을를의]\s)")
_MENTION = {Language.EN: 24, Language.KO: 10, Language.ZH: 6, Language.JA: 6}
"""A quotation of so few characters without a stop, amid a sentence, names a word and speaks to nobody."""

_DASH = lazy_pattern(r"\s*(?:[—–―─]{1,2}|-{1,2})\s*(?=[^\sa-z\-—–―─])")
_ASIDE = lazy_pattern(r"\s[—–―]\s?|(?<=[,.!?…，。！？])[—–―]\s?|[—–―](?=[.,;，。；])")
_DASH_LANGUAGES = (Language.EN, Language.ZH, Language.KO)
_ENDS = tuple(".!?…。！？:：”」』、，,")
_LOOK_BACK = 8
_FARTHEST = 12
"""Paragraphs that one speech may run over."""


@dataclass
class _Scan:
    """One paragraph read from mark to mark."""

    stack: list[tuple[str, int]] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    stray: int | None = None
    """Where a speech ends that did not begin here."""


def dialogue_share(text: str, language: Language) -> float:
    """Return the share of a text that is spoken, 0 to 1, in the language's unit."""
    parts = paragraphs_of(text)
    whole = sum(map(language.measure, parts))
    spoken = sum(
        language.measure(part[start:end]) for part, spans in speech_in(parts, language) for start, end in spans
    )
    return min(spoken / whole, 1.0) if whole else 0.0


def narration(text: str, language: Language) -> str:
    """Return a text without what is spoken in it; a paragraph that is all speech goes."""
    kept = []
    for part, spans in speech_in(paragraphs_of(text), language):
        edges = [0, *(edge for span in spans for edge in span), len(part)]
        kept.append(" ".join(part[a:b].strip() for a, b in zip(edges[::2], edges[1::2], strict=True)).strip())
    return "\n".join(part for part in kept if part)


def speech_in(parts: list[str], language: Language) -> Iterator[tuple[str, list[Span]]]:
    """Yield each paragraph with the spans that are spoken in it: the outermost quotations."""
    scans = [_scan(part) for part in parts]
    carried = _carried(parts, scans)
    for number, (part, scan) in enumerate(zip(parts, scans, strict=True)):
        yield part, [(0, len(part))] if number in carried else _spoken(part, scan, language)


def _scan(part: str) -> _Scan:
    scan = _Scan()
    for found in _MARKS.finditer(part):
        place, mark = found.start(), found[0]
        if mark in _STRAIGHT:
            _straight(scan, part, place, mark)
        elif mark in _PAIRS:
            if mark not in _SINGLE or _opens_single(part, place):
                scan.stack.append((mark, place))
        elif mark in _CLOSERS:
            _close(scan, part, place, _CLOSERS[mark])
    return scan


def _straight(scan: _Scan, part: str, place: int, mark: str) -> None:
    """Take a mark whose two sides look the same."""
    if any(opener == mark for opener, _ in scan.stack):
        _close(scan, part, place, mark)
    elif mark == "'" and not _opens_single(part, place):
        return
    elif not part[place - 1 : place].isdigit():  # six inches
        scan.stack.append((mark, place))


def _opens_single(part: str, place: int) -> bool:
    after = part[place + 1 : place + 2]
    return bool(_BEFORE_SINGLE.search(part[max(0, place - 1) : place])) and bool(after) and not after.isspace()


def _close(scan: _Scan, part: str, place: int, opener: str) -> None:
    if opener in _SINGLE and not _closes_single(part, place):
        return
    depths = [depth for depth, (mark, _) in enumerate(scan.stack) if mark == opener]
    if depths:
        start = scan.stack[depths[-1]][1]
        del scan.stack[depths[-1] :]
        if not scan.stack:
            scan.spans.append((start, place + 1))
    elif opener in _BRACKETS and not scan.stack and not scan.spans and scan.stray is None:
        scan.stray = place + 1


def _closes_single(part: str, place: int) -> bool:
    before, after = part[place - 1 : place], part[place + 1 : place + 2]
    return not after.isalnum() and (before in _ENDS_SPEECH or not before.isascii())


def _carried(parts: list[str], scans: list[_Scan]) -> set[int]:
    """Return the numbers of paragraphs that lie within a speech begun before and ended after them."""
    carried: set[int] = set()
    for number, scan in enumerate(scans):
        if not (scan.stack and scan.stack[0][0] in _BRACKETS):
            continue
        for later in range(number + 1, min(number + _FARTHEST, len(parts))):
            if scans[later].stray is not None:
                carried.update(range(number + 1, later))
            if scans[later].stray is not None or scans[later].spans or scans[later].stack:
                break
    return carried


def _spoken(part: str, scan: _Scan, language: Language) -> list[Span]:
    thoughts = _THOUGHTS.get(language, frozenset())
    found = [(0, scan.stray)] if scan.stray else []
    found += [span for span in scan.spans if part[span[0]] not in thoughts and not _is_mention(part, span, language)]
    if scan.stack and scan.stack[0][0] not in _SINGLE:
        found.append((scan.stack[0][1], len(part)))
    if not found and not scan.spans and language in _DASH_LANGUAGES:
        return _after_dash(part)
    return found


def _is_mention(part: str, span: Span, language: Language) -> bool:
    start, end = span
    inside = part[start + 1 : end - 1]
    if len(inside) > _MENTION[language] or _HOLDS_END.search(inside):
        return False
    before = part[max(0, start - _LOOK_BACK) : start]
    if language in (Language.JA, Language.KO):
        is_amid = bool(before.strip()) and not before.rstrip().endswith(_ENDS)
        return bool(_NAMED_ON.match(part, end)) or (is_amid and not _QUOTED_ON.match(part, end))
    return bool(before.strip()) and not _LEADS_IN.search(before.rstrip() if language is Language.EN else before)


def _after_dash(part: str) -> list[Span]:
    """Return what is said after an opening dash; between further dashes speech and telling take turns."""
    opening = _DASH.match(part)
    if opening is None:
        return []
    asides = (aside.start() for aside in _ASIDE.finditer(part, opening.end()))
    edges = [opening.start(), *asides, len(part)]
    return [(edges[i], edges[i + 1]) for i in range(0, len(edges) - 1, 2)]
