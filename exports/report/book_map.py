"""The tree of a book as a map: each unit as broad as it is long, shaded by whether it is written."""

from collections.abc import Callable
from dataclasses import dataclass
from html import escape

from bookwright.exports.report.charts import Chart, shortened
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.stores import Stores

_WIDTH, _ROW, _GAP = 960, 38, 2
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
    drawn = [_drawn(cell, place, link) for place, row in enumerate(rows) for cell in row]
    height = len(rows) * (_ROW + _GAP)
    svg = (
        f'<svg class="map" viewBox="0 0 {_WIDTH} {height}" role="group" aria-label="{title}" '
        f'xmlns="http://www.w3.org/2000/svg">{"".join(drawn)}</svg>'
    )
    return Chart(title, about, svg)


def _parts(cell: _Cell, stores: Stores) -> list[_Cell]:
    units = stores.nodes.children(cell.unit.key, TaskType.WRITE)
    sizes = [_size(unit) for unit in units]
    total = max(sum(sizes), (cell.unit.length or 0) if cell.unit.status is not NodeStatus.DONE else 0, 1)
    found, left = [], cell.left
    for unit, size in zip(units, sizes, strict=True):
        width = cell.width * size / total
        found.append(_Cell(unit, left, width))
        left += width
    return found


def _size(unit: TaskNode) -> int:
    return max(unit.written if unit.status is NodeStatus.DONE else max(unit.written, unit.length or 0), 1)


def _drawn(cell: _Cell, row: int, link: Callable[[str], str]) -> str:
    unit, top = cell.unit, row * (_ROW + _GAP)
    state = "done" if unit.status is NodeStatus.DONE else "begun" if unit.written else "ahead"
    name = escape(unit.title or unit.label)
    told = f"{name}: {unit.written:,} / {unit.length or unit.written:,}"
    width = max(cell.width - _GAP, 0.5)
    letters = int((width - 10) / _LETTER)
    shown = escape(shortened(unit.title or unit.label, letters))
    text = f'<text x="{cell.left + 6:.1f}" y="{top + 23}">{shown}</text>' if letters >= _LEAST_LETTERS else ""
    return (
        f'<a href="{escape(link(unit.label))}" tabindex="-1" aria-label="{told}" class="{state}"><title>{told}</title>'
        f'<rect x="{cell.left:.1f}" y="{top}" width="{width:.1f}" height="{_ROW}" rx="2"/>{text}</a>'
    )
