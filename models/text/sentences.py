"""Where a sentence ends, in the four languages: abbreviations, initials, quotations and speech tags are known.

Measured against kept libraries on recorded and hand-made prose (docs/benchmarks.md); none of them knows all four.
"""

import re
from functools import lru_cache

from bookwright.models.text.language import lazy_pattern

_CLOSERS = "\"'’”」』）)\\]*_»】》"
_EASTERN = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_END = lazy_pattern(rf"(?P<marks>[.。．！？!?…｡]+)(?P<closers>(?:(?<!\s)[{_CLOSERS}])*)(?P<space>\s*)")
"""Marks that may end a sentence, what closes behind them, and the space after that."""

_GOES_ON = lazy_pattern(r"[a-z,，、;；:：.。．！？!?…–—\-~～%’”」』）)\]»】》]")
"""What no sentence begins with."""
_LETTER = lazy_pattern(rf"[{_EASTERN}]")

_TITLES = frozenset(
    "mr mrs ms mx dr st prof rev fr capt col gen lt sgt cpl maj cmdr adm hon pres gov sen rep messrs mme mlle mgr sr "
    "sra srta dom mt ft gen insp supt".split()
)
"""Before a name."""
_BEFORE_FIGURES = frozenset(
    "no nos nr p pp vol vols ch chs fig figs acct art sec sect ca c vs cf op ps pt pts bk ed tel ext para l ll n "
    "mon tue tues wed thu thur thurs fri sat sun jan feb mar apr jun jul aug sep sept oct nov dec".split()
)
_WITHIN = frozenset("eg ie cf viz vs al ca approx dept est resp".split())
"""Before anything; without their inner stops."""
_SOMETIMES = frozenset("etc co corp inc ltd bros jr sr esq phd md ba ma us usa uk am pm ad bc".split())
"""They may end a sentence: they do where the next word is one that sentences begin with."""
_STARTERS = frozenset(
    "a an the i he she it we you they this that these those there here his her its our your their my who what when "
    "where why how which and but or so yet then now if as in on at by from with for of to not no yes nobody nothing "
    "all some one two three both each every after before while since until perhaps never".split()
)
_SAID = (
    r"said|asked|answered|replied|cried|shouted|called|whispered|murmured|muttered|repeated|added|began|went on|told|"
    r"says|asks|thought|wrote|sang|laughed|snapped|insisted|agreed|breathed|observed|remarked|put in"
)
_TAG_EN = lazy_pattern(
    rf"I (?:{_SAID})\b|(?!(?:He|She|It|We|You|They|I|This|That|There|Who)\b)"
    rf"[A-Z][\w’'-]*(?: [A-Z][\w’'-]*){{0,2}} (?:{_SAID})\b"
)
_TAG_ZH = lazy_pattern(
    r"[^，。！？；：…“”「」『』（）\s没沒不无無]{0,12}?(?:说|說|道|问|問|答|喊|叫|嚷|骂|罵|吼)(?:着|著|了|起来|一声|一聲)?[，。！？；：]"
    r"|[^，。！？；：…“”「」『』（）\s]{1,12}，[“「『]|(?:说|說)[完着著罢罷]"
)
_GOES_ON_ZH = lazy_pattern(r"[的地得之了就便才都也而和与跟及、，]")
_GOES_ON_JA = lazy_pattern(
    r"と(?!$)|って|など|なんて|とか|という|が(?=[^あ-ん]|[、])|を|は(?![いっぁ])|に(?=[^ゃゅょ])|の(?=[^ぉー])|も(?=[^しうっ])|"
    r"だ(?:と|っ)|です|、|[^。！？「」『』、]{1,10}(?:言っ|訊い|聞い|尋ね|叫ん|答え|呟い|囁い)た"
)
_GOES_ON_KO = lazy_pattern(
    r"(?:이?라[고는며니]|이?란|하고|하며|하는|하던|고는|며)(?=[\s,.가-힣])|[가-힣]{1,6}[이가은는]? ?(?:[가-힣]+ )?"
    r"(?:말했|물었|대답했|외쳤|속삭였|중얼거렸|소리쳤|덧붙였|되물었)다"
)
_HANGUL = lazy_pattern(r"[\uac00-\ud7af]")
_FINAL_KO = lazy_pattern(r"[다요까죠네지]$")
_WORD_BEFORE = lazy_pattern(r"(?:[^\W\d_](?:\.[^\W\d_])+|[^\W\d_]+)$")
_INITIAL_BEFORE = lazy_pattern(r"(?:^|[\s\"'“‘(*_.—-])[A-Z]$")
_COLONS = lazy_pattern(r"(?:[，：:,。！？!?…；—\s]|[说說道问問答喊叫写寫念])$")
_LIST_NUMBER = lazy_pattern(r"[\s*_#>+-]*(?:\d{1,3}|[IVXLC]{1,6})$")
_LABEL = lazy_pattern(r"[\s*_#>+-]*(?:\d{1,3}[.)]\s*)?\*\*[^*]{1,60}\*\*")
"""Words in bold that say what an entry of a list is about; it goes on behind them."""
_PAIR = {"”": "“", "」": "「", "』": "『", "）": "（", ")": "(", "’": "‘"}
_NEAR, _FAR = 60, 600
"""Characters that are looked at on either side of a mark, and before it for where a quotation opened."""


