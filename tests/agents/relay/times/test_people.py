"""Ages beside names are read in four languages, and lives from what a codex says of birth, death and age."""

import pytest

from bookwright.agents.relay.times.people import ages_in, lives_of
from bookwright.models.codex.entries import CodexEntry, EntryKind, Phase, Section
from bookwright.models.story_time.times import Comparison, StoryTime, compare
from bookwright.models.tree.place import Place, ReadingOrder

READING = ReadingOrder(
    chapters=("1.1", "1.2"), times=(("1.1", StoryTime(when="1923")), ("1.2", StoryTime(when="1913")))
)


@pytest.mark.parametrize(
    ("text", "name", "age"),
    [
        ("Mira, thirty-two, took the lamp.", "Mira", 32), ("Mira was 32 years old.", "Mira", 32),
        ("At last Mira turned forty and left.", "Mira", 40), ("那年米拉才二十二岁。", "米拉", 22),
        ("二十二岁的米拉", "米拉", 22),
        ("ミラは二十二歳だった。", "ミラ", 22), ("미라는 스물두 살이었다.", "미라", 22),
        ("서른두 살의 미라는", "미라", 32),
    ],
)  # fmt: skip
def test_an_age_right_beside_a_name_is_read(text: str, name: str, age: int) -> None:
    assert [(own.name, own.age) for own in ages_in(text, [(name, "nobody")])] == [(name, age)]


@pytest.mark.parametrize(
    "text",
    ["Mira was seven minutes late.", "Mira was one of them.", "Mira met a boy of nine years old.", "Mira was first.",
     "He was thirty-two.", "Mira was four hundred years old in her own eyes."],
)  # fmt: skip
def test_what_is_no_age_of_hers_is_left(text: str) -> None:
    assert list(ages_in(text, [("Mira",)])) == []


def life(*sections: Section, phases: tuple[Phase, ...] = ()):
    entry = CodexEntry(id="tom", kind=EntryKind.CHARACTER, name="Tom", sections=sections, phases=phases)
    return lives_of([entry], READING)[0]


def test_birth_death_and_age_come_from_the_codex() -> None:
    found = life(
        Section(name="生年", text="1891年"), Section(name="death", text="Drowned in March 1923."),
        Section(name="年龄", text="三十二岁"),
    )  # fmt: skip

    assert [(one.axis, round(one.low / 365.2425)) for one in found.birth] == [("calendar", 1890)]
    assert compare(found.death, READING.clock.at("1.2")) is Comparison.AFTER
    assert found.age_at_first == 32


def test_a_death_without_a_date_lies_before_the_end_of_the_chapter_that_tells_it() -> None:
    told = life(Section(name="death", text="The lamp fell on him.", known_from=Place(chapter=2)))
    phase = life(phases=(Phase(name="alive"), Phase(name="dead", begins=Place(chapter=2))))

    for found in (told, phase):
        assert compare(found.death, READING.clock.at("1.1")) is Comparison.BEFORE
        assert compare(found.death, READING.clock.at("1.2")) is None
    assert life(Section(name="death", text="He drowns in the end.")).death == ()
