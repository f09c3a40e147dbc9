"""Gates: where a book rests for a human, and what a decision makes of it. Source: DESIGN section 6, "Gates"."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from bookwright.failpoints import Failpoint
from bookwright.flows.gates import human_fallback
from bookwright.flows.hold import hold
from bookwright.models.book import BookState
from bookwright.models.decision import Decision
from bookwright.models.document import DocumentKind
from bookwright.models.errors import BookHeld, GateDecided, GateWaiting, InvalidInput
from bookwright.models.gate import Decider, FallbackHistory, Gate, GateKind, GateState, Refusal, Ruling
from bookwright.models.level import Level
from bookwright.models.plan import TaskType
from bookwright.models.ruling import approval
from bookwright.models.task import NodeStatus, TaskNode
from bookwright.storage.books import Lease
from bookwright.storage.stores import Stores
from tests.books import make_book, make_settings
from tests.flows.gated import Desk, sit_down


@dataclass
class Sit:
    """Has a person sit down to a book, new ones of a brief."""

    home: Path
    desks: list[Desk] = field(default_factory=list)

    def __call__(self, identity: str = "", **brief: Any) -> Desk:
        self.desks.append(sit_down(self.home, identity, **brief))
        return self.desks[-1]


SHORT = {"length": 900, "profile": "economy"}
CHAPTERS = {"length": 6_000, "profile": "economy", "max_unit_length": 2_400}
NOTE = "The keeper is a woman of sixty."
HISTORY = FallbackHistory(
    draft="She told him who had lit the lamp.",
    refusals=(Refusal(reasons=("It says who lit the lamp.",)), Refusal(reasons=("It still does.",))),
)


@pytest.fixture
def sit(tmp_path: Path) -> Iterator[Sit]:
    sitting = Sit(tmp_path)
    yield sitting
    for desk in sitting.desks:
        desk.close()


def opened_by(desk: Desk) -> list[tuple[str, str]]:
    """The gates of a book that is written to its end, each approved as it opens."""
    met: list[tuple[str, str]] = []
    while True:
        try:
            desk.run()
            return met
        except GateWaiting as waiting:
            met.append((waiting.gate.kind.value, waiting.gate.label))
            desk.approve(waiting.gate)


def living(desk: Desk, *types: TaskType) -> list[TaskNode]:
    with desk.storage.read() as stores:
        return list(stores.nodes.walk(*types))


def prose_of(desk: Desk, label: str) -> str:
    with desk.storage.read() as stores:
        document = stores.documents.current(stores.nodes.by_label(label).key, DocumentKind.PROSE)
    assert document is not None
    return document.text


def test_a_book_rests_at_every_gate_that_its_brief_names_and_nowhere_else(sit: Sit) -> None:
    desk = sit(**CHAPTERS, gates=["outline", "book_design", "volume_design", "chapter"])

    met = opened_by(desk)

    chapters = [node.label for node in living(desk, TaskType.WRITE) if node.depth == 1]
    assert met == [("outline", "1"), ("book_design", "1"), *(("chapter", label) for label in chapters)]
    assert len(chapters) >= 2
    assert desk.book.state is BookState.FINISHED


def test_a_book_in_one_piece_stands_in_a_chapters_place(sit: Sit) -> None:
    desk = sit(**SHORT, gates=["chapter"])

    assert opened_by(desk) == [("chapter", "1")]


def test_a_book_without_gates_looks_for_one_once_in_a_run(sit: Sit) -> None:
    desk = sit(**CHAPTERS)
    asked: list[str] = []

    @event.listens_for(desk.database.engine, "before_cursor_execute")
    def hear(connection: object, cursor: object, statement: str, *_: object) -> None:
        asked.extend([statement] if "gates" in statement else [])

    desk.run()

    assert len(asked) == 1
    assert desk.book.calls > 20


def test_a_waiting_book_is_free_and_says_so_and_running_it_again_pays_nothing(sit: Sit) -> None:
    desk = sit(**SHORT, gates=["outline"])

    first = desk.wait()
    paid = desk.book.calls
    again = desk.wait()

    book = desk.book
    assert (book.state, book.lease_owner, book.calls) == (BookState.WAITING, None, paid)
    assert book.reason == f"gate {first.id}, outline of 1, waits for a decision"
    assert f"bookwright approve {book.id} {first.id}" in book.advice
    assert again == first
    assert not first.is_settled


def test_a_gate_that_is_taken_out_of_the_brief_still_waits(sit: Sit) -> None:
    desk = sit(**SHORT, gates=["outline"])
    gate = desk.wait()
    with desk.storage.write() as stores:
        stores.books.edit_brief(desk.book.id, desk.book.brief.changed(gates=[], unattended="accept"))

    assert desk.wait() == gate


def test_a_rejected_plan_is_made_anew_with_the_note_and_what_it_was(sit: Sit) -> None:
    desk = sit(**SHORT, gates=["outline"])
    gate = desk.wait()
    planned = [node.goal for node in living(desk, TaskType.DESIGN, TaskType.SEARCH)]
    asked = len(desk.asked.requests)

    desk.reject(gate, NOTE)
    second = desk.wait()

    replaced = [node.goal for node in living(desk, TaskType.DESIGN, TaskType.SEARCH)]
    assert planned
    assert len(replaced) > 0
    assert {name.partition("/")[0] for name in desk.steps_since(asked)} == {"1 plan"}
    for prompt in desk.prompts_since(asked):
        assert NOTE in prompt
        assert all(goal in prompt for goal in planned)
    assert (second.id > gate.id, second.revision, second.state) == (True, 2, GateState.WAITING)


def test_a_rejected_design_is_planned_on_and_what_is_designed_stays(sit: Sit) -> None:
    desk = sit(**CHAPTERS, gates=["book_design"])
    gate = desk.wait()
    designed = [node.key for node in living(desk, TaskType.DESIGN)]
    asked = len(desk.asked.requests)

    desk.reject(gate, NOTE)
    second = desk.wait()

    tasks = living(desk, TaskType.DESIGN)
    assert [node.key for node in tasks][: len(designed)] == designed
    assert len(tasks) > len(designed)
    assert all(NOTE in prompt for prompt in desk.prompts_since(asked, "1 plan/"))
    assert second.revision == 2
    desk.approve(second)
    desk.run()
    assert all(NOTE in prompt for prompt in desk.prompts_since(asked, "1 divide/"))


def test_a_rejected_chapter_alone_is_written_again_with_the_old_text_in_view(sit: Sit) -> None:
    desk = sit(**CHAPTERS, gates=["chapter"])
    first = desk.wait()
    desk.approve(first)
    gate = desk.wait()
    kept, old = prose_of(desk, first.label), prose_of(desk, gate.label)
    asked = len(desk.asked.requests)

    desk.reject(gate, NOTE)
    again = desk.wait()

    assert (again.label, again.revision) == (gate.label, 2)
    assert {name.partition("/")[0] for name in desk.steps_since(asked)} <= {
        f"{gate.label} brief", f"{gate.label} write", f"{gate.label} close", "1 maintain",
    }  # fmt: skip
    assert all(old in prompt for prompt in desk.prompts_since(asked, f"{gate.label} write/"))
    [brief] = desk.prompts_since(asked, f"{gate.label} brief/")
    assert NOTE in brief
    assert old in brief
    assert prose_of(desk, first.label) == kept
    assert prose_of(desk, gate.label) != old
    assert sums_hold(desk)


@pytest.mark.parametrize("profile", ["small", "economy", "standard"])
def test_every_step_that_writes_a_rejected_text_anew_reads_the_order(sit: Sit, profile: str) -> None:
    desk = sit(**SHORT | {"length": 280, "profile": profile}, gates=["chapter"])
    gate = desk.wait()
    asked = len(desk.asked.requests)

    desk.reject(gate, NOTE)
    desk.wait()

    writing = desk.prompts_since(asked, "1 write/")
    telling = [prompt for prompt in writing if profile != "small" or "plain sentence. Begin" not in prompt]
    assert len(telling) >= 2
    assert all(NOTE in prompt for prompt in telling)


@pytest.mark.parametrize("kind", ["outline", "book_design"])
def test_a_weak_model_reads_what_was_ordered_of_its_plan(sit: Sit, kind: str) -> None:
    desk = sit(**SHORT | {"profile": "small"}, gates=[kind])
    gate = desk.wait()
    asked = len(desk.asked.requests)

    desk.reject(gate, NOTE)
    desk.wait()

    planned = desk.prompts_since(asked, "1 plan/")
    assert planned
    assert all(NOTE in prompt for prompt in planned)


def sums_hold(desk: Desk) -> bool:
    """Whether what every unit counts as written is the length of the prose below it."""
    units = living(desk, TaskType.WRITE)
    with desk.storage.read() as stores:
        lengths = {
            unit.label: document.length
            for unit in units
            if (document := stores.documents.current(unit.key, DocumentKind.PROSE))
        }
    return all(
        unit.written == sum(length for label, length in lengths.items() if f"{label}.".startswith(f"{unit.label}."))
        for unit in units
    )


SCENES = [
    {"level": "chapter", "title": "The Lamp", "parts": [
        {"level": "scene", "title": "The Stair", "text": "She climbed the stair. " * 300},
        {"level": "scene", "title": "The Wick", "text": "She cut the wick. " * 300},
    ]},
]  # fmt: skip


def test_a_rejected_chapter_of_scenes_is_divided_anew(sit: Sit) -> None:
    storage = make_book(make_settings(sit.home), SCENES, identity="scenes", length=6_000, profile="economy")
    with storage.write() as stores:
        root, chapter = stores.nodes.root(), stores.nodes.by_label("1.1")
        for unit in (root, chapter):
            stores.nodes.change(unit.key, decision=Decision.DIVIDE_HIERARCHY.value)
        stores.nodes.change(chapter.key, status=NodeStatus.DONE.value, is_last=True)
        stores.gates.open(chapter, GateKind.CHAPTER)
    storage.database.dispose()
    desk = sit(identity="scenes")
    gate = desk.wait()
    scenes = [node.label for node in living(desk, TaskType.WRITE) if node.depth == 2]

    desk.reject(gate, NOTE)
    desk.run()

    now = [node.label for node in living(desk, TaskType.WRITE) if node.depth == 2]
    assert (scenes, now[0]) == (["1.1.1", "1.1.2"], "1.1.3")
    assert desk.steps_since(0)[0].startswith("1.1 divide/")
    assert NOTE in desk.prompts_since(0)[0]
    assert sums_hold(desk)


def test_a_second_decision_is_told_that_the_first_one_stands(sit: Sit) -> None:
    desk = sit(**SHORT, gates=["outline"])
    gate = desk.wait()
    desk.approve(gate)

    with pytest.raises(GateDecided, match="was approved already; the first decision stands"):
        desk.reject(gate, NOTE)

    with desk.storage.read() as stores:
        assert stores.gates.get(gate.id).state is GateState.APPROVED


def test_of_many_who_decide_at_once_one_does(sit: Sit) -> None:
    desk = sit(**SHORT, gates=["outline"])
    gate = desk.wait()
    ends: list[str] = []
    barrier = threading.Barrier(6)

    def decide(number: int) -> None:
        barrier.wait()
        try:
            desk.reject(gate, f"note {number}") if number % 2 else desk.approve(gate)
            ends.append("decided")
        except GateDecided:
            ends.append("late")

    threads = [threading.Thread(target=decide, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(ends) == ["decided", *["late"] * 5]


def test_deciding_while_a_worker_holds_the_book_changes_nothing_but_the_gate(sit: Sit) -> None:
    desk = sit(**SHORT, gates=["outline"])
    gate = desk.wait()
    with desk.storage.write() as stores:
        lease = Lease.take(stores.connection, desk.book.id, "somebody", 60)
        stores.books.set_state(desk.book.id, BookState.WRITING)

    desk.approve(gate)

    assert (desk.book.state, desk.book.lease_owner) == (BookState.WRITING, "somebody")
    with pytest.raises(BookHeld):
        desk.run()
    with desk.storage.write() as stores:
        lease.release(stores.connection)
    assert desk.run().state is BookState.FINISHED


def test_a_worker_that_leaves_at_a_gate_that_was_just_decided_only_rests(sit: Sit) -> None:
    desk = sit(**SHORT, gates=["outline"])
    gate = desk.wait()

    with pytest.raises(GateWaiting):
        decide_and_leave(desk, gate)

    assert (desk.book.state, desk.book.reason) == (BookState.PAUSED, f"gate {gate.id}, outline of 1, was approved")


def decide_and_leave(desk: Desk, gate: Gate) -> None:
    with hold(desk.book.id, desk.around):
        desk.approve(gate)
        raise GateWaiting(gate)


def test_a_gate_that_a_died_worker_opened_is_met_by_the_next_one(sit: Sit) -> None:
    desk = sit(**SHORT, gates=["outline"])
    gate = desk.wait()
    with desk.storage.write() as stores:  # as it is between the record of the plan and the end of the lease
        Lease.take(stores.connection, desk.book.id, "a dead worker", -1)
        stores.books.set_state(desk.book.id, BookState.WRITING)

    assert desk.wait() == gate
    assert desk.book.state is BookState.WAITING


def unit_in(desk: Desk) -> TaskNode:
    with desk.storage.read() as stores:
        return stores.nodes.root()


def fall_back(desk: Desk, number: int = 1) -> Ruling:
    """What a write activity does once its last revision is refused."""
    with hold(desk.book.id, desk.around) as deps:
        return human_fallback(unit_in(desk), deps, HISTORY, number)


def waiting_at(desk: Desk, number: int = 1) -> Gate:
    with pytest.raises(GateWaiting) as waiting:
        fall_back(desk, number)
    return waiting.value.gate


def test_a_refused_draft_waits_with_its_history_and_is_approved_as_it_stands(sit: Sit) -> None:
    desk = sit(**SHORT)
    gate = waiting_at(desk)

    assert (gate.draft, [refusal.reasons for refusal in gate.refusals][-1]) == (HISTORY.draft, HISTORY.last_issues)
    assert desk.book.state is BookState.WAITING
    desk.approve(gate)

    assert fall_back(desk) == Ruling(state=GateState.APPROVED, text=HISTORY.draft, by=Decider.COMMAND)


def test_an_author_may_give_a_text_of_their_own(sit: Sit) -> None:
    desk = sit(**SHORT)

    desk.approve(waiting_at(desk), text="  She said nothing.\r\nNothing\x00 at all. ")

    assert fall_back(desk).text == "She said nothing.\nNothing at all."


def test_a_rejected_draft_is_revised_under_the_note_and_may_wait_once_more(sit: Sit) -> None:
    desk = sit(**SHORT)
    desk.reject(waiting_at(desk), NOTE)

    first = fall_back(desk)
    second = waiting_at(desk, number=2)

    assert (first.state, first.note) == (GateState.REJECTED, NOTE)
    assert second.number == 2
    assert unit_in(desk).revision == 1


def test_a_brief_may_accept_a_refused_draft_and_the_gate_stays_as_a_mark(sit: Sit) -> None:
    desk = sit(**SHORT, unattended="accept")

    ruling = fall_back(desk)

    assert (ruling.text, ruling.by) == (HISTORY.draft, Decider.BRIEF)
    with desk.storage.read() as stores:
        assert [gate.state for gate in stores.gates.all()] == [GateState.APPROVED]


def test_a_brief_that_learns_to_accept_lets_a_waiting_draft_pass_but_no_phase(sit: Sit) -> None:
    desk = sit(**SHORT)
    gate = waiting_at(desk)
    with desk.storage.write() as stores:
        stores.books.edit_brief(desk.book.id, desk.book.brief.changed(unattended="accept"))

    assert fall_back(desk).by is Decider.BRIEF
    with desk.storage.read() as stores:
        assert stores.gates.get(gate.id).by is Decider.BRIEF


def test_a_phase_takes_no_text_of_ones_own(sit: Sit) -> None:
    desk = sit(**SHORT, gates=["outline"])
    gate = desk.wait()

    with pytest.raises(InvalidInput, match="takes no text of your own"):
        approval(gate, Decider.COMMAND, text="My own outline.")


def test_a_volumes_design_is_waited_for_once_it_is_made(sit: Sit) -> None:
    desk = sit(length=400_000, profile="economy", gates=["volume_design"])

    gate = desk.wait()

    assert (gate.kind, gate.label.count(".")) == (GateKind.VOLUME_DESIGN, 1)
    with desk.storage.read() as stores:
        volume = stores.nodes.get(gate.node)
        assert volume.level is Level.VOLUME
        assert stores.nodes.children(volume.key, TaskType.WRITE) == []


def test_a_design_gate_that_is_asked_for_too_late_stops_nothing(sit: Sit) -> None:
    desk = sit(**CHAPTERS, gates=["chapter"])
    desk.approve(desk.wait())
    with desk.storage.write() as stores:
        stores.books.edit_brief(desk.book.id, desk.book.brief.changed(gates=["outline", "book_design"]))

    assert desk.run().state is BookState.FINISHED


def test_what_was_replaced_is_drawn_for_no_prompt(sit: Sit) -> None:
    desk = sit(**SHORT, gates=["book_design"])
    desk.wait()

    with desk.storage.write(Failpoint.EDIT_BOOK) as stores:
        drawn = draw(stores)
        root = stores.nodes.root()
        stores.nodes.replace_below(root.key, TaskType.DESIGN)
        assert drawn
        assert draw(stores) == set()


def draw(stores: Stores) -> set[int]:
    return {found.id for found, _ in stores.documents.drawn([DocumentKind.DESIGN], [0.0, 0.5, 1.0])}
