"""Leaving out of a record's history what some texts told."""

from dataclasses import replace
from typing import Any

from bookwright.models.codex.entries import CodexEntry, Section
from bookwright.models.codex.record import Origin, Record, Stored
from bookwright.models.codex.taking_back import without_told

FIRST, SECOND, THIRD = 11, 12, 13
"""Documents."""


def ada(*sections: Section, **values: Any) -> CodexEntry:
    return CodexEntry(id="ada", kind="character", name="Ada", sections=sections, **values)


def says(name: str, text: str, **values: Any) -> Section:
    return Section(name=name, text=text, known_from=values.pop("known_from", 2), **values)


def history(*versions: tuple[CodexEntry, Origin, int | None]) -> list[Stored[Record]]:
    return [
        Stored[Record](record=record, version=number, origin=origin, origins={}, document=document, recorded_at=0)
        for number, (record, origin, document) in enumerate(versions, 1)
    ]


def told(record: Record | None) -> dict[str, str]:
    assert isinstance(record, CodexEntry)
    return {section.name: section.text for section in record.sections}


def test_a_record_that_only_those_texts_told_of_is_gone() -> None:
    versions = history(
        (ada(says("eyes", "grey")), Origin.PROSE, FIRST),
        (ada(says("eyes", "grey"), says("trade", "clerk")), Origin.PROSE, SECOND),
    )

    assert without_told(versions, {FIRST, SECOND}) is None


def test_what_they_told_over_is_told_again() -> None:
    versions = history((ada(says("eyes", "grey")), Origin.DESIGN, None), (ada(says("eyes", "blind")), Origin.PROSE, 11))

    assert told(without_told(versions, {FIRST})) == {"eyes": "grey"}


def test_what_a_later_text_told_over_it_stays_with_its_place_and_visibility() -> None:
    versions = history(
        (ada(says("eyes", "grey", visibility=1)), Origin.PROSE, FIRST),
        (ada(says("eyes", "blind", visibility=1)), Origin.PROSE, SECOND),
    )

    left = without_told(versions, {FIRST})

    assert left == versions[-1].record


def test_what_others_told_of_a_record_that_they_began_stays() -> None:
    eyes, trade = says("eyes", "grey"), says("trade", "clerk")
    versions = history((ada(eyes, aliases=("A.",)), Origin.PROSE, FIRST), (ada(eyes, trade, aliases=("A.", "Addie")),
                       Origin.PROSE, SECOND))  # fmt: skip

    left = without_told(versions, {FIRST})

    assert left == ada(trade, aliases=("Addie",))


def test_what_an_author_said_of_it_stays() -> None:
    eyes = says("eyes", "grey")
    hidden = says("eyes", "grey", visibility=0)
    versions = history((ada(eyes), Origin.PROSE, FIRST), (ada(hidden, says("past", "a thief")), Origin.AUTHOR, None))

    left = without_told(versions, {FIRST})

    assert told(left) == {"eyes": "", "past": "a thief"}
    assert isinstance(left, CodexEntry)
    assert left.sections[0].visibility == 0


def test_a_phase_goes_with_what_was_told_of_it_and_stays_while_others_tell_of_it() -> None:
    old, ill = says("state", "well", phase="1"), says("state", "ill", phase="fever")
    phases = ({"name": "1"}, {"name": "fever", "begins": 2})
    both = ada(old, ill, phases=phases)
    later = ada(old, ill, says("speech", "hoarse", phase="fever"), phases=phases)
    begun = (ada(says("trade", "clerk")), Origin.DESIGN, None)

    alone = without_told(history(begun, (both, Origin.PROSE, FIRST)), {FIRST})
    shared = without_told(history(begun, (both, Origin.PROSE, FIRST), (later, Origin.PROSE, SECOND)), {FIRST})

    assert isinstance(alone, CodexEntry)
    assert isinstance(shared, CodexEntry)
    assert alone.phases == ()
    assert [phase.name for phase in shared.phases] == ["1", "fever"]
    assert told(shared) == {"speech": "hoarse"}


def test_a_record_that_was_taken_out_and_told_of_again_counts_from_there() -> None:
    grey = ada(says("eyes", "grey"))
    versions = history((grey, Origin.PROSE, FIRST), (grey, Origin.PROSE, None), (grey, Origin.PROSE, SECOND))
    versions[1] = replace(versions[1], is_removed=True)

    assert without_told(versions, {FIRST}) == grey
    assert without_told(versions, {SECOND}) is None
    assert without_told(versions[:2], {FIRST}) is None
