"""The form of pages: lengths, lists of references, links between pages, names."""

from collections.abc import Mapping

import pytest

from bookwright.agents.blueprints.checks import CHECKS, references_of
from bookwright.agents.blueprints.snapshot import BookSnapshot, ChapterSeen, PageSeen
from bookwright.models.faults import CheckResult, CheckState
from bookwright.models.story.register import Register, RegisteredThread
from bookwright.models.text.language import Language

LISTED = (
    "Salt eats iron.\n\n## References\n\n- One, https://a.example\n- Two, https://b.example\n- Three [unverified]\n"
)


def page(title: str, text: str = "", **values: object) -> PageSeen:
    numbers = {"label": f"1.{len(title)}", "length": 100, "member": "places", "stage": "Ground", "document": 1}
    return PageSeen(title=title, text=text, **{**numbers, **values})  # type: ignore[arg-type]


def result(check: str, *pages: PageSeen, limits: Mapping[str, float] | None = None) -> CheckResult:
    return CHECKS[check][0](BookSnapshot("Atlas", Language.EN, pages=pages), limits or {})


def test_a_list_is_counted_under_the_last_heading_in_any_of_its_names() -> None:
    assert references_of(LISTED) == 3
    assert references_of("文。\n\n## 參考資料\n\n1. 一\n2. 二") == 2
    assert references_of("## References\n\n- One\n\n## Afterwards\n\n- Two") is None


def test_a_page_that_looked_things_up_and_lists_nothing_has_a_fault() -> None:
    found = result("references", page("Salt", "Salt eats iron.", sources=2))

    assert found.state is CheckState.FAILED


def test_a_page_that_used_nothing_needs_no_list() -> None:
    assert result("references", page("Salt", "Salt eats iron.")).state is CheckState.NOTHING
    assert result("references", page("Salt", LISTED, sources=3)).state is CheckState.PASSED


def test_a_list_that_is_too_long_has_a_fault() -> None:
    long = "## References\n\n" + "\n".join(f"- Source {number}" for number in range(9))

    assert result("references", page("Salt", long)).state is CheckState.FAILED


def test_a_link_to_no_page_is_found_and_a_first_page_needs_none() -> None:
    first, second = page("Salt", "Salt."), page("The Bay", "It leans on [[Salt]] and on [[Nobody]].", label="1.2")

    found = result("cross_references", first, second, limits={"least": 1})

    assert [fault.label for fault in found.faults] == ["1.2"]
    assert "Nobody" in found.faults[0].fault


def test_a_page_that_names_another_without_brackets_leans_on_it() -> None:
    pages = page("Salt", "Salt."), page("The Bay", "Here salt is cut.", label="1.2")

    assert result("cross_references", *pages, limits={"least": 1}).state is CheckState.PASSED


@pytest.mark.parametrize(
    ("length", "state"), [(800, CheckState.PASSED), (450, CheckState.FAILED), (2_600, CheckState.FAILED)]
)
def test_an_entry_is_held_to_its_length(length: int, state: CheckState) -> None:
    entry = page("Salt", is_entry=True, asked=1_000, length=length)

    assert result("entry_lengths", entry).state is state


def test_limits_that_a_short_book_has_no_room_for_give_way_to_its_own() -> None:
    entry = page("Salt", is_entry=True, asked=200, length=190)

    assert result("entry_lengths", entry, limits={"least": 800, "most": 2_000}).state is CheckState.PASSED


def test_an_entry_just_short_of_the_least_is_as_long_as_it_was_asked_to_be() -> None:
    limits = {"least": 800, "most": 2_000}
    near, short = page("Salt", is_entry=True, asked=810, length=790), page("Tar", is_entry=True, asked=810, length=600)

    assert result("entry_lengths", near, limits=limits).state is CheckState.PASSED
    assert result("entry_lengths", short, limits=limits).state is CheckState.FAILED


def test_chapters_are_counted_in_the_books_own_unit() -> None:
    chapter = ChapterSeen(1, "1.1", "Eins", length=3_400, asked=3_500, document=1)
    snapshot = BookSnapshot("案", Language.ZH, chapters=(chapter,))
    check = CHECKS["chapter_lengths"][0]

    assert check(snapshot, {"least": 2_000, "most": 4_000}).state is CheckState.PASSED
    assert check(snapshot, {"least": 2_000, "most": 4_000}).faults == ()


def test_two_entries_of_one_name_and_a_stranger_in_the_register_are_found() -> None:
    pages = page("Salt", is_entry=True), page("salt", is_entry=True, label="1.9")
    thread = RegisteredThread(title="A debt", seed="Somebody owes.", characters=("Mira",), planted_in=1, answered_in=2)
    snapshot = BookSnapshot("Atlas", Language.EN, pages=pages, register=Register(threads=(thread,)))

    found = CHECKS["names_known"][0](snapshot, {})

    assert [fault.label for fault in found.faults] == ["1.9", ""]
