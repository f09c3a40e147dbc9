"""A page of a vault as Markdown: front matter that says of what it was made, a heading, the text; and read back.

Its seal is a sum over itself, by which it can be told that nobody has changed the file since it was rendered.
A link `[[Cosmology]]` means a title, and an editor looks for a file of that name; so a page is written with
`[[1.4 Cosmology|Cosmology]]`, which editors of such folders follow, and read back without.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bookwright.exports.vault.names import safe_name
from bookwright.models.codex.entries import folded
from bookwright.models.errors import InvalidInput

LONGEST_BYTES = 4_000_000
KEYS = ("book", "id", "node", "kind", "title", "parts", "seal", "mine")
"""Of the front matter. `mine` says of which file a conflict was laid out."""
_MARK = re.compile(r"^(\\*)(<!-- bookwright: )", re.MULTILINE)
"""What a text may hold that reads like one of our own marks gets one backslash more."""
_BETWEEN = re.compile(r"^<!-- bookwright: (\S+) -->\n?", re.MULTILINE)
_REF = re.compile(r"(1(?:\.[1-9][0-9]*)*) ([a-z_]+) ([1-9][0-9]{0,8}) ([0-9a-f]{24})")

_LINK = re.compile(r"\[\[([^\[\]|\n]{1,160})\]\]")
_LED = re.compile(r"\[\[1(?:\.[1-9][0-9]*)+ ([^\[\]|\n]+?)\\?\|([^\[\]|\n]{1,160})\]\]")
_SURE = 60
"""Bytes of a title that a file's name begins with for sure, however long the title is."""

_SEAL = re.compile(rb"(?<=seal: )[0-9a-f]{16}(?![0-9a-f])")
OPEN = "seal: 0000000000000000"
"""What a page says where its seal goes."""


@dataclass(frozen=True)
class Ref:
    """One version of one document, as a page names it."""

    label: str
    kind: str
    version: int
    text_hash: str

    def __str__(self) -> str:
        return f"{self.label} {self.kind} {self.version} {self.text_hash}"


@dataclass(frozen=True)
class PageText:
    """A page, taken apart."""

    refs: tuple[Ref, ...]
    """Of which versions it was rendered, in order."""
    texts: tuple[str, ...]
    """As many."""
    title: str
    """As the front matter has it; empty where it has none."""
    heading: str
    """The line above the text; empty where somebody took it out."""


def rendered(head: dict[str, str], refs: Sequence[Ref], heading: str, texts: Sequence[str]) -> str:
    """Lay a page out, its seal still open. The values of `head` are the front matter's, in order."""
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in head.items() if value]
    front = ["---", OPEN, *lines, "parts:", *(f"- {ref}" for ref in refs), "---"]
    pieces = [_MARK.sub(r"\\\1\2", text.strip()) for text in texts]
    if len(pieces) > 1:
        pieces = [f"<!-- bookwright: {ref.label} -->\n\n{piece}" for ref, piece in zip(refs, pieces, strict=True)]
    return "\n\n".join(["\n".join(front), f"# {' '.join(heading.split())}", *pieces]) + "\n"


def decoded(content: bytes) -> str:
    """Return a file's text, whatever an editor made of its line ends and its beginning.

    Raises:
        InvalidInput: It is too long, or not UTF-8.
    """
    if len(content) > LONGEST_BYTES:
        raise InvalidInput(f"has more than {LONGEST_BYTES:,} bytes")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"is not UTF-8 (byte {error.start:,}); save it as UTF-8") from None
    if "\x00" in text:
        raise InvalidInput("holds zero bytes; it is no text, or is cut off")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def parsed(text: str) -> PageText:
    """Take a page apart.

    Raises:
        InvalidInput: Its front matter or the marks between its parts are not as they were rendered.
    """
    front, body = _split(text)
    values, refs = _front(front)
    heading, body = _heading(body)
    return PageText(refs, tuple(_parts(body, refs)), values.get("title", ""), heading)


def _split(text: str) -> tuple[list[str], str]:
    lines = text.lstrip("\n").split("\n")
    end = next((number for number, line in enumerate(lines) if number and line.rstrip() == "---"), 0)
    if not lines[0].rstrip() == "---" or not end:
        raise InvalidInput("has lost its front matter, the lines between --- and --- at its top; put them back")
    return lines[1:end], "\n".join(lines[end + 1 :])


