"""The tree of branches tells which part of its text each has made itself, and from where in the book on."""

from bookwright.app.branches.listing import branch_tree
from tests.app.branches.grove import Grove
from tests.app.branches.test_merging import prose, rewrite


def test_what_a_branch_shares_is_not_its_own_though_its_last_corrections_touch_it(grove: Grove, origin: str) -> None:
    branch = grove.fork(origin, at="chapter 2")
    grove.write(branch)

    [book, row] = branch_tree(grove.open(branch)).rows

    assert (book.own, book.shared) == (book.written, 0)
    assert [is_own for _, is_own in row.stretches] == [False, True]
    assert 0 < row.shared == row.stretches[0][0]
    assert row.shared + row.own == row.written


def test_an_edit_within_a_whole_branch_is_its_own(grove: Grove, origin: str) -> None:
    branch = grove.fork(origin)
    rewrite(grove, branch, "1.4", prose(grove, branch, "1.4") + " It rained.")

    [_, row] = branch_tree(grove.open(origin)).rows

    assert [is_own for _, is_own in row.stretches] == [True, False]
    assert row.shared == sum(length for length, _ in row.stretches)
    assert row.facts()["own"] == row.stretches[0][0]
