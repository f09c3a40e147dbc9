"""Which characters a file's bytes stand for: told where they can be told, and said to be a guess where not.

Every legacy encoding of East Asia turns nearly any bytes into letters. Which letters tells the right one:
a few dozen characters make up a third of all Chinese, most Japanese is hiragana, and what a wrong encoding
makes of either is rare han.
"""

import codecs
import re
from dataclasses import dataclass

from bookwright.models.errors import InvalidInput

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip
"""UTF-32 before UTF-16, whose mark it begins with."""

_SHIFTS = b"\x1b$"
"""Old Japanese mails and news are all ASCII by their bytes, and say by this where it is none."""
_LEGACY = ("gb18030", "cp932", "big5hkscs", "cp949", "euc_jp", "cp1252")
_NAMES = {
    "utf-8-sig": "UTF-8", "utf-8": "UTF-8", "utf-16": "UTF-16", "utf-16-le": "UTF-16", "utf-16-be": "UTF-16",
    "utf-32": "UTF-32", "gb18030": "GB18030", "cp932": "Shift-JIS", "big5hkscs": "Big5", "cp949": "EUC-KR (CP949)",
    "euc_jp": "EUC-JP", "cp1252": "Windows-1252",
}  # fmt: skip
_COMMON = frozenset(
    "的一是不了在人有我他她这这個个們们中来來上大为為和国國地到以说說时時要就出会會可也你对對生能而子那得于於着著下自之年过過发發后後作里裡"
    "道没沒去好看家心头頭然起都想还還但样樣多小只什么麼很天"
    "日本見言分手行者間事思気前方入合目長場代私立部学物月田何彼話体動知山内同実作今書度明力名対意用男主通関文屋感持外取所現"
    "이다는을를에의가고하지은그도서어나로한기들자리라사시아해것있었니"
    "，。、「」『』！？…“”‘’：；—　（）《》·"
    "éèêàâçîôûëïüöäßñáíóúÉ£©§°–«»"
)
_HIRAGANA = re.compile("[\u3041-\u3096]")
_KATAKANA = re.compile("[\u30a1-\u30fa\u30fc]")
_KATAKANA_SHARE = 0.3
_PIECE = 60_000
"""Bytes of the beginning, the middle and the end that a guess looks at."""
_SURE, _CLOSE = 0.15, 0.75
_MOST_DAMAGE = 0.001
"""Of the characters may be beyond repair where the author names the encoding."""


@dataclass(frozen=True)
class Decoded:
    """A text with the encoding that it was read in."""

    text: str
    encoding: str
    """Under the name by which people know it."""
    doubt: str = ""
    """Why the encoding may be another one; empty where it is certain."""


def decode(content: bytes, encoding: str = "") -> Decoded:
    """Return the text of some bytes; `encoding` decides where it is given.

    Raises:
        InvalidInput: They are no text, or none in that encoding.
    """
    if encoding:
        return _decoded_as(content, encoding)
    for mark, name in _MARKS:
        if content.startswith(mark):
            return Decoded(_strictly(content, name), _NAMES[name])
    wide = _utf16_without_mark(content)
    if wide:
        return Decoded(_strictly(content, wide), _NAMES[wide], "it has no byte order mark")
    if b"\0" in content:
        raise InvalidInput("it is no text: it holds null bytes")
    if _SHIFTS in content and _decodes(content, "iso2022_jp_2"):
        return Decoded(content.decode("iso2022_jp_2"), "ISO-2022-JP")
    try:
        return Decoded(content.decode("utf-8"), "UTF-8")
    except UnicodeDecodeError as error:
        return _guessed(content, error)


def _decoded_as(content: bytes, encoding: str) -> Decoded:
    try:
        name = codecs.lookup(encoding).name
        text = content.decode(name, "replace").removeprefix("\ufeff")
    except (LookupError, UnicodeError, ValueError):
        raise InvalidInput(f"--encoding is {encoding!r}, which is none; try {', '.join(_LEGACY[:5])}") from None
    damaged = text.count("\ufffd")
    if damaged > _MOST_DAMAGE * len(text) or "\0" in text:
        raise InvalidInput(f"it is no text in {encoding}: {damaged:,} of {len(text):,} characters cannot be read")
    return Decoded(text, _NAMES.get(name, name), f"{damaged:,} characters cannot be read in it" if damaged else "")


def _strictly(content: bytes, name: str) -> str:
    try:
        return content.decode(name)
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"it says that it is {_NAMES[name]} and is not, from byte {error.start:,} on; --encoding decides"
        ) from None


def _utf16_without_mark(content: bytes) -> str:
    """Tell UTF-16 by its line ends and spaces, of which every text has many, and no other encoding a null."""
    head = content[:_PIECE]
    if len(content) % 2:
        return ""
    first, second = head[::2], head[1::2]
    for name, letters, planes in (("utf-16-le", first, second), ("utf-16-be", second, first)):
        found = sum(letter in b"\n " and not plane for letter, plane in zip(letters, planes, strict=False))
        if found > len(head) / 800 and _decodes(content, name):
            return name
    return ""


def _decodes(content: bytes, name: str) -> bool:
    try:
        text = content.decode(name)
    except UnicodeDecodeError:
        return False
    return "\0" not in text


def _guessed(content: bytes, fault: UnicodeDecodeError) -> Decoded:
    scores = {name: _plausibility(content, name) for name in _LEGACY if _decodes(content, name)}
    ranked = sorted(scores, key=lambda name: scores[name], reverse=True)
    if not ranked or scores[ranked[0]] <= 0.02:
        raise InvalidInput(
            f"its encoding cannot be told (it is not UTF-8 from byte {fault.start:,} on); name it with --encoding"
        )
    best = ranked[0]
    rival = next((name for name in ranked[1:] if scores[name] > _CLOSE * scores[best]), "")
    doubt = "its letters are unusual" if scores[best] < _SURE else f"it could be {_NAMES[rival]}" if rival else ""
    return Decoded(content.decode(best), _NAMES[best], doubt)


def _plausibility(content: bytes, name: str) -> float:
    """Tell how usual the letters beyond ASCII are that an encoding makes of some bytes, 0 to 1."""
    text = "".join(letter for letter in _sample(content).decode(name, "ignore") if letter > "\x7f")
    if not text:
        return 0.0
    if name == "cp1252":  # each byte a letter: a text that is nothing but accents is none
        return sum(letter in _COMMON for letter in text) / len(text) * (len(text) < 0.3 * len(_sample(content)))
    hiragana, katakana = len(_HIRAGANA.findall(text)), len(_KATAKANA.findall(text))
    kana = hiragana + min(katakana, _KATAKANA_SHARE * len(text)) if hiragana else 0
    if name in ("gb18030", "big5hkscs"):
        kana = -hiragana  # kana have the same bytes in GB18030 and EUC-JP, and Chinese has hardly any
    return max((kana + sum(letter in _COMMON for letter in text)) / len(text), 0.0)


def _sample(content: bytes) -> bytes:
    if len(content) <= 3 * _PIECE:
        return content
    middle = content.find(b"\n", len(content) // 2) + 1
    last = content.find(b"\n", len(content) - _PIECE) + 1
    return content[:_PIECE] + content[middle : middle + _PIECE] + content[last:]
