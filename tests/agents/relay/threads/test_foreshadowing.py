"""The life of a thread: its moves, its level, what a unit is told to do for it, what an author is told."""

from contextlib import suppress
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookwright.agents.relay.secrets.matching import Matcher, Withholding
from bookwright.agents.relay.secrets.visibility import Restricted
from bookwright.agents.relay.threads.alerts import PACINGS, generate_alerts, unintended
from bookwright.agents.relay.threads.foreshadowing import (
    BANDS,
    as_before,
    level_at,
    level_of,
    missing_prerequisites,
    moved,
    recorded,
)
from bookwright.agents.relay.threads.instructions import (
    ForeshadowAction,
    check_foreshadowing_for_scene,
    instruct,
    subtlety_target,
)
from bookwright.models.codex.entries import Visibility
from bookwright.models.codex.foreshadowing import Foreshadowing, ThreadEvent, ThreadStatus
from bookwright.models.errors import InvalidEntry
from bookwright.models.tree.place import ReadingOrder

S = ThreadStatus
READING = ReadingOrder(chapters=tuple(f"1.{number}" for number in range(1, 31)))
NOTHING = Matcher(Withholding())
NEAR = {"characters": ["ＭＩＲＡ"]}


def thread(identity: str = "ring", **values: Any) -> Foreshadowing:
    return Foreshadowing.model_validate({"id": identity, "title": identity, **values})


def event(place: Any, kind: str) -> ThreadEvent:
    return ThreadEvent.model_validate({"place": place, "type": kind})


def test_a_thread_moves_only_as_its_life_allows() -> None:
    moves = set()
    for before, after in product(S, S):
        with suppress(InvalidEntry):
            moves |= {(before, moved(thread(status=before), after).status)} if before is not after else set()

    assert moves == {
        (S.REGISTERED, S.PLANTED), (S.REGISTERED, S.ABANDONED), (S.PLANTED, S.REINFORCED), (S.PLANTED, S.REVEALED),
        (S.PLANTED, S.ABANDONED), (S.REINFORCED, S.PLANTED), (S.REINFORCED, S.REVEALED), (S.REINFORCED, S.ABANDONED),
        (S.ABANDONED, S.REGISTERED),
    }  # fmt: skip
    with pytest.raises(InvalidEntry, match="'ring' is revealed and cannot become planted; it can become nothing else"):
        moved(thread(status="revealed"), S.PLANTED)


@pytest.mark.parametrize(
    ("status", "subtlety", "ceiling", "level"),
    [
        ("registered", 1, None, 0), ("planted", 7, None, 2), ("planted", 8, None, 1), ("reinforced", 10, None, 1),
        ("reinforced", 3, None, 2), ("reinforced", 3, 0, 0), ("planted", 9, 3, 1), ("revealed", 10, 0, 3),
        ("abandoned", 1, 3, 0),
    ],
)  # fmt: skip
def test_the_level_is_the_smallest_that_status_subtlety_and_author_allow(
    status: str, subtlety: int, ceiling: int | None, level: int
) -> None:
    one = thread(status=status, subtlety_level=subtlety, ai_visibility={"level": ceiling})

    assert level_of(one) == level


KINDS = ("plant", "reinforce", "hint", "reveal")


@given(
    events=st.lists(st.tuples(st.integers(1, 30), st.sampled_from(KINDS)), max_size=6),
    subtlety=st.integers(1, 10), due=st.none() | st.integers(1, 30), places=st.tuples(*[st.integers(1, 30)] * 2),
)  # fmt: skip
def test_a_threads_level_never_falls_from_place_to_place(
    events: list[tuple[int, str]], subtlety: int, due: int | None, places: tuple[int, int]
) -> None:
    one = thread(subtlety_level=subtlety, payoff={"content": "x", "planned_at": due})
    for chapter, kind in events:
        try:
            one = recorded(one, event(f"1.{chapter}", kind))
        except InvalidEntry:
            continue

    early, late = (level_at(one, f"1.{place}", READING) for place in sorted(places))

    assert early <= late


def test_a_unit_that_is_written_anew_sees_the_thread_as_it_stood_before_it() -> None:
    one = thread(status="registered")
    for place, kind in (("1.2", "plant"), ("1.4", "reinforce"), ("1.9", "reveal")):
        one = recorded(one, event(place, kind))
    again = recorded(one, event("1.2", "plant"))

    stood = [as_before(one, f"1.{chapter}", READING).status for chapter in (1, 2, 3, 4, 5, 9, 10)]

    assert stood == [S.REGISTERED, S.REGISTERED, S.PLANTED, S.PLANTED, S.REINFORCED, S.REINFORCED, S.REVEALED]
    assert (one.status, again.status, len(again.timeline.events)) == (S.REVEALED, S.REVEALED, 4)
    assert level_at(one, "1.3", READING) is Visibility.KNOW


@pytest.mark.parametrize(
    ("values", "at", "action"),
    [
        ({"seed": {"planned_at": 3}}, "1.3.2", "plant"),
        ({"seed": {"planned_at": 3}}, "1.4", "plant"),
        ({"seed": {"planned_at": 3}}, "1.7", "none"),
        ({"seed": {"planned_at": 3}, "payoff": {"planned_at": 5}}, "1.5", "payoff"),
        ({"status": "planted", "payoff": {"planned_at": 5}}, "1.6", "payoff"),
        ({"status": "planted", "payoff": {"planned_at": 5}, "related": NEAR}, "1.5", "payoff"),
        ({"seed": {"planned_at": 3}, "prerequisite": ["other/planted"]}, "1.3", "none"),
        ({"status": "planted", "timeline": {"reinforce_at": [5]}}, "1.5", "reinforce"),
        ({"status": "planted", "timeline": {"reinforce_at": [5]}, "related": NEAR}, "1.5", "reinforce"),
        ({"status": "planted", "related": NEAR}, "1.5", "hint"),
        ({"status": "reinforced", "related": {"characters": ["Mira"]}}, "1.5", "none"),
        ({"status": "reinforced", "payoff": {"planned_at": "1.9.1"}}, "1.9", "payoff"),
        ({"status": "revealed", "payoff": {"planned_at": 9}}, "1.9", "none"),
        ({"status": "abandoned", "seed": {"planned_at": 9}}, "1.9", "none"),
        ({"status": "planted"}, "1.9", "none"),
    ],
)  # fmt: skip
def test_the_first_condition_that_holds_says_what_to_do(values: dict[str, Any], at: str, action: str) -> None:
    orders = instruct([thread(**values), thread("other")], at, READING, NOTHING, ["Mira"])

    assert orders[0].action == action


