"""Two books side by side."""

from bookwright.app.branches.comparing import compare, text_pair, version_pair
from bookwright.models.text.diff import word_diff
from tests.app.branches.grove import NEWS, Grove, prose, rewrite


def test_two_branches_side_by_side_show_what_differs_and_nothing_else(grove: Grove, origin: str) -> None:
    branch = grove.fork(origin)
    text = prose(grove, origin, "1.5")
    rewrite(grove, branch, "1.5", text + NEWS)
    a, b = grove.open(origin), grove.open(branch)

    found = compare(a, b)
    pair = text_pair(a, b, "chapter 2")

    assert [unit.label for unit in found.differing] == ["1.5"]
    assert [chapter.label for chapter in found.chapters] == ["1.5"]
    assert found.chapters[0].b["length"] > found.chapters[0].a["length"]
    assert found.costs == (a.book.cost, 0)
    assert "".join(old for old, _ in pair.paragraphs) == text
    assert [new for old, new in word_diff(pair.a, pair.b) if old != new][-1].strip() == NEWS.strip()
    assert version_pair(b, "chapter 2", 1, 2).names == ("version 1", "version 2")
