"""The record that a text is held against: entries whole, with their phase and the place of each fact."""

import pytest

from bookwright.agents.relay.registers import record_lines
from bookwright.models.codex.entries import CodexEntry, EntryKind, Phase, Section
from bookwright.models.codex.sight import Sight
from bookwright.models.tree.place import Place, ReadingOrder

READING = ReadingOrder(chapters=("1.1", "1.2", "1.3", "1.4"))
LONG = "Brown, and " * 60 + "the left one is of glass."
ADA = CodexEntry(
    id="ada", kind=EntryKind.CHARACTER, name="Ada", aliases=("the clerk",),
    phases=(
        Phase(name="wife"), Phase(name="widow", begins=Place(chapter=2)), Phase(name="free", begins=Place(chapter=4)),
    ),
    sections=(
        Section(name="eyes", text=LONG),
        Section(name="house", text="Keeps two rooms.", phase="wife"),
        Section(name="home", text="Lives alone.", phase="widow"),
        Section(name="boat", text="Owns a boat.", phase="free"),
        Section(name="birth", text="Born at sea.", known_from=Place(chapter=3), happens_at={"when": "the flood year"}),
    ),
)  # fmt: skip
BRAM = CodexEntry(
    id="bram", kind=EntryKind.CHARACTER, name="Bram", sections=(Section(name="hand", text="Left-handed."),)
)
TEXT = "Ada saw Bram. Ada went home alone."


def lines(room: int, locale: str = "en") -> tuple[str, ...]:
    seen = [Sight("1.2", READING).see(entry) for entry in (BRAM, ADA)]
    return record_lines(seen, TEXT, READING, room, lambda text: len(text) // 4, locale)


@pytest.mark.parametrize("locale", ["en", "zh"])
def test_entries_stand_whole_and_who_is_named_most_stands_first(locale: str) -> None:
    ada, bram = lines(2_000, locale)

    assert ada.startswith("character Ada / the clerk")
    assert all(section.text in ada for section in ADA.sections)
    assert "Left-handed." in bram


def test_phases_and_places_stand_with_the_facts() -> None:
    ada, _ = lines(2_000)

    assert '(now in the phase "widow")' in ada
    assert '[over, of the phase "wife"] house: Keeps two rooms.' in ada
    assert '[not yet, of the phase "free"] boat: Owns a boat.' in ada
    assert "[readers learn it in chapter 3] [the flood year] birth: Born at sea." in ada
    assert "; home: Lives alone." in ada, "what holds now needs no mark"


def test_where_room_is_short_the_facts_nearest_to_the_text_stay_and_what_is_left_out_is_counted() -> None:
    ada, bram = lines(120)

    assert LONG not in ada
    assert "Lives alone." in ada
    assert ada.endswith("(1 more fact is on record.)")
    assert bram == "character Bram | hand: Left-handed."
    assert lines(15) == (bram, "(1 more is left out here for want of room.)")


def test_whom_a_text_does_not_name_is_not_asked_about() -> None:
    seen = [Sight("1.2", READING).see(entry) for entry in (BRAM, ADA)]

    assert record_lines(seen, "It rained.", READING, 2_000, len, "en") == ()
