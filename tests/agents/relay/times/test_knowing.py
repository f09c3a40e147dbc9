"""A secret that was missed is not made good in a flashback to before it happens."""

from bookwright.agents.relay.secrets.coming_out import SecretState, state_of
from bookwright.models.codex.entries import Secret, Telling, TellingType
from bookwright.models.story_time.times import StoryTime
from bookwright.models.tree.place import Place, ReadingOrder

TIMES = (("1.1", "day 5"), ("1.2", "ten years before chapter 1"), ("1.3", "day 6"))
READING = ReadingOrder(
    chapters=("1.1", "1.2", "1.3"), times=tuple((label, StoryTime(when=when)) for label, when in TIMES)
)


def test_what_was_missed_waits_for_a_chapter_that_is_set_after_it() -> None:
    missed = Telling(place=Place(chapter=1), type=TellingType.MISSED)
    fire = Secret(
        id="fire", content="She set it.", revealed_at=Place(chapter=1), happens_at=StoryTime(when="day 4"),
        events=(missed,),
    )  # fmt: skip

    states = [state_of(fire, label, READING) for label in READING.chapters]
    plain = state_of(fire, "1.2", ReadingOrder(chapters=READING.chapters))

    assert states == [SecretState.DUE, SecretState.PENDING, SecretState.DUE]
    assert plain is SecretState.DUE
