"""Maps of a book as SVG: its tree, its branches, and who appears in which chapters."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape

from bookwright.exports.manuscript import Manuscript
from bookwright.exports.report.charts import Chart, presences, shortened, svg_of
from bookwright.models.codex.entries import CodexEntry, EntryKind
from bookwright.models.story.report import BookReport
from bookwright.models.text.language import Language
from bookwright.models.tree.place import order_of
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.stores import Stores

_WIDTH = 960
_UNIT_ROW, _GAP = 38, 2
_LETTER = 7.2
_LEAST_LETTERS = 4
_MOST_UNITS = 400
"""Of one level: a level with more of them is left out, with all below it."""


@dataclass(frozen=True)
class _Cell:
    unit: TaskNode
    left: float
    width: float


def book_map(stores: Stores, link: Callable[[str], str]) -> Chart | None:
    """Draw the units level by level, each leading to where `link` says for its label; None before there are any."""
    row = [_Cell(stores.nodes.root(), 0.0, float(_WIDTH))]
    rows: list[list[_Cell]] = []
    while row := [part for cell in row for part in _parts(cell, stores)]:
        if len(row) > _MOST_UNITS:
            break
        rows.append(row)
    if not rows:
        return None
    title, about = "Map of the book", "Each part as broad as it is long: dark is written, pale is to come."
    drawn = [_drawn_unit(cell, place, link) for place, row in enumerate(rows) for cell in row]
    return Chart(title, about, svg_of(title, about, drawn, len(rows) * (_UNIT_ROW + _GAP), _WIDTH, "map"))


def _parts(cell: _Cell, stores: Stores) -> list[_Cell]:
    units = stores.nodes.children(cell.unit.key, TaskType.WRITE)
    sizes = [max(unit.written, 0 if unit.status is NodeStatus.DONE else unit.length or 0, 1) for unit in units]
    total = max(sum(sizes), (cell.unit.length or 0) if cell.unit.status is not NodeStatus.DONE else 0, 1)
    found, left = [], cell.left
    for unit, size in zip(units, sizes, strict=True):
        width = cell.width * size / total
        found.append(_Cell(unit, left, width))
        left += width
    return found


def _drawn_unit(cell: _Cell, row: int, link: Callable[[str], str]) -> str:
    unit, top = cell.unit, row * (_UNIT_ROW + _GAP)
    state = "done" if unit.status is NodeStatus.DONE else "begun" if unit.written else "ahead"
    name = escape(unit.title or unit.label)
    told = f"{name}: {unit.written:,} / {unit.length or unit.written:,}"
    width = max(cell.width - _GAP, 0.5)
    letters = int((width - 10) / _LETTER)
    shown = escape(shortened(unit.title or unit.label, letters))
    text = f'<text x="{cell.left + 6:.1f}" y="{top + 23}">{shown}</text>' if letters >= _LEAST_LETTERS else ""
    return (
        f'<a href="{escape(link(unit.label))}" tabindex="-1" aria-label="{told}" class="{state}"><title>{told}</title>'
        f'<rect x="{cell.left:.1f}" y="{top}" width="{width:.1f}" height="{_UNIT_ROW}" rx="2"/>{text}</a>'
    )


_LANE, _TOP = 54, 10
_LEFT, _RIGHT = 204, 200
_INDENT = 14
_BAR = 12
_BEND = 8
_FACTS = 16
"""Between what is told of a branch and its line."""
_NAME_LETTERS, _DEEPEST = 25, 4


@dataclass(frozen=True)
class MapLine:
    """One book of the map."""

    name: str
    link: str
    told: tuple[str, str]
    """How far it is, and where it stands, in two short lines."""
    depth: int
    length: int
    """What was asked for."""
    stretches: tuple[tuple[int, bool], ...]
    """Its text in reading order: how long, and whether it has made that itself."""
    forked: int = 0
    """Where in the text of what it comes from it leaves it."""
    origin: int | None = None
    """The place among the lines of what it comes from; None for the book itself."""
    is_here: bool = False
    """The book whose page this is."""

    @property
    def written(self) -> int:
        """How long its text is."""
        return sum(length for length, _ in self.stretches)


def branch_map(title: str, about: str, lines: Sequence[MapLine]) -> Chart:
    """Draw the lines below one another, each with a bend to what it comes from."""
    longest = max(max(line.length, line.written) for line in lines)
    scale = (_WIDTH - _LEFT - _RIGHT) / max(longest, 1)
    bends = [_bend(line, row, scale) for row, line in enumerate(lines) if line.origin is not None]
    drawn = [_drawn_branch(line, row, scale) for row, line in enumerate(lines)]
    svg = svg_of(title, about, [*drawn, *bends], _TOP + _LANE * len(lines), _WIDTH, "branches")
    return Chart(title, about, svg)


def _middle(row: int) -> float:
    return _TOP + _LANE * row + _LANE / 2


def _bend(line: MapLine, row: int, scale: float) -> str:
    """From the origin's line down, and round the corner into the branch's own."""
    assert line.origin is not None
    x, top, end = _LEFT + scale * line.forked, _middle(line.origin), _middle(row) - _BAR / 2
    return (
        f'<path class="bend" d="M{x:.1f} {top:.1f}V{end - _BEND:.1f}q0 {_BEND} {_BEND} {_BEND}"/>'
        f'<circle class="fork" cx="{x:.1f}" cy="{top:.1f}" r="4.5"/>'
    )


def _drawn_branch(line: MapLine, row: int, scale: float) -> str:
    middle = _middle(row)
    top, name = middle - _BAR / 2, shortened(line.name, _NAME_LETTERS - 2 * min(line.depth, _DEEPEST))
    told = escape(", ".join((line.name, *line.told)))
    whole = scale * max(line.length, line.written)
    parts = [f'<rect class="ahead" x="{_LEFT}" y="{top:.1f}" width="{whole:.1f}" height="{_BAR}" rx="2"/>']
    left = float(_LEFT)
    for length, is_own in line.stretches:
        width = scale * length
        style = "own" if is_own else "shared"
        parts.append(f'<rect class="{style}" x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{_BAR}" rx="2"/>')
        left += width
    indent, facts = _INDENT * min(line.depth, _DEEPEST), _WIDTH - _RIGHT + _FACTS
    style = "branch here" if line.is_here else "branch"
    return (
        f'<a href="{escape(line.link)}" tabindex="-1" class="{style}"><title>{told}</title>'
        f'<rect class="field" x="0" y="{middle - _LANE / 2 + 3:.1f}" width="{_WIDTH}" height="{_LANE - 6}" rx="6"/>'
        f'<text class="name" x="{indent + 8}" y="{middle + 4.5:.1f}">{escape(name)}</text>{"".join(parts)}'
        f'<text class="tick" x="{facts}" y="{middle - 4:.1f}">{escape(line.told[0])}</text>'
        f'<text class="tick" x="{facts}" y="{middle + 13:.1f}">{escape(line.told[1])}</text></a>'
    )


_MOST_PEOPLE = 24
_SHORTEST_FIRST_NAME = 3
_TITLES = frozenset(
    ("the", "mrs", "miss", "doctor", "captain", "father", "mother", "sister", "brother", "king", "queen")
)
"""Words that begin the names of many and are nobody's own."""


