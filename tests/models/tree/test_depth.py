"""How much process a length bears."""

import pytest

from bookwright.models.brief import make_brief
from bookwright.models.tree.depth import Depth, depth_under


@pytest.mark.parametrize(
    ("length", "counts_words", "depth"),
    [
        (600, True, Depth.SLIGHT), (1_499, True, Depth.SLIGHT), (1_500, True, Depth.SHORT), (3_000, True, Depth.SHORT),
        (11_999, True, Depth.SHORT), (12_000, True, Depth.FULL), (50_000, True, Depth.FULL),
        (2_499, False, Depth.SLIGHT), (2_500, False, Depth.SHORT), (19_999, False, Depth.SHORT),
        (20_000, False, Depth.FULL),
    ],
)  # fmt: skip
def test_what_is_read_at_one_sitting_is_short(length: int, counts_words: bool, depth: Depth) -> None:
    brief = make_brief({"premise": "A lamp.", "length": 50_000, "language": "en" if counts_words else "zh"})

    assert depth_under(brief, length) is depth
