"""Markdown as blocks: front matter, headings in both forms, paragraphs without their marks."""

import re
from collections.abc import Iterator

from bookwright.manuscripts.headings.lines import heading_in
from bookwright.manuscripts.manuscript import Block, ManuscriptSource, notes_left_out
from bookwright.models.text.language import lazy_pattern
from bookwright.models.text.plain import plain
from bookwright.models.text.prose import is_scene_break

ATX = lazy_pattern(r"^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_SETEXT = lazy_pattern(r"^ {0,3}(=+|-+)[ \t]*$")
FENCE = lazy_pattern(r"^ {0,3}(```|~~~)")
_KEY = lazy_pattern(r"^([A-Za-z][\w-]*):[ \t]*(.*)$")
_ESCAPED = lazy_pattern(r"\\([!-/:-@\[-`{-~])")
_STRONG = lazy_pattern(r"(?<!\\)(\*\*\*?|___?)(?=\S)((?:\\.|(?!\1).)+)(?<=\S)(?<!\\)\1")
_EMPHASIS = lazy_pattern(r"(?<![\w\\])_(?=\S)([^_\n]+?)(?<=\S)(?<!\\)_(?!\w)")
_LINK = lazy_pattern(r"(!?)\[([^\[\]\n]{0,500})\]\([^()\n]{0,2000}\)(?:\{[^{}\n]{0,200}\})?")
_NOTE = lazy_pattern(r"^ {0,3}\[\^[^\]\n]{1,100}\]:.*(?:\n(?: {4}|\t).*|\n[ \t]*(?=\n(?: {4}|\t)))*", re.MULTILINE)
_NOTE_MARK = lazy_pattern(r"\[\^[^\]\s]{1,100}\]")
_BULLET_OR_ROW, _FIGURE = lazy_pattern(r"[ \t]*(?:[-+*][ \t]+\S|\|)"), lazy_pattern(r"[ \t]*\d{1,9}[.)][ \t]+\S")
_EASTERN = lazy_pattern("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_RULE = lazy_pattern(r"[ \t]*\|?(?:[ \t]*:?-{3,}:?[ \t]*\|)+[ \t]*(?::?-{3,}:?)?[ \t]*")
_ROW = lazy_pattern(r"\|\s*(.*?)\s*\|?")
_GLOSS = lazy_pattern(r"<(rt|rp)\b[^<>]{0,200}>.{0,200}?</\1>", re.IGNORECASE)
_STRESS_TAG = lazy_pattern(r"</?(?:em|i|cite)\b[^<>\n]*>", re.IGNORECASE)
_BREAK_TAG = lazy_pattern(r"<br\b[^<>\n]*>\n?", re.IGNORECASE)
_RULE_TAG = lazy_pattern(r"<hr\b[^<>\n]*>", re.IGNORECASE)
_TAG = lazy_pattern(
    r"</?(?:p|div|span|section|center|a|b|strong|u|small|big|font|sup|sub|ruby|rb|blockquote|img)\b[^<>\n]*>",
    re.IGNORECASE,
)
_ATTRIBUTES = lazy_pattern(r"\s*\{[#.][^}]*\}\s*$")
_SPACES = lazy_pattern(" {2,}")


def read_markdown(text: str, encoding: str) -> ManuscriptSource:
    """Read a Markdown file; `*emphasis*` stays, as a book's prose has it, footnotes and pictures do not."""
    values, rest = front_matter(plain(text.replace("\r\n", "\n").replace("\r", "\n")))
    story, count = _NOTE.subn("", without_comments(rest))
    blocks = tuple(_blocks(_without_tags(_NOTE_MARK.sub("", story))))
    language = values.get("lang", values.get("language", ""))
    notes = notes_left_out(count)
    return ManuscriptSource(blocks, "md", values.get("title", ""), values.get("author", ""), language, encoding, notes)


def without_comments(text: str) -> str:
    """Leave out what stands between `<!--` and `-->`; one that nothing ends is text."""
    kept, place = [], 0
    while (start := text.find("<!--", place)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        kept.append(text[place:start])
        place = end + 3
    return "".join((*kept, text[place:]))


def _without_tags(text: str) -> str:
    """Leave out what HTML authors put between their words; what looks like no tag of a text stays."""
    text = _RULE_TAG.sub("\n\n***\n\n", _BREAK_TAG.sub("\\\n", _GLOSS.sub("", text)))
    return _TAG.sub("", _STRESS_TAG.sub("*", text))


def front_matter(text: str) -> tuple[dict[str, str], str]:
    """Read the simple keys of a YAML head, such as Pandoc's; what is deeper is nobody's prose and left out."""
    if not text.startswith("---\n"):
        return {}, text
    head, mark, rest = text[4:].partition("\n---")
    if not mark:
        head, mark, rest = text[4:].partition("\n...")
    lines = head.split("\n")
    if not mark or not any(_KEY.match(line) for line in lines):
        return {}, text
    keys = (_KEY.match(line) for line in lines)
    values = {found[1].casefold(): _unquoted(found[2]) for found in keys if found}
    return values, rest.partition("\n")[2]


def _unquoted(value: str) -> str:
    value = value.strip()
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        value = value[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    return _plain_line(value)


def _blocks(text: str) -> Iterator[Block]:
    gathered: list[str] = []
    is_fenced = False
    for line in text.split("\n"):
        if FENCE.match(line):
            is_fenced = not is_fenced
            continue
        heading = None if is_fenced else ATX.match(line)
        under = _SETEXT.match(line) if gathered and not is_fenced else None
        if heading is not None or not line.strip():
            yield from _paragraph(gathered)
            gathered = []
            if heading is not None and (heading[2] or "").strip():
                yield Block(_plain_line(heading[2]), len(heading[1]), True)
        elif under and len(gathered) == 1 and not is_scene_break(gathered[0]) and not _is_told(gathered[0], under[1]):
            yield Block(_plain_line(gathered.pop()), 1 if under[1][0] == "=" else 2, True)
        else:
            gathered.append(line)
    yield from _paragraph(gathered)


def _is_told(line: str, rule: str) -> bool:
    """True for a sentence above hyphens, which are a rule then: it has a full stop and words that no title has."""
    if rule[0] == "=" or not (_EASTERN.search(line) or re.search(r"\b[a-z]+\W*$", line)):
        return False
    return line.rstrip(' \t"”’」』)）').endswith((".", "。")) and heading_in(line) is None


def _paragraph(lines: list[str]) -> Iterator[Block]:
    told = [line.lstrip("> ") if line.startswith(">") else line for line in lines if not _RULE.fullmatch(line)]
    for place, line in enumerate(filter(None, map(_plain_line, _joined(told)))):
        yield Block(line, 0, place == 0)


def _joined(lines: list[str]) -> Iterator[str]:
    """Yield what is a line of its own: up to a hard break, an item, a row, and each line of East Asian authors."""
    gathered = ""
    for line in lines:
        if gathered and (_begins_anew(line, lines[0]) or is_scene_break(gathered)):
            yield gathered
            gathered = ""
        gathered = f"{gathered} {line.strip()}".strip()
        if line.endswith(("  ", "\\")):
            yield gathered.removesuffix("\\")
            gathered = ""
    yield gathered


def _begins_anew(line: str, first: str) -> bool:
    if _EASTERN.search(first) or is_scene_break(line) or _BULLET_OR_ROW.match(line):
        return True
    return bool(_FIGURE.match(line) and _FIGURE.match(first))


def _plain_line(text: str) -> str:
    text = _SPACES.sub(" ", text).strip()
    row = _ROW.fullmatch(text)
    text = _ATTRIBUTES.sub("", _LINK.sub(lambda link: "" if link[1] else link[2], row[1] if row else text))
    text = _EMPHASIS.sub(r"*\1*", _STRONG.sub(r"*\2*", text))
    return _SPACES.sub(" ", _ESCAPED.sub(r"\1", text)).strip()
