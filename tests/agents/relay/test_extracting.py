"""What a model extracts is held to what code knows: places, words that may be forbidden, phases, who said what."""

import pytest

from bookwright.agents.relay.extracting import ExtractionGround, design_records, entry_record
from bookwright.agents.relay.threads.thread_events import place_of, touched_by
from bookwright.models.codex.entries import CodexEntry, EntryKind, Secret, Section, Visibility
from bookwright.models.codex.extraction import DesignExtraction, FoundEntry, FoundTouch
from bookwright.models.codex.foreshadowing import Foreshadowing, Seed, ThreadEventType, ThreadStatus, ThreadVisibility
from bookwright.models.tree.place import Place, ReadingOrder

READING = ReadingOrder(chapters=("1.1", "1.2", "1.3"))
BELL = Foreshadowing(
    id="bell", title="The bell", seed=Seed(content="a cracked bell", planned_at=Place(chapter=1)),
    ai_visibility=ThreadVisibility(allowed_expressions=("the bell",), forbidden_keywords=("recast",)),
)  # fmt: skip


def touched(text: str, thread: Foreshadowing, at: str, *said: FoundTouch) -> tuple[Foreshadowing, tuple[str, ...]]:
    found = touched_by(text, said, [thread], at, READING)
    return (found.threads or (thread,))[0], found.refused


@pytest.mark.parametrize(("share", "chapter"), [(0, 1), (1, 1), (50, 5), (95, 10), (100, 10)])
def test_a_share_of_a_book_is_one_of_its_chapters(share: int, chapter: int) -> None:
    ten = ReadingOrder(chapters=tuple(f"1.{number}" for number in range(1, 11)))

    assert ten.number(Place(share=share)) == chapter
    assert ten.is_here(Place(share=share), f"1.{chapter}.2")


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        (["forger", "Ada", "lamp", "the", "of"], ("forger",)),
        (["私生児", "灯", "灯台", "アダ"], ("私生児",)),
        (["私生子", "灯塔", "子"], ("私生子",)),
    ],
)
def test_no_name_no_public_word_and_no_scrap_is_forbidden(words: list[str], kept: tuple[str, ...]) -> None:
    ground = ExtractionGround(("A lamp. 灯台の話。灯塔的事。",))
    found = DesignExtraction.model_validate({
        "entries": [{"kind": "character", "name": "Ada", "aliases": ["アダ"]}],
        "secrets": [{"id": "birth", "content": "She is his.", "forbidden_keywords": words}],
    })  # fmt: skip

    records, refused = design_records(found, ground)

    secret = next(record for record in records if isinstance(record, Secret))
    assert secret.forbidden_keywords == kept
    assert refused == []


def test_the_id_of_a_secret_is_a_number_and_one_that_is_known_keeps_its_own() -> None:
    said = ["She is his.", "He wrote it.", "The lamp was out."]
    found = DesignExtraction.model_validate(
        {"secrets": [{"id": f"what-it-is-{number}", "content": words} for number, words in enumerate(said)]}
    )
    known = (
        Secret(id="secret-1", content="x"),
        Secret(id="heir", content="he wrote it."),
        Secret(id="what-it-is-2", content="y"),
    )

    new, _ = design_records(found, ExtractionGround())
    again, _ = design_records(found, ExtractionGround(secrets=known))

    assert [record.id for record in new] == ["secret-1", "secret-2", "secret-3"]
    assert [record.id for record in again] == ["secret-2", "heir", "what-it-is-2"]


def test_what_makes_no_record_is_told_and_costs_the_others_nothing() -> None:
    found = DesignExtraction.model_validate({
        "threads": [
            {"title": "???", "seed": "x", "planted_at": 0, "paid_off_at": 9},
            {"title": "The bell", "seed": "a bell", "planted_at": 50, "paid_off_at": 10, "reinforced_at": [60]},
        ]
    })  # fmt: skip

    records, refused = design_records(found, ExtractionGround())

    assert len(refused) == 1
    (bell,) = records
    assert isinstance(bell, Foreshadowing)
    assert bell.payoff.planned_at is None, "nothing is paid off before it is planted"
    assert bell.timeline.reinforce_at == ()


def test_a_known_entry_keeps_its_id_and_a_new_fact_is_known_from_its_place() -> None:
    old = CodexEntry(id="a", kind=EntryKind.CHARACTER, name="Ada", sections=(Section(name="trade", text="Keeper."),))
    facts = [{"aspect": "Trade", "fact": "Clerk."}, {"aspect": "debt", "fact": "Owes nine crowns."}]
    found = FoundEntry.model_validate({"kind": "world", "name": "ADA", "phase": "after the fire", "facts": facts})

    record = entry_record(found.model_copy(update={"phase": ""}), [old], Visibility.USE, Place(label="1.2"))

    assert isinstance(record, CodexEntry)
    assert (record.id, record.kind) == ("a", EntryKind.CHARACTER)
    trade, debt = record.sections
    assert trade.known_from is None, "when it became known is on record already"
    assert debt.known_from == Place(label="1.2")
    phased = entry_record(found, [old], Visibility.USE, Place(label="1.2"))
    assert isinstance(phased, CodexEntry)
    assert [phase.begins for phase in phased.phases] == [None, Place(label="1.2")], "it was there before its new phase"


def test_a_thread_is_planted_by_its_words_once_its_place_has_come() -> None:
    later = BELL.model_copy(update={"seed": Seed(content="x", planned_at=Place(chapter=2))})

    assert touched("Somebody rang THE  BELL.", BELL, "1.1")[0].status is ThreadStatus.PLANTED
    assert touched("Somebody rang the bell.", later, "1.1")[0].status is ThreadStatus.REGISTERED


def test_the_words_of_a_payoff_reveal_an_open_thread() -> None:
    planted, _ = touched("The bell hung there.", BELL, "1.1")

    revealed, _ = touched("It had been re-cast.", planted, "1.3")

    assert revealed.status is ThreadStatus.REVEALED
    assert [event.type for event in revealed.timeline.events] == [ThreadEventType.PLANT, ThreadEventType.REVEAL]


def test_what_is_said_moves_a_thread_only_along_its_life_and_with_its_words() -> None:
    reveal = FoundTouch(thread="bell", did=ThreadEventType.REVEAL, quote="It rained")
    invented = FoundTouch(thread="bell", did=ThreadEventType.PLANT, quote="never written")

    unplanted, refused = touched("It rained.", BELL, "1.1", reveal)
    unproved, _ = touched("It rained.", BELL, "1.1", invented)

    assert unplanted.status is ThreadStatus.REGISTERED
    assert "cannot become revealed" in refused[0]
    assert unproved == BELL


def test_a_unit_that_is_written_anew_takes_back_what_it_had_done() -> None:
    planted, _ = touched("The bell hung there.", BELL, "1.1")

    again, _ = touched("Nothing hung there.", planted, "1.1")

    assert again.status is ThreadStatus.REGISTERED
    assert again.timeline.events == ()


def test_a_book_in_one_piece_is_its_own_first_chapter() -> None:
    assert place_of("1") == Place(chapter=1)
    assert place_of("1.2") == Place(label="1.2")