def _front(lines: Sequence[str]) -> tuple[dict[str, str], tuple[Ref, ...]]:
    values: dict[str, str] = {}
    refs = []
    for line in filter(str.strip, lines):
        if line.lstrip().startswith("- "):
            refs.append(_ref(_value(line.lstrip()[2:])))
            continue
        key, colon, value = line.partition(":")
        if not colon or key.strip() not in KEYS:
            raise InvalidInput(f"has a line in its front matter that cannot be kept: {line.strip()[:60]!r}")
        values[key.strip()] = _value(value)
    if not refs:
        raise InvalidInput("does not say in its front matter (`parts:`) of which versions it was made; put that back")
    return values, tuple(refs)


def _ref(text: str) -> Ref:
    found = _REF.fullmatch(text)
    if found is None:
        raise InvalidInput(f"has a part in its front matter that says nothing: {text[:60]!r}")
    return Ref(found[1], found[2], int(found[3]), found[4])


def _value(text: str) -> str:
    """Read a YAML scalar, which an editor may have quoted otherwise than we do."""
    text = text.strip()
    try:
        value = json.loads(text) if text.startswith('"') else text
    except ValueError:
        value = text
    if len(text) > 1 and text[0] == text[-1] == "'":
        value = text[1:-1].replace("''", "'")
    return str(value)


def _heading(body: str) -> tuple[str, str]:
    body = body.lstrip("\n")
    first, _, rest = body.partition("\n")
    return (first[2:].strip(), rest) if first.startswith("# ") else ("", body)


def _parts(body: str, refs: Sequence[Ref]) -> Iterator[str]:
    if len(refs) == 1:
        yield _unmarked(body)
        return
    before, *pieces = _BETWEEN.split(body)
    labels, texts = pieces[::2], pieces[1::2]
    if labels != [ref.label for ref in refs]:
        raise InvalidInput(
            "has not all the marks between its parts, such as "
            f"<!-- bookwright: {refs[0].label} -->, in their order; put them back"
        )
    if before.strip():
        raise InvalidInput(f"has words above its first mark, which belong to no part: {before.strip()[:40]!r}")
    yield from map(_unmarked, texts)


def _unmarked(text: str) -> str:
    """Return a text as the book has it: links that `linked` made go by their title alone again."""

    def to_title(found: re.Match[str]) -> str:
        is_ours = folded(found[1]).startswith(folded(safe_name(found[2], _SURE)))
        return f"[[{found[2]}]]" if is_ours else found[0]

    return _LED.sub(to_title, re.sub(r"^\\(\\*<!-- bookwright: )", r"\1", text, flags=re.MULTILINE).strip())


def linked(text: str, files: Mapping[str, str]) -> str:
    """Return a text whose links lead to files; `files` has their names, without an ending, by folded title."""

    def led(line: str) -> str:
        bar = r"\|" if line.lstrip().startswith("|") else "|"  # in a table a bare one would end the cell

        def to_file(found: re.Match[str]) -> str:
            file = files.get(folded(found[1]))
            return f"[[{file}{bar}{found[1]}]]" if file and file != found[1] else found[0]

        return _LINK.sub(to_file, line)

    return "\n".join(map(led, text.split("\n")))


def sealed(text: str) -> bytes:
    """Return a page as it is written to the disk; it holds `OPEN` once, before any word that is not ours."""
    content = text.encode("utf-8", "replace")
    return content.replace(OPEN.encode(), f"seal: {_sum(content)}".encode(), 1)


def seal_of(content: bytes) -> str:
    """Return a file's seal if it holds: if the file reads as it was rendered, by whichever version of the book."""
    found = _SEAL.search(content)
    if found is None:
        return ""
    bare = content[: found.start()] + b"0" * 16 + content[found.end() :]
    seal = found.group().decode()
    return seal if seal == _sum(bare) else ""


def is_untouched(content: bytes) -> bool:
    """Tell whether a file's seal holds."""
    return bool(seal_of(content))


def _sum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]
