"""Small charts as SVG that stands in a page: they take its colours, tell what they show, and need no script."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from math import ceil, floor, log10

_WIDTH, _HEIGHT = 520, 210
_WIDE = 960
"""Of a chart that stands alone in its row."""
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 12, 14, 30
_INNER_HEIGHT = _HEIGHT - _TOP - _BOTTOM
_BASE = _TOP + _INNER_HEIGHT
_MOST_LABELS = 16
_MOST_DOTS = 60
_ROW = 22
_NAMES, _NAME_LETTERS = 150, 20
"""Room for the names of rows."""


@dataclass(frozen=True)
class Series:
    """One line of a chart: a value for each chapter, None where there is none."""

    name: str
    values: Sequence[float | None]


@dataclass(frozen=True)
class Stretch:
    """One row of a chart of stretches: from a chapter to another, or to the end and on."""

    name: str
    start: int
    end: int | None
    note: str = ""


@dataclass(frozen=True)
class Chart:
    """A drawing with what it shows, and what its lines are called."""

    title: str
    about: str
    svg: str
    names: tuple[str, ...] = ()
    """Of the lines, in the order of their colours."""


def bars(title: str, about: str, values: Sequence[float], targets: Sequence[float | None] = ()) -> Chart:
    """Draw a bar for each chapter, with a mark at its target where it has one."""
    top = _ceiling([*values, *(target for target in targets if target)])
    pitch = (_WIDTH - _LEFT - _RIGHT) / max(len(values), 1)
    width = min(max(pitch * 0.66, 0.4), 28)
    parts = [*_grid(top), *_numbers(len(values))]
    for place, value in enumerate(values):
        middle, height = _x(place, len(values)), _INNER_HEIGHT * value / top
        parts.append(
            f'<rect class="bar" x="{middle - width / 2:.1f}" y="{_BASE - height:.1f}" width="{width:.1f}" '
            f'height="{height:.1f}"><title>{place + 1}: {value:,.0f}</title></rect>'
        )
    for place, target in enumerate(targets):
        if target:
            middle, height = _x(place, len(values)), _y(target, top)
            half = max(width / 2 + 2, 0.6)
            parts.append(
                f'<line class="target" x1="{middle - half:.1f}" x2="{middle + half:.1f}" '
                f'y1="{height:.1f}" y2="{height:.1f}"/>'
            )
    return Chart(title, about, svg_of(title, about, parts, _HEIGHT))


def lines(
    title: str, about: str, series: Sequence[Series], top: float | None = None, levels: Sequence[tuple[float, str]] = ()
) -> Chart:
    """Draw lines over the chapters; `levels` are dashed lines across, each with its name."""
    count = max((len(one.values) for one in series), default=0)
    ceiling = top or _ceiling([value for one in series for value in one.values if value is not None])
    parts = [*_grid(ceiling), *_numbers(count)]
    for level, name in levels:
        height = _y(level, ceiling)
        parts.append(f'<line class="level" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{height:.1f}" y2="{height:.1f}"/>')
        parts.append(f'<text class="note" x="{_WIDTH - _RIGHT}" y="{height - 4:.1f}" text-anchor="end">{name}</text>')
    for number, one in enumerate(series, 1):
        parts += _line(one, number, count, ceiling)
    return Chart(title, about, svg_of(title, about, parts, _HEIGHT), tuple(one.name for one in series))


def stretches(title: str, about: str, rows: Sequence[Stretch], count: int) -> Chart:
    """Draw a row for each thread, from where it was opened to where it was closed; open ones run on."""
    height, pitch, parts = _columns(count, len(rows))
    for row, stretch in enumerate(rows):
        y = _TOP + _ROW * row + _ROW / 2
        start, end = (_NAMES + pitch * (place - 0.5) for place in (stretch.start, stretch.end or count))
        style = "closed" if stretch.end else "open"
        parts.append(f"<g><title>{escape(stretch.name)}: {escape(stretch.note)}</title>")
        name = escape(shortened(stretch.name))
        parts.append(f'<text class="note" x="{_NAMES - 12}" y="{y + 4:.1f}" text-anchor="end">{name}</text>')
        edge = end if stretch.end else _WIDE - _RIGHT
        parts.append(
            f'<line class="stretch {style}" x1="{start:.1f}" x2="{max(edge, start + 2):.1f}" y1="{y}" y2="{y}"/>'
        )
        parts.append(f'<circle class="dot s1" cx="{start:.1f}" cy="{y}" r="4"/>')
        if stretch.end:
            parts.append(f'<rect class="end" x="{end - 4:.1f}" y="{y - 4:.1f}" width="8" height="8"/>')
        parts.append("</g>")
    return Chart(title, about, svg_of(title, about, parts, height, _WIDE))


def _columns(count: int, rows: int) -> tuple[float, float, list[str]]:
    """Number the chapters below rows that have names, not more than can be read; return height and pitch with that."""
    height, pitch = _TOP + _ROW * rows + _BOTTOM, (_WIDE - _NAMES - _RIGHT) / max(count, 1)
    step = max(1, ceil(count / (2 * _MOST_LABELS)))
    numbers = [
        f'<text class="tick" x="{_NAMES + pitch * (place + 0.5):.1f}" y="{height - _BOTTOM + 18}" '
        f'text-anchor="middle">{place + 1}</text>'
        for place in range(0, count, step)
    ]
    return height, pitch, numbers


def shortened(name: str, letters: int = _NAME_LETTERS) -> str:
    """Return a name that fits beside a row."""
    return name if len(name) <= letters else f"{name[: letters - 1]}…"


def presences(title: str, about: str, rows: Sequence[tuple[str, Sequence[int]]], count: int) -> Chart:
    """Draw a row for each name and a field for each chapter that it stands in, darker where it does so more often."""
    height, pitch, parts = _columns(count, len(rows))
    most = max((number for _, counts in rows for number in counts), default=1) or 1
    for line, (name, counts) in enumerate(rows):
        y = _TOP + _ROW * line
        parts.append(
            f'<text class="note" x="{_NAMES - 10}" y="{y + 15}" text-anchor="end">{escape(shortened(name))}'
            f"<title>{escape(name)}</title></text>"
        )
        parts += [
            f'<rect class="bar" x="{_NAMES + pitch * place:.1f}" y="{y + 2}" width="{max(pitch - 1, 0.6):.1f}" '
            f'height="{_ROW - 4}" fill-opacity="{0.25 + 0.75 * number / most:.2f}">'
            f"<title>{escape(name)}, {place + 1}: {number}</title></rect>"
            for place, number in enumerate(counts)
            if number
        ]
    return Chart(title, about, svg_of(title, about, parts, height, _WIDE))


def _line(one: Series, number: int, count: int, ceiling: float) -> list[str]:
    """Draw one line, broken where a value is missing, with dots while there are few."""
    known = [(place, value) for place, value in enumerate(one.values) if value is not None]
    parts = []
    for missing, run in groupby(enumerate(one.values), key=lambda item: item[1] is None):
        if not missing:
            path = " ".join(f"{_x(place, count):.1f},{_y(value or 0, ceiling):.1f}" for place, value in run)
            parts.append(f'<polyline class="line s{number}" points="{path}"/>')
    if len(known) <= _MOST_DOTS:
        parts += [
            f'<circle class="dot s{number}" cx="{_x(place, count):.1f}" cy="{_y(value, ceiling):.1f}" r="3">'
            f"<title>{escape(one.name)}, {place + 1}: {value:.2f}</title></circle>"
            for place, value in known
        ]
    return parts


def _grid(top: float) -> list[str]:
    """Draw four even lines with their numbers."""
    parts = []
    decimals = max(2, 2 - floor(log10(top))) if top > 0 else 2  # so many tell the lines apart
    for step in range(5):
        value = top * step / 4
        y = _y(value, top)
        style = "axis" if step == 0 else "grid"
        parts.append(f'<line class="{style}" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        shown = f"{value:,.0f}" if top >= 8 else f"{value:.{decimals}f}".rstrip("0").rstrip(".")
        parts.append(f'<text class="tick" x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{shown}</text>')
    return parts


def _numbers(count: int) -> list[str]:
    """Number the chapters below the axis, not more of them than can be read."""
    step = max(1, ceil(count / _MOST_LABELS))
    return [
        f'<text class="tick" x="{_x(place, count):.1f}" y="{_BASE + 18:.1f}" text-anchor="middle">{place + 1}</text>'
        for place in range(0, count, step)
    ]


def svg_of(title: str, about: str, parts: Sequence[str], height: float, width: int = _WIDTH, style: str = "") -> str:
    """Return a drawing: one picture for a reader's program, or with a style of its own a group of links to go into."""
    kind = f'class="{style}" ' if style else ""
    return (
        f'<svg {kind}viewBox="0 0 {width} {height:.0f}" role="{"group" if style else "img"}" '
        f'aria-label="{escape(title)}. {escape(about)}" xmlns="http://www.w3.org/2000/svg">{"".join(parts)}</svg>'
    )


def _x(place: int, count: int) -> float:
    return _LEFT + (_WIDTH - _LEFT - _RIGHT) * (place + 0.5) / max(count, 1)


def _y(value: float, top: float) -> float:
    return _BASE - _INNER_HEIGHT * min(max(value / top, 0.0), 1.0)


def _ceiling(values: Sequence[float]) -> float:
    """Return a round number at or above the largest value."""
    largest = max(values, default=0.0)
    if largest <= 0:
        return 1.0
    step = float(10 ** floor(log10(largest)))
    return next(step * factor for factor in (1, 2, 2.5, 4, 5, 8, 10) if step * factor >= largest * 0.999)
