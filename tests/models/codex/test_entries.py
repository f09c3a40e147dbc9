"""What an entry, a secret and a place may be."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from bookwright.models.codex.entries import CodexEntry, Secret, Visibility, slug
from bookwright.models.tree.place import Place, ReadingOrder, order_of

LABELS = st.lists(st.integers(1, 30), min_size=0, max_size=4).map(lambda tail: ".".join(map(str, [1, *tail])))


@pytest.mark.parametrize("value", [4, -1, 7, True, False, 2.0, 1.5, "4", "hide", "", None, [1]])
def test_any_other_visibility_is_refused(value: Any) -> None:
    with pytest.raises(ValidationError, match="is no visibility"):
        Secret.model_validate({"id": "s", "content": "x", "visibility": value})


@pytest.mark.parametrize(("value", "level"), [(0, 0), ("1", 1), ("KNOW", 2), (" use ", 3), (Visibility.AWARE, 1)])
def test_a_visibility_is_a_number_or_a_name(value: Any, level: int) -> None:
    assert Secret.model_validate({"id": "s", "content": "x", "visibility": value}).visibility == level


@pytest.mark.parametrize("value", [0, -1, "0", "1.0", "2.1", "1.", "one", "", True, 1.5, "1.2\n3", "１.２"])
def test_what_is_no_place_is_refused(value: Any) -> None:
    with pytest.raises(ValidationError, match="is no place"):
        Place.model_validate(value)


@pytest.mark.parametrize(("value", "words"), [(7, "chapter 7"), ("7", "chapter 7"), ("1.2.10", "1.2.10")])
def test_a_place_is_kept_as_it_was_given(value: Any, words: str) -> None:
    place = Place.model_validate(value)

    assert str(place) == words
    assert Place.model_validate_json(place.model_dump_json()) == place


@given(st.lists(LABELS, unique=True), LABELS, LABELS, st.integers(1, 9))
def test_what_has_come_stays_come(chapters: list[str], first: str, second: str, number: int) -> None:
    reading = ReadingOrder(chapters=tuple(sorted(chapters, key=order_of)))
    early, late = sorted((first, second), key=order_of)

    for place in (Place(chapter=number), None, *(Place.model_validate(label) for label in chapters if "." in label)):
        assert reading.has_come(place, early) <= reading.has_come(place, late)


def test_chapters_are_counted_in_reading_order() -> None:
    reading = ReadingOrder(chapters=("1.1.1", "1.1.2", "1.2.9", "1.2.10"))

    numbers = [reading.chapter_of(label) for label in ("1", "1.1", "1.1.2.5", "1.2", "1.2.10.1", "1.2.11", "1.3")]

    assert numbers == [1, 1, 2, 3, 4, 5, 5]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"sections": [{"name": "a"}, {"name": "Ａ"}]}, "two sections"),
        ({"phases": [{"name": "a"}, {"name": "A"}]}, "two phases"),
        ({"sections": [{"name": "a", "phase": "b"}]}, "has no phase 'b'"),
        ({"id": "no spaces"}, "pattern"),
        ({"name": " \n "}, "at least 1"),
        ({"colour": "red"}, "Extra"),
    ],
)
def test_an_entry_that_contradicts_itself_is_refused(values: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        CodexEntry.model_validate({"id": "a", "kind": "world", "name": "A", **values})


@pytest.mark.parametrize(
    ("name", "identity"),
    [
        ("Mira of the Dock", "mira-of-the-dock"),
        ("闇の王", "闇の王"),
        ("김 서방", "김-서방"),
        ("ＡＢＣ", "abc"),
        ("…", ""),
    ],
)
def test_an_id_is_made_of_a_name_in_any_script(name: str, identity: str) -> None:
    assert slug(name) == identity
