"""Prose as paragraphs and sentences: numbered, cut and added to in code, never guessed at."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from bookwright.models.text.language import Language, lazy_pattern

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

_PARAGRAPH = re.compile(r"\n\s*\n|\n")
_CLOSED = re.compile(r"[.!?。！？…][\"”’」』）)\]]*")
_INSERTION = re.compile(r"^[ \t]*@after[ \t]+(\d{1,9})[ \t]*$", re.MULTILINE)
_SCENE_BREAK = re.compile(
    r"(?!(?:[=＝+＋]\s*){1,2}$|[〜×]$)(?![\W_]*[·•~～〜×]{2})[\s*＊#\-–—―─━_=＝+＋~～〜·•・･◇◆○●◎☆★□■△▲▽▼×※§⁂❦❧✦❖♦]{1,120}"
)
"""Signs alone; of those that are also silence or a censored word only one, or several with spaces between them."""


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


def paragraphs(text: str) -> list[str]:
    """Split a text into its paragraphs, without empty ones."""
    return [part.strip() for part in _PARAGRAPH.split(text) if part.strip()]


def is_scene_break(paragraph: str) -> bool:
    """True for a paragraph that is no text but a mark between scenes, such as `"***"`."""
    return _SCENE_BREAK.fullmatch(paragraph) is not None


def sentences(paragraph: str) -> list[str]:
    """Split a paragraph into sentences, each with its closing marks."""
    return [piece.strip() for piece in pieces(paragraph)]


def pieces(paragraph: str) -> list[str]:
    """Split a paragraph into sentences with the space after each; joined, they are the paragraph."""
    ends = sentence_ends(paragraph)
    parts = [paragraph[start:end] for start, end in zip([0, *ends], [*ends, None], strict=True)]
    return [part for part in parts if part.strip()]


def numbered_paragraphs(text: str) -> str:
    """The text with `[1]`, `[2]` ... before its paragraphs."""
    return "\n\n".join(f"[{number}] {part}" for number, part in enumerate(paragraphs(text), 1))


def numbered_sentences(text: str) -> str:
    """The text with `[2.3]` (paragraph, sentence) before each sentence."""
    lines = []
    for number, paragraph in enumerate(paragraphs(text), 1):
        lines.append(" ".join(f"[{number}.{index}] {part}" for index, part in enumerate(sentences(paragraph), 1)))
    return "\n\n".join(lines)


@dataclass(frozen=True)
class Insertion:
    """A passage and the number of the paragraph it follows; 0 for the beginning."""

    after: int
    text: str


def read_insertions(reply: str) -> list[Insertion]:
    """Read `@after N` passages in the order given; a reply without marks is one passage for the end."""
    marks = list(_INSERTION.finditer(reply))
    if not marks:
        return [Insertion(10**9, reply.strip())] if reply.strip() else []
    ends = [mark.start() for mark in marks[1:]] + [len(reply)]
    found = [
        Insertion(int(mark.group(1)), reply[mark.end() : end].strip()) for mark, end in zip(marks, ends, strict=True)
    ]
    return [insertion for insertion in found if insertion.text]


def lengthened(text: str, insertions: Iterable[Insertion], target: int, language: Language) -> str:
    """Add passages, first the most needed, until the target is reached; the last is cut to fit.

    A passage is cut only at a sentence end, and left out if none of its sentences fits.
    """
    parts = paragraphs(text)
    room = target - language.measure(text)
    chosen: list[Insertion] = []
    for insertion in insertions:
        fitting = cut_to(insertion.text, room, language) if room > 0 else ""
        if fitting:
            chosen.append(Insertion(min(insertion.after, len(parts)), fitting))
            room -= language.measure(fitting)
    for _, insertion in sorted(enumerate(chosen), key=lambda item: (-item[1].after, -item[0])):
        parts[insertion.after : insertion.after] = paragraphs(insertion.text)
    return "\n\n".join(parts)


def cut_to(text: str, limit: int, language: Language) -> str:
    """Return the longest beginning of a text that ends with a sentence and comes nearest to `limit`.

    The sentence that crosses the limit is kept if that misses it by less than leaving it out.
    """
    kept: list[str] = []
    total = 0
    for paragraph in paragraphs(text):
        kept.append("")
        for piece in pieces(paragraph):
            size = language.measure(piece)
            if total + size - limit > limit - total:
                return joined(kept)
            kept[-1] += piece
            total += size
    return joined(kept)


def whole_sentences(text: str) -> str:
    """Return a text up to its last sentence end."""
    end = max((match.end() for match in _CLOSED.finditer(text)), default=0)
    return text[:end].strip()


def last_sentence(text: str) -> str:
    """Return the last sentence of a text; empty where it has none."""
    return next((sentences(paragraph)[-1] for paragraph in reversed(paragraphs(text))), "")


def joined(parts: Iterable[str]) -> str:
    """Join paragraphs to a text, without those of which nothing is left."""
    return "\n\n".join(part.strip() for part in parts if part.strip())