@lru_cache(maxsize=4_096)
def sentence_ends(paragraph: str) -> tuple[int, ...]:
    """Return where the sentences of a paragraph end, but the last one, each behind the space after it."""
    ends: list[int] = []
    start = 0
    for found in _END.finditer(paragraph):
        if found.end() < len(paragraph) and _ends(paragraph, start, found):
            ends.append(found.end())
            start = found.end()
    return tuple(ends)


def _ends(text: str, start: int, found: re.Match[str]) -> bool:
    marks, closers, space = found["marks"], found["closers"], found["space"]
    after = text[found.end() : found.end() + _NEAR]
    if _GOES_ON.match(after):
        return False
    if not space and not (_LETTER.match(after[0]) or _is_eastern(marks, closers)):
        return False
    start = max(start, found.start() - _FAR)
    before = text[start : found.start()]
    if not closers and _is_open(before, marks, space, after):
        return False
    if closers.endswith("**") and _LABEL.fullmatch(text[start : found.start("space")]):
        return False
    return not (closers and _is_spoken_on(text[start : found.start("space")], closers, after))


def _is_eastern(marks: str, closers: str) -> bool:
    return marks[-1] in "。！？｡．" or closers[-1:] in ("」", "』", "）", "”")


def _is_open(before: str, marks: str, space: str, after: str) -> bool:
    """True if marks end no sentence, though nothing closes behind them: a pause, or the stop of an abbreviation."""
    if marks[-1] == "…" or marks.endswith(".."):
        return not space or (_HANGUL.match(after) is not None and not _FINAL_KO.search(before))
    return marks == "." and (before[-1:].isspace() or _is_abbreviated(before, after))


def _is_abbreviated(before: str, after: str) -> bool:
    """True if a full stop belongs to what stands right before it."""
    if _LIST_NUMBER.fullmatch(before):
        return True
    near = before[-_NEAR:]
    found = _WORD_BEFORE.search(near)
    if found is None:
        return False
    word = found[0].replace(".", "").casefold()
    is_figure, opening = after[:1].isdigit(), _first_word(after)
    if _INITIAL_BEFORE.search(near) and not (found[0] == "I" and opening in _STARTERS):
        return opening not in _STARTERS and not is_figure
    if word in _TITLES and found[0][0].isupper():
        return not is_figure
    if word in _BEFORE_FIGURES and is_figure:
        return True
    if (word in _WITHIN and "." in found[0]) or word in ("cf", "vs", "viz"):
        return True
    return word in _SOMETIMES and _is_inside(found[0], opening, is_figure)


def _is_inside(word: str, opening: str, is_figure: bool) -> bool:
    if word.casefold() in ("a.m", "p.m"):
        return False
    return opening not in _STARTERS and not is_figure and (word[0].isupper() or "." in word)


def _first_word(text: str) -> str:
    found = re.match(r"[\"'“‘(*_]*([^\W\d_]+)", text)
    return found[1].casefold() if found else ""


def _is_spoken_on(sentence: str, closers: str, after: str) -> bool:
    """True if what follows a quotation belongs to it: who says it, or the sentence that it stands in."""
    if _is_embedded(sentence, closers):
        return True
    if not set(closers) & set("\"'’”」』"):
        return False
    first = _LETTER.match(after)
    if first is None:
        return _TAG_EN.match(after) is not None
    if _HANGUL.match(after):
        return _GOES_ON_KO.match(after) is not None
    if closers[-1] in "」』" and _GOES_ON_JA.match(after):
        return True
    return bool(_GOES_ON_ZH.match(after) or _TAG_ZH.match(after))


def _is_embedded(sentence: str, closers: str) -> bool:
    """True if a quotation or bracket in Chinese or Japanese opened in the middle of words."""
    opening = _PAIR.get(closers[-1])
    place = sentence.rfind(opening) if opening else -1
    if place <= 0 or not _LETTER.match(sentence[place - 1]):
        return False
    return _COLONS.search(sentence[:place]) is None
