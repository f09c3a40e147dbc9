"""What of a secret is kept, due and out; to whom an order falls; what a writer's hints begin with."""

from typing import Any

import pytest

from bookwright.agents.relay.continuity import CodexSight, hint_lines
from bookwright.agents.relay.secrets.coming_out import MOST_ORDERS, SecretState, recorded, state_of
from bookwright.agents.relay.secrets.kept import (
    ForbiddenKeyword,
    ForbiddenKeywords,
    KeywordSource,
    SourceKind,
)
from bookwright.agents.relay.secrets.matching import Matcher, Withholding
from bookwright.agents.relay.secrets.tellings import secrets_after, standing_close
from bookwright.agents.relay.secrets.visibility import KnownFact, Restricted, VisibleCodex, VisibleEntry, VisibleSection
from bookwright.agents.relay.threads.instructions import (
    ForeshadowAction,
    ForeshadowInstruction,
    falls_to,
    reveals_at,
)
from bookwright.models.codex.entries import EntryKind, Secret, Telling, TellingType
from bookwright.models.codex.extraction import FoundReveal
from bookwright.models.story_time.times import StoryTime
from bookwright.models.tree.place import ChapterPart, Place, ReadingOrder

READING = ReadingOrder(chapters=tuple(f"1.{number}" for number in range(1, 11)))
CONTENT = "The old keeper drowned his brother in the harbour."
NOTHING = Matcher(Withholding())


def secret(**values: Any) -> Secret:
    return Secret.model_validate({"id": "brother", "content": CONTENT, **values})


def missed(*places: str) -> list[dict[str, str]]:
    return [{"place": place, "type": "missed"} for place in places]


@pytest.mark.parametrize(
    ("values", "at", "state"),
    [
        ({"revealed_at": 3}, "1.2", "kept"), ({"revealed_at": 3}, "1.3.2", "due"), ({}, "1.9", "kept"),
        ({"revealed_at": "30%"}, "1.3", "due"), ({"revealed_at": "1.3.2"}, "1.3.3", "pending"),
        ({"revealed_at": 3, "events": missed("1.3")}, "1.4", "due"),
        ({"revealed_at": 3, "events": missed("1.3")}, "1.3", "due"),
        ({"revealed_at": 3, "events": [{"place": "1.3", "type": "told"}]}, "1.4", "told"),
        ({"revealed_at": 3}, "1.4", "told"),
        ({"revealed_at": 3, "events": missed("1.3", "1.4", "1.5", "1.6")}, "1.7", "pending"),
    ],
)  # fmt: skip
def test_a_secret_is_kept_then_due_then_told(values: dict[str, Any], at: str, state: str) -> None:
    assert state_of(secret(**values), at, READING) == state
    assert MOST_ORDERS == 4


def test_what_a_chapter_did_takes_the_place_of_what_its_earlier_text_did() -> None:
    one = secret(revealed_at=3, events=missed("1.3", "1.4"))
    told = Telling(place=Place(label="1.3"), type="told", expression="He had a brother once.")

    after = recorded(one, told, "1.3", READING)

    assert [(str(own.place), own.type) for own in after.events] == [("1.3", "told"), ("1.4", "missed")]
    assert state_of(after, "1.5", READING) is SecretState.TOLD
    assert recorded(after, None, "1.3", READING).events == one.events[1:]


def test_a_record_that_knows_no_events_is_read_as_before() -> None:
    old = '{"id":"x","content":"He lied.","revealed_at":4,"visibility":0}'

    read = Secret.model_validate_json(old)

    assert (read.events, read.revealed_at) == ((), Place(chapter=4))


@pytest.mark.parametrize(
    ("text", "quote", "is_judged", "kind"),
    [
        ("He drowned a man. That was all.", "He drowned a man.", True, "told"),
        ("He drowned a man. That was all.", "He told it himself.", True, "missed"),
        ("It rained all night. That was all.", "It rained all night.", True, "missed"),
        ("It rained. He was drowned by his own kin.", "It rained.", True, "told"),
        (f"It rained. {'They slept. ' * 20} There was the harbour.", "It rained.", True, "missed"),
        ("It was in the harbour. He drowned him, his own brother, said the old man, the keeper.", "", False, "told"),
        ("The old keeper walked to the harbour.", "", False, "missed"),
        ("It was in the harbour. He drowned him, his own brother, said the old man, the keeper.", "", True, "missed"),
        (CONTENT, "", True, "told"),
    ],
)  # fmt: skip
def test_a_secret_came_out_if_words_that_stand_there_say_so(text: str, quote: str, is_judged: bool, kind: str) -> None:
    said = [FoundReveal(secret="brother", quote=quote)] if quote else []

    [after] = secrets_after(
        text, said, [secret(revealed_at=3)], "1.3", Place(label="1.3"), READING, is_judged=is_judged
    )

    assert [event.type for event in after.events] == [kind]


