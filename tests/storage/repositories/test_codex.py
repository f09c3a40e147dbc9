"""The codex in the database: versions, names, and what an extraction may do to what an author said."""

from typing import Any

import pytest

from bookwright.models.codex.entries import CodexEntry, Secret, Visibility
from bookwright.models.codex.foreshadowing import Foreshadowing
from bookwright.models.codex.merging import with_value
from bookwright.models.codex.record import Origin, RecordKind, SuggestionStatus
from bookwright.models.errors import EditConflict, EntryNotFound, NameTaken
from bookwright.storage.stores import BookStorage, Stores
from tests.storage.conftest import BACKINGS

ENTRY = RecordKind.ENTRY


@pytest.fixture(params=BACKINGS)
def backing(request: pytest.FixtureRequest) -> str:
    """Both databases."""
    return str(request.param)


def entry(identity: str = "mira", name: str = "Mira", **values: Any) -> CodexEntry:
    return CodexEntry.model_validate({"id": identity, "kind": "character", "name": name, **values})


def section(stores: Stores, name: str) -> Any:
    record = stores.codex.get(ENTRY, "mira").record
    assert isinstance(record, CodexEntry)
    return next(one for one in record.sections if one.name == name)


def test_versions_are_kept_and_an_edit_of_an_old_one_is_refused(storage: BookStorage) -> None:
    with storage.write() as stores:
        stores.codex.add(entry(), Origin.AUTHOR)
        second = stores.codex.edit(entry(name="Myra"), 1, Origin.AUTHOR)
        same = stores.codex.edit(entry(name="Myra"), 2, Origin.AUTHOR)
        with pytest.raises(EditConflict, match="stands at version 2 by now, not at 1"):
            stores.codex.edit(entry(name="Mara"), 1, Origin.AUTHOR)

    with storage.read() as stores:
        history = stores.codex.history(ENTRY, "mira")
        names = [stored.record.name for stored in history if isinstance(stored.record, CodexEntry)]
        assert (names, [stored.version for stored in history]) == (["Mira", "Myra"], [1, 2])
        assert stores.codex.entries() == [entry(name="Myra")]
        assert (second.version, same.version) == (2, 2)


def test_what_is_removed_keeps_its_history_and_may_come_back(storage: BookStorage) -> None:
    with storage.write() as stores:
        stores.codex.add(entry(), Origin.AUTHOR)
        stores.codex.remove(ENTRY, "mira", 1, Origin.AUTHOR)
        gone = stores.codex.entries()
        extracted = stores.codex.merge(entry(), Origin.PROSE)
        back = stores.codex.add(entry(name="Myra"), Origin.AUTHOR)

        assert (gone, extracted, back.version) == ([], None, 3)
        assert [stored.is_removed for stored in stores.codex.history(ENTRY, "mira")] == [False, True, False]


@pytest.mark.parametrize(
    "name", ["mira", "ＭＩＲＡ", "Ｍｉｒａ", "米拉", "미라", "ミラ・ロウ", "ﾐﾗ ﾛｳ", "Mira-Lowe", "MIRALOWE"]
)
def test_an_entry_answers_to_each_of_its_names_in_any_script_width_and_case(storage: BookStorage, name: str) -> None:
    with storage.write() as stores:
        stores.codex.add(entry(aliases=["米拉", "미라", "ミラ・ロウ", "mira lowe"]), Origin.AUTHOR)

        assert stores.codex.get(ENTRY, name).record.id == "mira"


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"identity": "mira"}, "there is a codex entry 'mira' already"),
        ({"identity": "MIRA", "name": "Other"}, "there is a codex entry 'mira' already"),
        ({"identity": "two", "name": "ＭＩＲＡ"}, "'ＭＩＲＡ' is a name of 'mira' already"),
        ({"identity": "two", "name": "Noor", "aliases": ["the keeper"]}, "'the keeper' is a name of 'mira' already"),
    ],
)
def test_a_name_belongs_to_one_entry(storage: BookStorage, values: dict[str, Any], said: str) -> None:
    with storage.write() as stores:
        stores.codex.add(entry(aliases=["The Keeper"]), Origin.AUTHOR)

        with pytest.raises(NameTaken, match=said):
            stores.codex.add(entry(**values), Origin.AUTHOR)


def test_a_name_that_nobody_has_is_answered_with_the_nearest(storage: BookStorage) -> None:
    with storage.write() as stores:
        with pytest.raises(EntryNotFound, match="has no codex entry 'mira'; there is none yet"):
            stores.codex.get(ENTRY, "mira")
        stores.codex.add(entry(), Origin.AUTHOR)

        with pytest.raises(EntryNotFound, match="did you mean 'Mira'"):
            stores.codex.get(ENTRY, "mirra")


