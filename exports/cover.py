"""A book's cover: a picture of the author's choice, or its title set as one."""

import html
import unicodedata
import zlib
from dataclasses import dataclass
from pathlib import Path

from bookwright.exports.manuscript import Cover
from bookwright.models.errors import InvalidInput
from bookwright.storage.files.given_file import read_bytes

_WIDTH, _HEIGHT = 1_600, 2_560
"""Pixels, in the proportion that shops ask for."""
_EDGE = 160
_SIZES = (190, 150, 120, 96, 76)
_MOST_LINES = 7
_MOST_BYTES = 20 * 2**20
_PNG = b"\x89PNG\r\n\x1a\n"
_HUES = ("#1d3557", "#3d405b", "#264653", "#4a2c40", "#2f3e46", "#5c3d2e")


@dataclass(frozen=True)
class CoverImage:
    """A picture as an EPUB holds it."""

    file: str
    media_type: str
    content: bytes


def typeset_cover(cover: Cover) -> CoverImage:
    """Return a cover with the title and the author on a plain ground, as SVG; the same for the same book."""
    size, lines = _title_lines(cover.title)
    top = _HEIGHT * 0.36 - size * 0.6 * (len(lines) - 1)
    title = "".join(_text(line, round(top + size * 1.2 * number), size) for number, line in enumerate(lines))
    author_size = min(84, int((_WIDTH - 2 * _EDGE) / max(_ems(cover.author), 1)))
    author = _text(cover.author, _HEIGHT - 340, author_size) if cover.author else ""
    hue = _HUES[zlib.crc32(cover.identity.encode()) % len(_HUES)]
    frame = f'<rect x="80" y="80" width="{_WIDTH - 160}" height="{_HEIGHT - 160}" fill="none" stroke="#f1e9d8" '
    content = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" '
        f'height="{_HEIGHT}" xml:lang="{cover.language.value}">'
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="{hue}"/>{frame}stroke-width="6"/>'
        f'<g fill="#f1e9d8" font-family="serif" text-anchor="middle">{title}{author}</g></svg>\n'
    )
    return CoverImage("cover.svg", "image/svg+xml", content.encode())


def read_cover(path: Path) -> CoverImage:
    """Read a picture, known by its content and whole.

    Raises:
        InvalidInput: It cannot be read, is neither JPEG nor PNG, is broken, or is larger than shops take.
    """
    content = read_bytes(path, "cover", _MOST_BYTES)
    try:
        if content.startswith(_PNG):
            _check_png(content)
            return CoverImage("cover.png", "image/png", content)
        if content.startswith(b"\xff\xd8"):
            _check_jpeg(content)
            return CoverImage("cover.jpg", "image/jpeg", content)
    except (ValueError, IndexError) as error:
        raise InvalidInput(f"the cover {str(path)!r} is broken: {error}") from None
    raise InvalidInput(f"the cover {str(path)!r} is neither JPEG nor PNG")


def _check_png(content: bytes) -> None:
    """Go through the chunks. Source: PNG, third edition (W3C Recommendation), section 5."""
    place, kind = len(_PNG), b""
    while kind != b"IEND":
        size = int.from_bytes(content[place : place + 4], "big")
        kind, body = content[place + 4 : place + 8], content[place + 4 : place + 8 + size]
        told = content[place + 8 + size : place + 12 + size]
        if len(told) < 4:
            raise ValueError("it ends too early")
        if zlib.crc32(body) != int.from_bytes(told, "big"):
            raise ValueError("a part of it has other bytes than it says")
        if kind == b"IHDR" and not (any(body[4:8]) and any(body[8:12])):
            raise ValueError("it has no width or height")
        place += 12 + size


def _check_jpeg(content: bytes) -> None:
    """Go through the segments to the scan. Source: ITU-T T.81, annex B."""
    place = 2
    has_frame = False
    while (marker := content[place + 1]) != 0xDA:
        if content[place] != 0xFF:
            raise ValueError("a part of it begins with other bytes than it should")
        if marker == 0xFF:  # fill
            place += 1
            continue
        is_frame = 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC)
        if is_frame and not (any(content[place + 5 : place + 7]) and any(content[place + 7 : place + 9])):
            raise ValueError("it has no width or height")
        has_frame = has_frame or is_frame
        place += 2 + max(int.from_bytes(content[place + 2 : place + 4], "big"), 2)
    if not has_frame:
        raise ValueError("it has no picture")
    if b"\xff\xd9" not in content[place:]:
        raise ValueError("it ends too early")


def _title_lines(title: str) -> tuple[int, list[str]]:
    """Break a title into lines, as large as it may be set."""
    for size in _SIZES:
        lines = _broken(title, (_WIDTH - 2 * _EDGE) / size)
        if len(lines) <= _MOST_LINES:
            break
    return size, lines


def _broken(title: str, most: float) -> list[str]:
    """Break before a word, or within one that is wider than a line, as titles in han and kana are."""
    lines = [""]
    for word in title.split() or [""]:
        for piece in _pieces(word, most):
            joined = f"{lines[-1]} {piece}".strip()
            if lines[-1] and _ems(joined) > most:
                lines.append(piece)
            else:
                lines[-1] = joined
    return lines


def _pieces(word: str, most: float) -> list[str]:
    pieces = [""]
    for character in word:
        if _ems(pieces[-1] + character) > most:
            pieces.append("")
        pieces[-1] += character
    return pieces


def _ems(text: str) -> float:
    """The width of a line in ems, a little more than most fonts take."""
    return sum(1.0 if unicodedata.east_asian_width(character) in "WF" else 0.62 for character in text)


def _text(line: str, y: int, size: int) -> str:
    return f'<text x="{_WIDTH // 2}" y="{y}" font-size="{size}">{html.escape(line)}</text>'