def test_words_that_a_model_only_said_to_tell_it_stay_on_record_as_that() -> None:
    said = [FoundReveal(secret="brother", quote="Tomas Reed slept.")]
    named = secret(revealed_at=3, content="Tomas Reed drowned his brother.", related_entity="Tomas Reed")

    [after] = secrets_after(
        "Tomas Reed slept. It rained.", said, [named], "1.3", Place(label="1.3"), READING, is_judged=True
    )

    assert [(event.type, event.expression) for event in after.events] == [("missed", "Tomas Reed slept.")]


def test_words_that_stand_far_apart_tell_nothing() -> None:
    apart = " ".join(["The keeper slept.", *["It rained."] * 9, "A brother came.", *["It rained."] * 9, "He drowned."])

    assert standing_close(apart, CONTENT) == ""
    assert standing_close("彼女は灯台守の娘だ。", "彼女は灯台守の娘である。") == "彼女は灯台守の娘だ。"


PARTED = READING.model_copy(update={"parts": tuple(
    ChapterPart(label=f"1.3.{n}", told=told)
    for n, told in enumerate(("Ada walks to the quay.", "Ada asks the keeper of his brother.", "Ada sleeps."), 1)
)})  # fmt: skip


@pytest.mark.parametrize(
    ("words", "is_ending", "label"),
    [
        ("a bell", False, "1.3.1"), ("a bell", True, "1.3.3"), (CONTENT, True, "1.3.2"),
        ("the quay", False, "1.3.1"), ("Ada", False, "1.3.1"),
    ],
)  # fmt: skip
def test_an_order_falls_to_one_part_of_a_chapter(words: str, is_ending: bool, label: str) -> None:
    fallen = [part.label for part in PARTED.parts if falls_to(part.label, words, PARTED, is_ending=is_ending)]

    assert fallen == [label]
    assert falls_to("1.3", words, PARTED, is_ending=is_ending), "the chapter itself is told"
    assert falls_to(f"{label}.2", words, PARTED, is_ending=is_ending), "and what lies in that part"


def test_nothing_withheld_stands_in_an_order_to_tell() -> None:
    one = secret(revealed_at=3, content="He lied. The old keeper drowned his brother.")

    [reveal] = reveals_at([one], "1.3", READING, Matcher(Withholding(texts=("The old keeper drowned his brother.",))))

    assert (reveal.content, reveal.is_late) == ("He lied.", False)
    assert reveals_at([one], "1.3", READING.model_copy(update={"coarse": ("1.3",)}), NOTHING) == ()


def test_a_writers_hints_begin_with_orders_and_end_with_what_is_known() -> None:
    order = ForeshadowInstruction(
        foreshadowing_id="ring", action=ForeshadowAction.PLANT, note="A ring.", subtlety_target=6
    )
    paid = order.model_copy(update={"action": ForeshadowAction.PAYOFF, "payoff": "It was hers."})
    word = ForbiddenKeyword(text="heir", sources=(KeywordSource(kind=SourceKind.GLOBAL),))
    direction = VisibleSection(name="Direction", text="He looks away.")
    eyes = VisibleSection(name="eyes", text="green")
    entry = VisibleEntry(id="lotte", kind=EntryKind.CHARACTER, name="Lotte Finch", sections=(direction, eyes))
    codex = VisibleCodex(
        entries=(entry,), facts=(KnownFact(text="He lied."),),
        restricted=(Restricted(source="secret", id="s", content="He fell."),),
    )  # fmt: skip
    reveals = reveals_at([secret(revealed_at=3)], "1.3", READING, NOTHING)

    lines = hint_lines(
        CodexSight(codex=codex, orders=(order, paid), reveals=reveals, keywords=ForbiddenKeywords(keywords=(word,))),
        "en",
    )

    assert lines == [
        f"- It comes out here. By the end of what you write a reader knows, told or shown on the page: {CONTENT}",
        "- Here it gets its answer, what readers have seen before (A ring.): It was hers.",
        "- Let this be seen for the first time, in passing, among other things: A ring.",
        "- For you alone, to be felt and left unsaid (by what people do, things, scenery, habits): He fell.",
        "- Say it in other words than: heir",
        "- Readers know by now: He lied.",
        "- Lotte Finch: He looks away.",
        "- Lotte Finch: eyes, green",
    ]


TIMES = (("1.1", "day 5"), ("1.2", "ten years before chapter 1"), ("1.3", "day 6"))
TIMED = ReadingOrder(
    chapters=("1.1", "1.2", "1.3"), times=tuple((label, StoryTime(when=when)) for label, when in TIMES)
)


def test_what_was_missed_waits_for_a_chapter_that_is_set_after_it() -> None:
    missed = Telling(place=Place(chapter=1), type=TellingType.MISSED)
    fire = Secret(
        id="fire", content="She set it.", revealed_at=Place(chapter=1), happens_at=StoryTime(when="day 4"),
        events=(missed,),
    )  # fmt: skip

    states = [state_of(fire, label, TIMED) for label in TIMED.chapters]
    plain = state_of(fire, "1.2", ReadingOrder(chapters=TIMED.chapters))

    assert states == [SecretState.DUE, SecretState.PENDING, SecretState.DUE]
    assert plain is SecretState.DUE