def test_an_extraction_adds_and_never_overwrites_what_an_author_said(storage: BookStorage) -> None:
    told = entry(sections=[{"name": "look", "text": "Tall.", "visibility": 2}])
    found = entry(
        "x", "MIRA", aliases=["the keeper"],
        sections=[
            {"name": "Look", "text": "Short.", "visibility": 3},
            {"name": "fear", "text": "Deep water.", "known_from": "1.2"},
        ],
    )  # fmt: skip
    with storage.write() as stores:
        stores.codex.add(told, Origin.AUTHOR)
        merged = stores.codex.merge(found, Origin.PROSE)
        stores.codex.merge(found, Origin.PROSE)  # the same text read twice

        wishes = stores.codex.suggestions.waiting(ENTRY, "mira")
        assert merged is not None
        assert (merged.record.id, merged.version) == ("mira", 2)
        assert (section(stores, "look").text, section(stores, "look").visibility) == ("Tall.", Visibility.KNOW)
        assert section(stores, "fear").text == "Deep water."
        assert {wish.path: wish.wanted for wish in wishes} == {
            "sections/look/text": "Short.", "sections/look/visibility": 3,
        }  # fmt: skip
        assert merged.origins["sections/fear/text"] is Origin.PROSE


def test_what_an_extraction_said_a_later_one_may_change_but_for_what_holds_back(storage: BookStorage) -> None:
    with storage.write() as stores:
        stores.codex.merge(entry(sections=[{"name": "mood", "text": "Glad.", "known_from": 4}]), Origin.PROSE)
        stores.codex.merge(entry(sections=[{"name": "mood", "text": "Grim.", "known_from": 1}]), Origin.PROSE)

        assert section(stores, "mood").text == "Grim."
        assert str(section(stores, "mood").known_from) == "chapter 4"
        assert [wish.path for wish in stores.codex.suggestions.waiting(ENTRY)] == ["sections/mood/known_from"]


def test_a_section_that_an_author_took_out_is_not_put_back(storage: BookStorage) -> None:
    found = entry(sections=[{"name": "scar", "text": "On the left hand."}])
    with storage.write() as stores:
        stores.codex.merge(found, Origin.PROSE)
        stores.codex.edit(entry(), 1, Origin.AUTHOR)
        stores.codex.merge(found, Origin.PROSE)

        assert stores.codex.entries() == [entry()]
        assert [wish.path for wish in stores.codex.suggestions.waiting(ENTRY)] == ["sections/scar"]


def test_an_extraction_never_opens_a_secret_nor_moves_a_thread(storage: BookStorage) -> None:
    kept = Secret(id="s", content="She is the heir.", forbidden_keywords=("heir",))
    thread = Foreshadowing(id="ring", title="The ring")
    with storage.write() as stores:
        for record in (kept, thread):
            stores.codex.add(record, Origin.DESIGN)
        opened = {
            "id": "s",
            "content": kept.content,
            "visibility": 3,
            "revealed_at": 1,
            "forbidden_keywords": ["crown"],
        }
        stores.codex.merge(Secret.model_validate(opened), Origin.PROSE)
        stores.codex.merge(Foreshadowing.model_validate(thread.model_dump() | {"status": "revealed"}), Origin.PROSE)

        [secret] = stores.codex.secrets()
        assert (secret.visibility, secret.revealed_at) == (Visibility.HIDDEN, None)
        assert secret.forbidden_keywords == ("heir", "crown")
        assert stores.codex.threads() == [thread]
        assert [wish.path for wish in stores.codex.suggestions.waiting(RecordKind.SECRET)] == [
            "visibility",
            "revealed_at",
        ]


def test_an_alias_that_another_entry_has_becomes_a_suggestion(storage: BookStorage) -> None:
    with storage.write() as stores:
        stores.codex.add(entry(aliases=["the keeper"]), Origin.AUTHOR)
        stores.codex.add(entry("noor", "Noor"), Origin.AUTHOR)
        merged = stores.codex.merge(entry("noor", "Noor", aliases=["The Keeper", "N."]), Origin.PROSE)

        assert merged is not None
        assert merged.record == entry("noor", "Noor", aliases=["N."])
        [wish] = stores.codex.suggestions.waiting(ENTRY, "noor")
        assert (wish.path, wish.wanted) == ("aliases", ["The Keeper"])


def test_a_suggestion_is_settled_once_and_a_dropped_one_is_not_made_again(storage: BookStorage) -> None:
    with storage.write() as stores:
        stores.codex.add(entry(sections=[{"name": "look", "text": "Tall."}]), Origin.AUTHOR)
        for text in ("Short.", "Thin."):
            stores.codex.merge(entry(sections=[{"name": "look", "text": text}]), Origin.PROSE)
        first, second = stores.codex.suggestions.waiting(ENTRY)
        stores.codex.suggestions.settle(first.id, SuggestionStatus.DROPPED)
        stores.codex.suggestions.settle(second.id, SuggestionStatus.TAKEN)
        stores.codex.merge(entry(sections=[{"name": "look", "text": "Short."}]), Origin.PROSE)

        taken = with_value(stores.codex.get(ENTRY, "mira").record, second.path, second.wanted)
        assert taken == entry(sections=[{"name": "look", "text": "Thin."}])
        assert stores.codex.suggestions.waiting(ENTRY) == []
        with pytest.raises(EntryNotFound, match=f"no suggestion {first.id} waits"):
            stores.codex.suggestions.get(first.id)


def test_the_codex_of_one_book_is_not_anothers(storage: BookStorage) -> None:
    with storage.write() as stores:
        stores.codex.add(entry(), Origin.AUTHOR)
        stores.books.create("other", stores.books.get(storage.book).brief)
        other = Stores(stores.connection, "other", len)

        assert other.codex.entries() == []
        other.codex.add(entry(name="Else"), Origin.AUTHOR)
        stores.books.delete("other")
        assert stores.codex.entries() == [entry()]
