"""Fair play, held against what chapters are known to show: a fair book passes, and each way of cheating is found."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from bookwright.agents.blueprints.checks import checked
from bookwright.agents.blueprints.pages import page_text
from bookwright.agents.blueprints.snapshot import BookSnapshot, ChapterSeen
from bookwright.models.blueprint import CheckUse
from bookwright.models.codex.foreshadowing import Foreshadowing, ThreadEvent, ThreadEventType, Timeline
from bookwright.models.faults import CheckResult, CheckState
from bookwright.models.story.register import Register, RegisteredSecret, RegisteredThread, ThreadRole, Weight
from bookwright.models.text.language import Language
from bookwright.models.tree.place import Place, ReadingOrder

LABELS = tuple(f"1.{act}.{chapter}" for act in (1, 2, 3) for chapter in (1, 2, 3, 4))
FAIR: dict[str, dict[int, ThreadEventType]] = {
    "coat": {2: ThreadEventType.PLANT, 6: ThreadEventType.REINFORCE, 11: ThreadEventType.REVEAL},
    "oar": {2: ThreadEventType.PLANT, 11: ThreadEventType.REVEAL},
    "ring": {4: ThreadEventType.PLANT, 11: ThreadEventType.REVEAL},
    "widow": {3: ThreadEventType.PLANT, 8: ThreadEventType.REVEAL},
    "letter": {1: ThreadEventType.PLANT, 12: ThreadEventType.REVEAL},
}
REGISTER = Register(
    secrets=(RegisteredSecret(id="drowned", content="He was never on the boat.", revealed_in=11),),
    threads=(
        RegisteredThread(id="coat", title="The wet coat", weight=Weight.CRITICAL, seed="A coat drips.",
                         secret="drowned", planted_in=2, answered_in=11),
        RegisteredThread(id="oar", title="The oar", weight=Weight.CRITICAL, seed="An oar is dry.", secret="drowned",
                         planted_in=2, answered_in=11),
        RegisteredThread(id="ring", title="The ring", weight=Weight.CRITICAL, seed="A ring is lost.",
                         secret="drowned", planted_in=4, answered_in=11),
        RegisteredThread(id="widow", title="The widow's debt", role=ThreadRole.RED_HERRING, seed="She owed him.",
                         meaning="She had paid.", planted_in=3, answered_in=8),
        RegisteredThread(id="letter", title="The letter", role=ThreadRole.HOOK, seed="A letter.", planted_in=1,
                         answered_in=12),
    ),
)  # fmt: skip
CHECKS = tuple(
    CheckUse(check=name) for name in ("clues_before_reveal", "red_herrings_answered", "clues_per_chapter", "hooks_paid")
)


def book(events: Mapping[str, Mapping[int, ThreadEventType]], *, was_read: bool = True) -> BookSnapshot:
    """A book of twelve chapters that is known to show those things."""
    chapters = tuple(
        ChapterSeen(number, label, f"Chapter {number}", 150, 150, number, was_read=was_read)
        for number, label in enumerate(LABELS, 1)
    )
    threads = {name: thread(name, shown) for name, shown in events.items()}
    return BookSnapshot("A Case", Language.EN, chapters=chapters, register=REGISTER, threads=threads,
                  reading=ReadingOrder(chapters=LABELS))  # fmt: skip


def thread(name: str, shown: Mapping[int, ThreadEventType]) -> Foreshadowing:
    events = tuple(ThreadEvent(place=Place(label=LABELS[chapter - 1]), type=kind) for chapter, kind in shown.items())
    return Foreshadowing(id=name, title=name, timeline=Timeline(events=events))


def results(snapshot: BookSnapshot) -> dict[str, CheckResult]:
    return {result.check: result for result in checked(CHECKS, snapshot)}


def test_a_fair_book_passes_every_check() -> None:
    found = results(book(FAIR))

    assert {result.state for result in found.values()} == {CheckState.PASSED}


@pytest.mark.parametrize(
    ("unfair", "check", "label"),
    [
        ({"coat": {11: ThreadEventType.REVEAL}}, "clues_before_reveal", "1.1.2"),
        ({"coat": {12: ThreadEventType.PLANT}}, "clues_before_reveal", "1.1.2"),
        ({"coat": {11: ThreadEventType.PLANT}}, "clues_before_reveal", "1.1.2"),
        ({"oar": {4: ThreadEventType.REVEAL, 5: ThreadEventType.PLANT}}, "clues_before_reveal", "1.1.2"),
        ({"widow": {3: ThreadEventType.REVEAL, 8: ThreadEventType.PLANT}}, "red_herrings_answered", "1.2.4"),
        ({"widow": {3: ThreadEventType.PLANT}}, "red_herrings_answered", "1.2.4"),
        ({"ring": {2: ThreadEventType.PLANT}}, "clues_per_chapter", "1.1.2"),
    ],
)
def test_each_way_of_cheating_is_found_and_laid_at_a_chapters_door(
    unfair: dict[str, dict[int, ThreadEventType]], check: str, label: str
) -> None:
    result = results(book(FAIR | unfair))[check]

    assert result.state is CheckState.FAILED
    assert [fault.label for fault in result.faults] == [label]
    assert result.faults[0].order


def test_a_clue_after_an_early_reveal_is_no_clue() -> None:
    early = FAIR | {"coat": {5: ThreadEventType.REVEAL, 6: ThreadEventType.PLANT}}

    assert results(book(early))["clues_before_reveal"].state is CheckState.FAILED


def test_a_register_that_a_short_book_has_no_room_for_is_late_and_crowded() -> None:
    short = REGISTER.held_to(2)

    assert [own.id for own in short.late_clues()] == ["coat", "oar", "ring"]
    assert short.crowded() == [2]


def test_a_false_trail_that_is_answered_in_another_chapter_than_planned_is_answered() -> None:
    late = FAIR | {"widow": {3: ThreadEventType.PLANT, 12: ThreadEventType.REVEAL}}

    assert results(book(late))["red_herrings_answered"].state is CheckState.PASSED


def test_a_false_trail_that_was_never_laid_needs_no_answer() -> None:
    silent = {name: shown for name, shown in FAIR.items() if name != "widow"}

    assert results(book(silent))["red_herrings_answered"].state is CheckState.PASSED


def test_what_code_alone_does_not_see_is_not_checked_and_never_passed() -> None:
    found = results(book({}, was_read=False))

    assert {result.state for result in found.values()} == {CheckState.NOT_CHECKED}
    assert "The wet coat" in found["clues_before_reveal"].note
    assert not any(result.faults for result in found.values())


def test_a_book_without_a_register_is_not_checked() -> None:
    found = results(replace(book(FAIR), register=None))

    assert {result.state for result in found.values()} == {CheckState.NOT_CHECKED}


def test_a_hook_that_nobody_comes_back_to_is_open() -> None:
    uses = (CheckUse(check="hooks_paid", limits={"within": 5}),)
    forgotten = book(FAIR | {"letter": {1: ThreadEventType.PLANT}})
    kept = book(FAIR | {"letter": {1: ThreadEventType.PLANT, 6: ThreadEventType.REINFORCE, 10: ThreadEventType.REVEAL}})

    assert checked(uses, forgotten)[0].state is CheckState.FAILED
    assert checked(uses, kept)[0].state is CheckState.PASSED


def test_the_index_of_clues_tells_where_each_is_shown_under_a_mark() -> None:
    text = page_text("clue_index", book(FAIR), is_spoiler=False)

    assert text.startswith("**Spoiler")
    assert "| The wet coat (critical) | chapter 2, chapter 6 | chapter 11 |" in text
    assert "| The widow's debt | chapter 3 | chapter 8 | She had paid. |" in text


def test_the_index_of_hooks_parts_the_paid_from_the_open() -> None:
    paid = page_text("hook_index", book(FAIR), is_spoiler=False)
    still_open = page_text("hook_index", book(FAIR | {"letter": {1: ThreadEventType.PLANT}}), is_spoiler=False)

    assert "## Paid" in paid
    assert "## Still open" not in paid
    assert "## Still open" in still_open