def test_a_thread_is_brought_back_once_in_the_place_planned_for_it() -> None:
    one = thread(status="planted", timeline={"reinforce_at": [5]})
    done = recorded(one, event("1.5.1", "reinforce"))

    actions = [instruct([done], at, READING, NOTHING)[0].action for at in ("1.5.1", "1.5.2")]

    assert actions == [ForeshadowAction.REINFORCE, ForeshadowAction.NONE]


def test_how_finely_a_thread_is_done_goes_by_action_and_by_its_own_level() -> None:
    targets = {
        action.value: [subtlety_target(action, level) for level in (1, 3, 4, 6, 7, 10)] for action in ForeshadowAction
    }

    assert targets == {
        "plant": [2, 2, 4, 4, 6, 6], "reinforce": [4, 4, 6, 6, 8, 8],
        "hint": [6, 6, 8, 8, 10, 10], "payoff": [1, 1, 1, 1, 3, 3], "none": [8, 8, 10, 10, 10, 10],
    }  # fmt: skip


def test_every_level_of_subtlety_has_a_band_that_allows_less_the_finer_it_is() -> None:
    bands = [Restricted(source="thread", id="t", content="x", subtlety=level).band for level in range(1, 11)]

    assert [band.name for band in bands] == [
        "plain", "plain", "standard", "standard", "fine", "fine", "hidden", "hidden",
        "almost invisible", "almost invisible",
    ]  # fmt: skip
    assert [len(band.allowed) for band in BANDS] == [6, 5, 4, 2, 1]
    assert "dialogue" in bands[6].forbidden


def test_prerequisites_hold_once_the_other_thread_has_come_that_far() -> None:
    one = thread(prerequisite=["a/planted", "b/reinforced", "c/abandoned", "d/planted"])
    others = [thread("a", status="revealed"), thread("b", status="planted"), thread("c", status="abandoned")]

    assert missing_prerequisites(one, others) == ["b/reinforced", "d/planted"]


def test_a_scene_is_checked_for_what_it_owes() -> None:
    threads = [
        thread("a", seed={"planned_at": 4}), thread("b", seed={"planned_at": 4}, prerequisite=["x/planted"]),
        thread("c", status="planted", timeline={"reinforce_at": ["1.4"]}),
        thread("d", status="planted", payoff={"planned_at": 7}),
        thread("e", status="planted", payoff={"planned_at": 8}),
    ]  # fmt: skip

    check = check_foreshadowing_for_scene(threads, "1.4.1", READING, reminder=3)

    assert (check.should_plant, check.should_reinforce, check.approaching_payoff) == (("a",), ("c",), ("d",))
    assert check.waiting_for == {"b": ("x/planted",)}


@pytest.mark.parametrize(
    ("pacing", "found"),
    [
        ("slow", [("due", 6)]),
        ("medium", [("quiet", 12)]),
        ("fast", [("fresh", 7), ("quiet", 12)]),
    ],
)
def test_alerts_come_as_soon_as_the_books_pacing_says(pacing: str, found: list[tuple[str, int]]) -> None:
    threads = [
        recorded(thread("due", payoff={"planned_at": 20}), event("1.14", "plant")),
        recorded(thread("quiet"), event("1.2", "plant")),
        recorded(thread("fresh"), event("1.7", "plant")),
    ]

    alerts = generate_alerts(threads, "1.14.2", READING, PACINGS[pacing])

    assert sorted((alert.foreshadowing_id, alert.chapters) for alert in alerts) == found


def test_a_thread_that_is_forgotten_is_named_at_the_end_and_before_a_climax() -> None:
    planted = thread("a", status="planted")
    threads = [planted, thread("b", seed={"planned_at": 2}), thread("c", status="revealed"), thread("d")]

    end = generate_alerts(threads, "1.30", READING, PACINGS["medium"], is_finished=True)
    climax = generate_alerts([planted], "1.8", READING, PACINGS["medium"], climax=event(10, "hint").place)

    assert [(alert.type, alert.foreshadowing_id) for alert in end] == [
        ("unclosed_foreshadowing", "a"), ("missed_planting", "b"),
    ]  # fmt: skip
    assert [(alert.type, alert.chapters) for alert in climax] == [("payoff_timing_suggestion", 2)]


@pytest.mark.parametrize(
    "text",
    [
        "She smiled. Little did she know what the lamp had seen. Rain fell.",
        "他笑了。殊不知灯里藏着什么。雨停了。",
        "彼女は笑った。なぜか胸が騒いだ。雨が降った。",
        "그녀는 웃었다. 그때는 아무도 몰랐다. 비가 내렸다.",
    ],
)
def test_a_sentence_that_promises_more_than_any_thread_is_found(text: str) -> None:
    [alert] = unintended(text, [])

    assert text.find(alert.excerpt) > 0
    assert unintended(text, [thread(seed={"content": alert.excerpt})]) == []
