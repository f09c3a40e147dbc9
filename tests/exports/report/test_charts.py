"""Charts: marks where the values are, none where there is none, and figures for those who read by ear."""

import re
from xml.etree import ElementTree

from bookwright.exports.report.charts import Series, Stretch, bars, lines, stretches

SVG = "{http://www.w3.org/2000/svg}"


def marks(drawing: str, tag: str, style: str) -> list[dict[str, str]]:
    root = ElementTree.fromstring(drawing)
    return [mark.attrib for mark in root.iter(f"{SVG}{tag}") if mark.get("class", "").split()[0] == style]


def test_bars_are_as_high_as_their_values() -> None:
    drawing = bars("Length", "Words.", [100, 200, 0], [150, None, None]).svg

    heights = [float(bar["height"]) for bar in marks(drawing, "rect", "bar")]
    assert heights[1] == 2 * heights[0]
    assert heights[2] == 0.0
    assert len(marks(drawing, "line", "target")) == 1


def test_a_line_breaks_where_a_value_is_missing() -> None:
    drawing = lines("Scores", "All.", [Series("a", [0.1, 0.2, None, 0.4])], 1.0).svg

    assert len(marks(drawing, "polyline", "line")) == 2
    assert len(marks(drawing, "circle", "dot")) == 3


def test_numbers_thin_out_over_a_long_book() -> None:
    drawing = bars("Length", "Words.", [1.0] * 2_000).svg

    assert len(marks(drawing, "rect", "bar")) == 2_000
    assert len([tick for tick in marks(drawing, "text", "tick") if tick["text-anchor"] == "middle"]) <= 16


def test_open_stretches_run_to_the_end_and_closed_ones_do_not() -> None:
    drawing = stretches("Threads", "All.", [Stretch("a", 1, 2), Stretch("b", 3, None)], 4).svg

    closed, running = marks(drawing, "line", "stretch")
    assert float(closed["x2"]) < float(running["x2"]) == 948.0
    assert len(marks(drawing, "rect", "end")) == 1


def test_names_are_escaped() -> None:
    drawing = stretches('A "<b>"', "x & y", [Stretch("<i>&", 1, None)], 1).svg

    assert ElementTree.fromstring(drawing).get("aria-label") == 'A "<b>". x & y'
    assert re.search(r"<i>|<b>", drawing) is None


def test_nothing_but_nought_still_draws() -> None:
    assert marks(bars("Stock", "None.", [0, 0]).svg, "rect", "bar")[0]["height"] == "0.0"
    assert marks(lines("Stock", "None.", []).svg, "polyline", "line") == []