def presence_chart(report: BookReport, entries: Iterable[CodexEntry], manuscript: Manuscript) -> Chart | None:
    """Draw in which chapters the people of a book are named, who is named most first; None where nobody is."""
    people = [entry for entry in entries if entry.kind is EntryKind.CHARACTER]
    patterns = _patterns(people, manuscript.storage.language)
    places = {order_of(chapter.label): place for place, chapter in enumerate(report.chapters)}
    counts = {entry.id: [0] * len(places) for entry in people}
    for chapter in manuscript.chapters():  # all at once, since a look at one goes through the whole tree
        order = chapter.unit.order
        above = next((order[:depth] for depth in range(len(order), 0, -1) if order[:depth] in places), None)
        if above is None:
            continue
        text = "\n".join(paragraph for scene in manuscript.scenes(chapter) for paragraph in scene)
        for identity, pattern in patterns.items():
            counts[identity][places[above]] += len(pattern.findall(text))
    named = sorted((entry for entry in people if any(counts[entry.id])), key=lambda entry: -sum(counts[entry.id]))
    if not named:
        return None
    about = "In which chapters each person of the codex is named; the darker, the more often."
    rows = [(entry.name, counts[entry.id]) for entry in named[:_MOST_PEOPLE]]
    return presences("Who appears where", about, rows, len(report.chapters))


def _patterns(people: Sequence[CodexEntry], language: Language) -> dict[str, re.Pattern[str]]:
    """Return what finds each person: their names, and in English a first name that nobody else has."""
    names = {entry.id: set(entry.names) for entry in people}
    if language is Language.EN:
        first = Counter(entry.name.split()[0] for entry in people)
        for entry in people:
            own = entry.name.split()[0]
            if first[own] == 1 and len(own) >= _SHORTEST_FIRST_NAME and own.lower() not in _TITLES:
                names[entry.id].add(own)
    return {identity: _pattern(some, language) for identity, some in names.items()}


def _pattern(names: Iterable[str], language: Language) -> re.Pattern[str]:
    """Longer names first, so that none is counted twice; words end where letters do, but for han and kana."""
    either = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True) if name)
    return re.compile(rf"(?<!\w)(?:{either})(?!\w)" if language is Language.EN else either)
