"""What readers may know goes by the pages, what has happened by the story: in flashbacks they differ."""

from bookwright.models.codex.entries import CodexEntry, EntryKind, Phase, Section
from bookwright.models.codex.sight import SeenEntry, Sight
from bookwright.models.story_time.times import StoryTime
from bookwright.models.tree.place import Place, ReadingOrder

TIMES = {
    "1.1": "day 1",
    "1.2": "day 5",
    "1.3": "three years before chapter 1",
    "1.4": "day 6",
    "1.5": "ten years later",
}
READING = ReadingOrder(
    chapters=tuple(TIMES), times=tuple((label, StoryTime(when=when)) for label, when in TIMES.items())
)
PLAIN = ReadingOrder(chapters=READING.chapters)
MIRA = CodexEntry(
    id="mira", kind=EntryKind.CHARACTER, name="Mira",
    phases=(
        Phase(name="clerk"), Phase(name="fugitive", begins=Place(chapter=2)),
        Phase(name="old", happens_at=StoryTime(when="nine years after chapter 1")),
    ),
    sections=(
        Section(name="home", text="The quay.", phase="fugitive"),
        Section(name="scar", text="A burn on the left hand.", happens_at=StoryTime(when="day 5")),
        Section(name="father", text="Drowned.", known_from=Place(chapter=4)),
        Section(name="hair", text="White.", phase="old"),
    ),
)  # fmt: skip


def at(label: str, reading: ReadingOrder = READING) -> SeenEntry:
    """Mira as she stands at a chapter."""
    return Sight(label, reading).see(MIRA)


def test_the_phase_goes_by_the_storys_clock_where_there_is_one() -> None:
    assert [at(label).phase for label in TIMES] == ["clerk", "fugitive", "clerk", "fugitive", "old"]
    assert [at(label, PLAIN).phase for label in TIMES] == ["clerk", "fugitive", "fugitive", "fugitive", "fugitive"]


def test_what_readers_have_and_is_still_to_come_in_a_flashback_is_later_and_not_kept() -> None:
    home, scar, father, hair = at("1.3").sections

    assert [own.is_later for own in (home, scar)] == [True, True]
    assert (father.reader_may_know, father.has_happened, father.is_later) == (False, None, False)
    assert (hair.reader_may_know, hair.is_later) == (False, False), "no page has come so far"


def test_what_no_page_has_come_to_is_kept_and_not_merely_later() -> None:
    scar = at("1.1").sections[1]

    assert (scar.has_happened, scar.was_told, scar.is_later) == (False, False, False)


def test_somebody_whose_first_phase_is_still_to_come_is_not_in_the_flashback() -> None:
    late = CodexEntry(
        id="noor", kind=EntryKind.CHARACTER, name="Noor", phases=(Phase(name="stranger", begins=Place(chapter=2)),)
    )

    seen = {label: Sight(label, READING).see(late) for label in TIMES}

    assert [seen[label].is_there for label in TIMES] == [False, True, True, True, True]
    assert [seen[label].is_later for label in TIMES] == [False, False, True, False, False]
