"""The branches of a book as a map: a line for each, from where it was forked; strong is what it has made itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from bookwright.exports.report.charts import Chart, shortened, svg_of

_WIDTH, _ROW, _TOP = 960, 54, 10
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
    drawn = [_drawn(line, row, scale) for row, line in enumerate(lines)]
    svg = svg_of(title, about, [*drawn, *bends], _TOP + _ROW * len(lines), _WIDTH, "branches")
    return Chart(title, about, svg)


def _middle(row: int) -> float:
    return _TOP + _ROW * row + _ROW / 2


def _bend(line: MapLine, row: int, scale: float) -> str:
    """From the origin's line down, and round the corner into the branch's own."""
    assert line.origin is not None
    x, top, end = _LEFT + scale * line.forked, _middle(line.origin), _middle(row) - _BAR / 2
    return (
        f'<path class="bend" d="M{x:.1f} {top:.1f}V{end - _BEND:.1f}q0 {_BEND} {_BEND} {_BEND}"/>'
        f'<circle class="fork" cx="{x:.1f}" cy="{top:.1f}" r="4.5"/>'
    )


def _drawn(line: MapLine, row: int, scale: float) -> str:
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
        f'<rect class="field" x="0" y="{middle - _ROW / 2 + 3:.1f}" width="{_WIDTH}" height="{_ROW - 6}" rx="6"/>'
        f'<text class="name" x="{indent + 8}" y="{middle + 4.5:.1f}">{escape(name)}</text>{"".join(parts)}'
        f'<text class="tick" x="{facts}" y="{middle - 4:.1f}">{escape(line.told[0])}</text>'
        f'<text class="tick" x="{facts}" y="{middle + 13:.1f}">{escape(line.told[1])}</text></a>'
    )
