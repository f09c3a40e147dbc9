"""The race as a picture: a small bar chart for each figure, as SVG."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path

from bench.measure import Measure

_PANELS = {
    "syncs_per_step": "Syncs per step",
    "cpu_per_step": "CPU per step, ms",
    "speed_over_raw": "Steps/s over the raw journal: more is better",
    "stored_over_text": "Bytes stored over bytes of answers",
    "resume_millis_large": "Resume to the first new step, ms",
    "resume_growth": "CPU of a resume, larger tree over smaller",
    "paid_again_at_worst": "Steps paid again after kill -9, at worst",
    "paid_twice_by_two": "Steps paid twice by two workers, of 94",
}
_OURS = "Bookwright"

_COLUMNS = 2
_WIDTH, _NAMES, _NUMBERS = 450, 118, 52
"""Of a panel, of the names to its left, of the numbers behind its bars, in pixels."""
_ROW, _BAR, _HEAD, _GAP = 22, 13, 30, 26
_INK, _FAINT, _ACCENT, _OTHER = "#1f2328", "#59636e", "#0969da", "#b6bec8"


def draw(measures: Iterable[Measure], path: Path) -> None:
    """Draw what the race found; figures that are not among the panels are left out."""
    found: dict[str, list[tuple[str, float]]] = {figure: [] for figure in _PANELS}
    for measure in measures:
        bench, _, rest = measure.measure.partition(".")
        name, _, figure = rest.rpartition(".")
        if bench == "peers" and figure in found:
            found[figure].append((name, measure.value))
    path.write_text(_picture(found), encoding="utf-8")


def _picture(found: Mapping[str, Sequence[tuple[str, float]]]) -> str:
    height = _HEAD + _ROW * max(map(len, found.values())) + _GAP
    rows = -(-len(found) // _COLUMNS)
    size = f'width="{_WIDTH * _COLUMNS}" height="{height * rows}"'
    placed = (
        f'<g transform="translate({place % _COLUMNS * _WIDTH},{place // _COLUMNS * height})">'
        f"{_panel(_PANELS[figure], bars)}</g>"
        for place, (figure, bars) in enumerate(found.items())
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">\n'
        f'<rect {size} fill="#ffffff"/>\n' + "\n".join(placed) + "\n</svg>\n"
    )


def _panel(title: str, bars: Sequence[tuple[str, float]]) -> str:
    most = max((value for _, value in bars), default=0) or 1
    room = _WIDTH - _NAMES - _NUMBERS - 20
    parts = [f'<text x="12" y="20" fill="{_INK}" font-weight="bold">{escape(title)}</text>']
    for row, (name, value) in enumerate(bars):
        top, length = _HEAD + row * _ROW, value / most * room
        middle, colour = top + _BAR - 2, _ACCENT if name == _OURS else _OTHER
        parts += [
            f'<text x="{_NAMES}" y="{middle}" fill="{_FAINT}" text-anchor="end">{escape(name)}</text>',
            f'<rect x="{_NAMES + 8}" y="{top}" width="{length:.1f}" height="{_BAR}" rx="2" fill="{colour}"/>',
            f'<text x="{_NAMES + 14 + length:.1f}" y="{middle}" fill="{_INK}">{_short(value)}</text>',
        ]
    return "".join(parts)


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
