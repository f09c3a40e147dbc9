"""Fair play over the codex of a book: found broken where a clue is hidden, a trail forgotten or a chapter crowded."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from bookwright.agents.backends.protocol import Request
from bookwright.agents.blueprints.checks import checked
from bookwright.flows.activities.extract import chapter_move
from bookwright.flows.blueprints.members import gather
from bookwright.flows.deps import Deps
from bookwright.flows.walk import look_over, write_unit
from bookwright.models.blueprint import CheckUse
from bookwright.models.codex.extraction import Extraction, FoundTouch
from bookwright.models.codex.foreshadowing import ThreadEventType
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.faults import CheckState
from bookwright.models.story.register import Register, RegisteredSecret, RegisteredThread, ThreadRole, Weight
from bookwright.models.tree.decision import Decision
from bookwright.models.tree.plan import PlanNode, TaskType
from bookwright.models.tree.task import NodeStatus, TaskNode
from tests.flows.blueprints.books import Rehearsing, begun, document, staged
from tests.support.blueprint_folders import case

WORDS = {
    "can": "An oil can stands empty.", "rope": "The rope is cut clean.", "ring": "A ring lies in the ash.",
    "debt": "A bill is unpaid.",
}  # fmt: skip
ANSWERS = {"debt": "The bill had been paid in spring.", "can": "He had emptied it."}
FAIR: dict[int, tuple[str, ...]] = {2: ("can", "rope"), 5: ("ring",), 3: ("debt",)}
CHECKS = ("clues_before_reveal", "red_herrings_answered", "clues_per_chapter")


def register() -> Register:
    clues = [
        RegisteredThread(
            id=name, title=name, weight=Weight.CRITICAL, seed=WORDS[name], expressions=(WORDS[name],), secret="oil",
            meaning=ANSWERS.get(name, "It was him."), planted_in=2 if name != "ring" else 5, answered_in=12,
        )
        for name in ("can", "rope", "ring")
    ]  # fmt: skip
    trail = RegisteredThread(
        id="debt", title="debt", role=ThreadRole.RED_HERRING, seed=WORDS["debt"], expressions=(WORDS["debt"],),
        meaning=ANSWERS["debt"], planted_in=3, answered_in=9,
    )  # fmt: skip
    secret = RegisteredSecret(id="oil", content="The brother poured the oil away.", revealed_in=12)
    return Register(secrets=(secret,), threads=(*clues, trail))


def book(home: Path, shows: Mapping[int, tuple[str, ...]], answers: Mapping[int, tuple[str, ...]]) -> Deps:
    """A book of twelve chapters, each of which was read by a model that tells what it shows."""
    models = Rehearsing(home, answers={"register": lambda request: register(), "extract": _reading})
    root, deps = begun(case(home), home, models, length=1_800)
    _plan(root, deps)
    for number in range(1, 13):
        touches = [*((name, ThreadEventType.PLANT) for name in shows.get(number, ())),
                   *((name, ThreadEventType.REVEAL) for name in answers.get(number, ()))]  # fmt: skip
        _write(root, number, touches, deps)
    with deps.storage.write() as stores:
        stores.nodes.change(root.key, status=NodeStatus.DONE.value, decision=Decision.DIVIDE_HIERARCHY.value)
    return deps


def _plan(root: TaskNode, deps: Deps) -> None:
    """Do the members before the prose, and stop where the first act would be made."""

    class Enough(Exception):
        pass

    def stop(request: Request) -> None:
        if request.facts["activity"] == "divide":
            raise Enough

    models = deps.desk.models
    assert isinstance(models, Rehearsing)
    models.before = stop
    with pytest.raises(Enough):
        write_unit(root, deps)
    models.before = lambda request: None


def _reading(request: Request) -> Extraction:
    """Whoever reads a chapter finds what stands there."""
    text = next(artefact.text for artefact in request.facts["artefacts"] if artefact.tag == "text")
    shown = [
        FoundTouch(thread=name, did=ThreadEventType.PLANT, quote=words)
        for name, words in WORDS.items()
        if words in text
    ]
    told = [
        FoundTouch(thread=name, did=ThreadEventType.REVEAL, quote=words)
        for name, words in ANSWERS.items()
        if words in text
    ]
    return Extraction(touches=(*shown, *told))


def _write(root: TaskNode, number: int, touches: list[tuple[str, ThreadEventType]], deps: Deps) -> None:
    said = [WORDS[name] if did is ThreadEventType.PLANT else ANSWERS[name] for name, did in touches]
    text = " ".join([*(f"The keeper climbed stair {step} and looked at the sea." for step in range(10)), *said])
    found = tuple(
        FoundTouch(thread=name, did=did, quote=words) for (name, did), words in zip(touches, said, strict=True)
    )
    with deps.storage.write() as stores:
        plan = PlanNode(task_type=TaskType.WRITE, title=f"Night {number}", goal="A night passes.")
        unit = stores.nodes.add(root, [plan], level="chapter", length=len(text.split()), unit_index=number,
                                is_last=number == 12, status=NodeStatus.DONE.value)[0]  # fmt: skip
        prose = stores.documents.add(NewDocument(node=unit.key, kind=DocumentKind.PROSE, text=text), None)
        stores.nodes.add_written(unit, prose.length)
        chapter_move(unit, text, Extraction(touches=found), prose.id)(stores, 0)


def states(deps: Deps) -> dict[str, CheckState]:
    return {own.check: own.state for own in checked([CheckUse(check=name) for name in CHECKS], gather(deps))}


def test_a_fair_book_is_found_whole(tmp_path: Path) -> None:
    deps = book(tmp_path, FAIR, {9: ("debt",), 12: ("can",)})

    assert states(deps) == dict.fromkeys(CHECKS, CheckState.PASSED)


@pytest.mark.parametrize(
    ("shows", "answers", "broken"),
    [
        (FAIR | {2: ("rope",)}, {9: ("debt",)}, "clues_before_reveal"),
        (FAIR, {12: ("can",)}, "red_herrings_answered"),
        (FAIR | {2: ("can", "rope", "ring"), 5: ()}, {9: ("debt",)}, "clues_per_chapter"),
    ],
)
def test_an_unfair_book_is_found_broken_in_that_and_in_nothing_else(
    shows: dict[int, tuple[str, ...]], answers: dict[int, tuple[str, ...]], broken: str, tmp_path: Path
) -> None:
    deps = book(tmp_path, shows, answers)

    assert states(deps) == dict.fromkeys(CHECKS, CheckState.PASSED) | {broken: CheckState.FAILED}


def test_a_clue_that_only_a_summary_tells_of_is_not_on_the_page(tmp_path: Path) -> None:
    deps = book(tmp_path, FAIR | {2: ("rope",)}, {9: ("debt",)})
    claimed = Extraction(touches=(FoundTouch(thread="can", did=ThreadEventType.PLANT, quote=WORDS["can"]),))
    with deps.storage.write() as stores:
        second = stores.nodes.children(stores.nodes.root().key, TaskType.WRITE)[1]
        prose = stores.documents.current(second.key, DocumentKind.PROSE)
        assert prose is not None
        stores.documents.add(NewDocument(node=second.key, kind=DocumentKind.SUMMARY, text=WORDS["can"]), None)
        chapter_move(second, prose.text, claimed, prose.id)(stores, 0)

    assert states(deps)["clues_before_reveal"] is CheckState.FAILED


def test_a_clue_that_was_hidden_is_written_in_and_the_second_round_passes_it(tmp_path: Path) -> None:
    deps = book(tmp_path, FAIR | {2: ("rope",)}, {9: ("debt",)})
    models = deps.desk.models
    assert isinstance(models, Rehearsing)
    models.amending = lambda text: f"{text} {WORDS['can']}"
    with deps.stores() as stores:
        root = stores.nodes.root()
        second = stores.nodes.children(root.key, TaskType.WRITE)[1]

    look_over(root, deps)

    amended = document(second.label, DocumentKind.PROSE, deps)
    assert amended.version == 2
    assert WORDS["can"] in amended.text
    verify = next(node for node in staged(deps) if node.stage == "validation/verify")
    report = document(verify.label, DocumentKind.REPORT, deps).text
    assert "[x] Every clue is shown before what rests on it: passed" in report
    with deps.stores() as stores:
        shown = next(own for own in stores.codex.threads() if own.id == "can")
    assert [str(event.place) for event in shown.timeline.events] == [second.label]
