"""A changed record of the codex reaches exactly the texts in whose making it had a part, as their prompts show."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from bookwright.agents.relay.secrets.coming_out import recorded
from bookwright.flows.revision.revise import chosen
from bookwright.flows.revision.staleness import Staleness
from bookwright.models.codex.entries import CodexEntry, EntryKind, Secret, Section, Telling, TellingType
from bookwright.models.codex.record import Origin, RecordKind
from bookwright.models.document import Document, DocumentKind
from bookwright.models.staleness import Touch
from bookwright.models.step import Activity
from bookwright.models.tree.place import Place, order_of
from bookwright.storage.stores import BookStorage, Stores
from tests.flows.conftest import HABIT, SECRET
from tests.flows.revision.changed import MARK, Written, made, put_right, steps_of

SOAKED = pytest.param("hundred", marks=pytest.mark.soak)
on_novel = pytest.mark.parametrize("copied", ["novel"], indirect=True)
on_both = pytest.mark.parametrize("copied", ["novel", SOAKED], indirect=True)


def edit(storage: BookStorage, kind: RecordKind, identity: str, **values: Any) -> None:
    """Change a record as its author."""
    with storage.write() as stores:
        found = stores.codex.get(kind, identity)
        record = type(found.record).model_validate(found.record.model_dump() | values)
        stores.codex.edit(record, found.version, Origin.AUTHOR)


def named(stores: Stores) -> list[str]:
    """The chapters that tell what was added later."""
    [book] = stores.books.all()
    return [told.label for told in Staleness(book.brief).giveaways(stores)]


def touched(storage: BookStorage) -> dict[tuple[str, DocumentKind], Touch]:
    """What is directly stale for the sake of the codex."""
    with storage.read() as stores:
        looking = Staleness(stores.books.get(storage.book).brief)
        found = looking.direct(stores)
        assert [one for one in looking.all(stores) if one.is_direct] == found
    return {(one.document.label, one.document.kind): one.rewordings[0].touch for one in found if one.rewordings}


def holding(storage: BookStorage, holds: Callable[[str], bool], *kinds: DocumentKind) -> set[tuple[str, DocumentKind]]:
    """The documents in a prompt of whose own steps something stood, found by reading all of them."""
    with storage.read() as stores:
        return {
            place for place, document in made(stores, *kinds).items()
            if document.step and any(map(holds, _prompts(stores, document)))
        }  # fmt: skip


def _prompts(stores: Stores, document: Document) -> list[str]:
    return [_asked(stores, call.id) for call in _calls(stores, document) if call.activity != Activity.REVIEW]


def _calls(stores: Stores, document: Document) -> list[Any]:
    """What a document came of, with what it came of before it was put right."""
    states = put_right(document, stores.documents.versions(document.node, document.kind))
    return [call for own in states for call in steps_of(stores, own.step or 0)]


def _asked(stores: Stores, step: int) -> str:
    return "\n".join(stores.steps.prompt(step))


def chapters_from(storage: BookStorage, label: str) -> set[str]:
    with storage.read() as stores:
        return {place for place, _ in made(stores, DocumentKind.PROSE) if order_of(place) >= order_of(label)}


def rare_mark(storage: BookStorage) -> str:
    """A mark that readers never met and that stands in some prompts of chapters and not in all."""
    with storage.read() as stores:
        prose = "".join(document.text for document in made(stores, DocumentKind.PROSE).values())
        shown = [block for one in made(stores, DocumentKind.PROSE).values() for block in _prompts(stores, one)]
    counts = Counter(mark for block in shown for mark in set(MARK.findall(block)))
    fitting = [mark for mark, count in counts.items() if 2 < count < len(shown) / 2 and mark not in prose]
    return str(max(fitting, key=counts.__getitem__)).rstrip("-")


@on_both
def test_other_words_of_a_secret_reach_the_designs_and_briefs_that_were_made_with_it_before_them(
    copied: Written,
) -> None:
    storage, _ = copied
    expected = holding(storage, lambda prompt: SECRET in prompt)

    edit(storage, RecordKind.SECRET, "heir", content="Old Tam sold the light to the wreckers of Grey Sound.")

    assert touched(storage) == dict.fromkeys(expected, Touch.SHOWN)
    assert {kind for _, kind in expected} == {DocumentKind.DESIGN, DocumentKind.WRITERS_BRIEF}
    assert len(expected) >= 10


@on_both
def test_a_word_that_is_forbidden_now_reaches_the_prompts_in_which_it_stood(copied: Written) -> None:
    storage, _ = copied
    word = rare_mark(storage)
    expected = holding(storage, lambda prompt: word in prompt, DocumentKind.PROSE)
    with storage.read() as stores:
        expected |= {place for place, one in made(stores, DocumentKind.WRITERS_BRIEF).items() if word in one.text}

    edit(storage, RecordKind.SECRET, "heir", forbidden_keywords=["drowned king", word])

    assert touched(storage) == dict.fromkeys(expected, Touch.HELD_BACK)
    with storage.read() as stores:
        assert 0 < len(expected) < len(made(stores, DocumentKind.PROSE, DocumentKind.WRITERS_BRIEF)) / 2


@on_both
def test_a_secret_that_comes_out_earlier_reaches_what_was_made_from_there_on(copied: Written) -> None:
    storage, _ = copied
    with storage.read() as stores:
        fourth = stores.codex.reading_order().chapters[3]
    briefs = holding(storage, lambda prompt: SECRET in prompt)

    edit(storage, RecordKind.SECRET, "heir", revealed_at={"chapter": 4})

    found = set(touched(storage))
    told = {label for label, kind in found if kind is DocumentKind.PROSE}
    later = sorted(chapters_from(storage, fourth), key=order_of)
    assert {place for place in found if place[1] is not DocumentKind.PROSE} >= briefs
    assert set(later[:4]) <= told <= set(later), "what is out stays before writers for a while"


@pytest.mark.soak
@pytest.mark.parametrize("copied", ["reviewed"], indirect=True)
def test_a_text_that_a_model_read_beside_a_secret_was_checked_against_it(copied: Written) -> None:
    storage, _ = copied
    with storage.read() as stores:
        pages = made(stores, DocumentKind.PROSE)
        calls = {place: _calls(stores, one) for place, one in pages.items()}
        checked = {place for place, own in calls.items() if any(SECRET in _asked(stores, call.id) for call in own)}

    edit(storage, RecordKind.SECRET, "heir", content="Old Tam sold the light to the wreckers of Grey Sound.")

    assert {place for place, touch in touched(storage).items() if touch is Touch.CHECKED} == checked
    assert checked == set(pages)


@on_novel
@pytest.mark.parametrize("values", [{"importance": "low"}, {"notes": "Ask the keeper."}])
def test_what_no_prompt_and_no_check_reads_of_a_secret_reaches_nothing(copied: Written, values: dict[str, Any]) -> None:
    storage, _ = copied

    edit(storage, RecordKind.SECRET, "heir", **values)

    assert touched(storage) == {}


@on_both
def test_a_section_reaches_the_chapters_that_were_told_it(copied: Written) -> None:
    storage, _ = copied
    expected = holding(storage, lambda prompt: HABIT in prompt, DocumentKind.PROSE)

    edit(storage, RecordKind.ENTRY, "sabine", sections=[{"name": "habit", "text": "Never sleeps under a roof."}])

    assert touched(storage) == dict.fromkeys(expected, Touch.SHOWN)
    assert {kind for _, kind in expected} == {DocumentKind.PROSE}


@on_novel
def test_a_change_that_is_taken_back_leaves_nothing_stale(copied: Written) -> None:
    storage, _ = copied
    edit(storage, RecordKind.SECRET, "heir", content="Old Tam sold the light to the wreckers of Grey Sound.")
    assert touched(storage)

    edit(storage, RecordKind.SECRET, "heir", content=SECRET)

    assert touched(storage) == {}


@on_novel
def test_a_secret_that_is_added_later_makes_nothing_stale_and_the_chapters_that_tell_it_are_named(
    copied: Written,
) -> None:
    storage, _ = copied
    with storage.write() as stores:
        text = chosen(stores, stores.nodes.by_label("1.4"), DocumentKind.PROSE).text
        word = MARK.findall(text)[0].rstrip("-")
        stores.codex.add(Secret(id="late", content="A thing.", forbidden_keywords=(word,)), Origin.AUTHOR)

    assert touched(storage) == {}
    with storage.read() as stores:
        assert named(stores) == [
            label for (label, _), one in made(stores, DocumentKind.PROSE).items() if word in one.text
        ]


@on_novel
def test_a_chapter_that_tells_an_added_secret_is_named_whatever_later_chapters_do_for_it(copied: Written) -> None:
    storage, _ = copied
    with storage.write() as stores:
        reading = stores.codex.reading_order()
        early, _, later, *_ = reading.chapters
        [word] = MARK.findall(chosen(stores, stores.nodes.by_label(early), DocumentKind.PROSE).text)[:1]
        place, words = Place(chapter=3), {"forbidden_keywords": (word.rstrip("-"),)}
        added = stores.codex.add(Secret(id="late", content="A thing.", revealed_at=place, **words), Origin.AUTHOR)
        before = named(stores)

        told = Telling(place=place, type=TellingType.TOLD, expression="He told it.")
        stores.codex.edit(recorded(added.record, told, later, reading), added.version, Origin.PROSE)

        assert named(stores) == before
    assert early in before


@on_novel
def test_of_an_added_entry_what_its_author_keeps_is_looked_for_and_not_what_pages_have_added(copied: Written) -> None:
    storage, _ = copied
    with storage.write() as stores:
        early, _, later, *_ = stores.codex.reading_order().chapters
        pages = (chosen(stores, stores.nodes.by_label(at), DocumentKind.PROSE).text for at in (early, later))
        words = [MARK.findall(text)[0].rstrip("-") for text in pages]
        own, other = (Section(name=word, text=word, visibility=1, forbidden_keywords=(word,)) for word in words)
        lens = CodexEntry(kind=EntryKind.WORLD, id="lens", name="Lens", sections=(own,))
        added = stores.codex.add(lens, Origin.AUTHOR)
        before = named(stores)

        stores.codex.edit(lens.model_copy(update={"sections": (own, other)}), added.version, Origin.PROSE)

        assert named(stores) == before
    assert early in before
    assert later not in before
