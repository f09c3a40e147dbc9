"""What the writer of a repair reads of its orders; a text whose length is off is said shorter or opened again.

That is done for the true amount, by a list that is a reserve.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from bookwright.agents.relay.secrets.guard import Guard
from bookwright.agents.relay.secrets.matching import Withholding
from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.flows.activities.prose.finish import UnitFinish
from bookwright.flows.activities.prose.repairing import RepairTarget, readable, repair
from bookwright.flows.activities.prose.write import write
from bookwright.flows.activities.unit_facts import unit_card
from bookwright.flows.deps import Deps
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.step import Activity
from bookwright.models.story.retelling import RepairOrder
from bookwright.models.text.changes import Change, Changes
from bookwright.models.text.language import Language
from bookwright.models.text.prose import paragraphs, sentences
from bookwright.models.tree.plan import PlanNode, TaskType
from bookwright.models.tree.task import TaskNode
from tests.flows.walking import begin
from tests.places import RECORDED
from tests.support.fakes import ScriptedBackend

SECRET = "Jakob knocked at the yard door until he died."
ORDER = RepairOrder(
    quote="they found him in the alcove",
    trouble="Jakob knocked at the yard door until he died, as chapter 4 tells.",
    order="Let them find him behind the yard door.",
)


def test_an_order_whose_reason_tells_what_is_kept_back_comes_without_it() -> None:
    told = readable(ORDER, Guard(Withholding((SECRET,))))

    assert told == "“they found him in the alcove” → Let them find him behind the yard door."


@pytest.mark.parametrize("prose", [(), (f"{SECRET} Then it was quiet.",)])
def test_an_order_that_tells_nothing_new_comes_whole(prose: tuple[str, ...]) -> None:
    guard = Guard(Withholding((SECRET,))).beside(prose) if prose else Guard.idle()

    assert readable(ORDER, guard) == ORDER.line


SCENE = (RECORDED / "standard_shorten.md").read_text(encoding="utf-8").strip()
"""The scene from which a list of cuts once took three clues."""
CLUES = ("Not quite shut.", "This January had none.", "The same people printed the tides", "The ink was black")
ENTRY = "§ Entry: *Sat. 9 Feb. 1963. Expected per* Constancia, *Vigo. One child, 19 kilos. Account 31. Unpaid.*"


def place_of(wording: str) -> str:
    return next(
        f"{row}.{column}"
        for row, paragraph in enumerate(paragraphs(SCENE), 1)
        for column, sentence in enumerate(sentences(paragraph), 1)
        if wording in sentence
    )


def scene_in(deps: Deps, root: TaskNode, length: int = 600) -> TaskNode:
    """The first of two scenes, and a design with a line that binds."""
    with deps.storage.write() as stores:
        items = [PlanNode(task_type=TaskType.WRITE, title=title, goal="Ink.") for title in ("Ink", "Ice")]
        first, _ = stores.nodes.add(root, items, level="scene", length=lambda i: length, unit_index=lambda i: i + 1)
        stores.documents.add(NewDocument(node=root.key, kind=DocumentKind.BOOK_DESIGN, text=ENTRY), None)
    return deps.fresh(first)


def held(tmp_path: Path, lines: dict[str, list[Any]], length: int = 600) -> tuple[ScriptedBackend, str]:
    """What comes of the scene where it is to have another length."""
    backend = ScriptedBackend(lines={**lines, "*": ["It rained."]})
    root, deps = begin(tmp_path, backend, length=3_000)
    unit = scene_in(deps, root, length)
    run = ActivityRun(deps.desk, Activity.WRITE, unit, unit, unit_card(unit, deps), context="write_plan")
    for tag in ("plan", "draft", "criticism"):
        run.add(tag, f"the {tag}")

    UnitFinish(run, deps).recheck(SCENE)

    with deps.stores() as stores:
        prose = stores.documents.current(unit.key, DocumentKind.PROSE)
    deps.storage.database.dispose()
    assert prose is not None
    return backend, prose.text


def drops(*wordings: str) -> Changes:
    return Changes(changes=tuple(Change(first=place_of(wording)) for wording in wordings))


def test_the_true_surplus_is_asked_for_and_the_text_stands_there_once(tmp_path: Path) -> None:
    surplus = Language.EN.measure(SCENE) - 600

    backend, _ = held(tmp_path, {"shorten": [Changes()]})

    [request] = backend.requests
    prompt = "\n".join(request.prompt.blocks)
    assert f"{surplus} words too long" in prompt
    assert prompt.count("lentil") == 1
    assert "the draft" not in prompt
    assert "the criticism" not in prompt
    assert "date something" not in prompt


def test_the_recorded_cuts_take_no_clue(tmp_path: Path) -> None:
    answer = json.loads((RECORDED / "standard_shorten.json").read_text(encoding="utf-8"))

    _, text = held(tmp_path, {"shorten": [json.dumps(answer)]})

    assert text == SCENE


def test_code_stops_as_soon_as_the_text_is_near_enough(tmp_path: Path) -> None:
    shorter = Change(first=place_of("He was harbour master"), text="He was harbour master, and called her that.")
    money = Change(first=place_of("Last year"), last=place_of("On several nights"), text="He had paid. Nobody asked.")
    reserve = drops(*CLUES).changes

    backend, text = held(tmp_path, {"shorten": [Changes(changes=(shorter, money, *reserve))]})

    assert len(backend.requests) == 1
    assert 570 <= Language.EN.measure(text) <= 630
    assert [clue for clue in CLUES if clue not in text] == []


def test_what_the_design_demands_stays_whatever_is_offered(tmp_path: Path) -> None:
    offered = drops("One child", "Expected per", "Until the ink thawed")

    _, text = held(tmp_path, {"shorten": [offered]})

    assert "One child, 19 kilos" in text
    assert "Expected per* Constancia" in text


def test_what_one_list_leaves_is_asked_for_once_more(tmp_path: Path) -> None:
    first = drops("The nib let go its drop.")
    size = Language.EN.measure("The nib let go its drop.")
    surplus = Language.EN.measure(SCENE) - 600

    backend, text = held(tmp_path, {"shorten": [first], "shorten.2": [Changes()]})

    first_order, second_order = (request.prompt.blocks[-1] for request in backend.requests)
    assert f"{surplus} words too long" in first_order
    assert f"{surplus - size} words too long" in second_order
    assert Language.EN.measure(text) == Language.EN.measure(SCENE) - size


def test_a_text_that_is_too_short_is_lengthened_by_what_is_missing(tmp_path: Path) -> None:
    missing = 900 - Language.EN.measure(SCENE)
    passage = "@after 3\n" + "The stove ticked and the ink stayed as it was. " * (missing // 10 + 1)

    backend, text = held(tmp_path, {"lengthen": [passage]}, length=900)

    assert f"{missing} words too short" in backend.requests[0].prompt.blocks[-1]
    assert abs(Language.EN.measure(text) - 900) <= 10


def test_a_unit_within_its_tolerance_is_left_as_it_is(tmp_path: Path) -> None:
    backend, text = held(tmp_path, {}, length=640)

    assert backend.requests == []
    assert text == SCENE


@pytest.mark.parametrize(("profile", "step"), [("economy", "revise"), ("standard", "refine")])
def test_whoever_refines_is_told_the_length_of_the_draft_and_of_the_text(
    tmp_path: Path, profile: str, step: str
) -> None:
    new = f"- It holds.\n<<<TEXT>>>\n{SCENE}" if step == "revise" else SCENE
    backend = ScriptedBackend(lines={"draft": [SCENE], step: [new], "*": ["It rained."]})
    root, deps = begin(tmp_path, backend, length=3_000, profile=profile)
    unit = scene_in(deps, root, 650)
    with deps.storage.write() as stores:
        stores.documents.add(NewDocument(node=unit.key, kind=DocumentKind.WRITERS_BRIEF, text="Ink."), None)

    write(unit, deps)

    [prompt] = [request.prompt.blocks[-1] for request in backend.requests if request.name.endswith(f"/{step}")]
    count = Language.EN.measure(SCENE)
    assert f"The draft has {count} words; the text is to have 618 to 682." in prompt
    deps.storage.database.dispose()


LONG = Changes(changes=(Change(first="1.1", text="Bells."), Change(first="1.2", text="It rained. " * 700)))
"""The second of them is far longer than a scene may be."""


def put_right(tmp_path: Path, *answers: Changes | str) -> tuple[ScriptedBackend, str]:
    """What comes of a scene of two sentences where an order is answered so."""
    lines = [answer if isinstance(answer, str) else answer.model_dump_json() for answer in answers]
    backend = ScriptedBackend(lines={"repair.1.1": lines})
    root, deps = begin(tmp_path, backend, length=3_000)
    unit, text = scene_in(deps, root), "Rang. Then."
    with deps.storage.write() as stores:
        stores.documents.add(NewDocument(node=unit.key, kind=DocumentKind.PROSE, text=text), None)

    repair(RepairTarget(unit, text, (ORDER,)), "repair.1.1", deps)

    prose = deps.document(unit, DocumentKind.PROSE)
    deps.storage.database.dispose()
    assert prose is not None
    return backend, prose.text


@pytest.mark.parametrize(("second", "text"), [("It rained.", "Bells. It rained."), ("", "Bells. Then.")])
def test_changes_that_make_a_text_too_long_are_sent_back_once_with_the_true_surplus(
    tmp_path: Path, second: str, text: str
) -> None:
    again = Changes(changes=(LONG.changes[0], Change(first="1.2", text=second))) if second else LONG

    backend, told = put_right(tmp_path, LONG, again)

    assert told == text
    assert len(backend.requests) == 2
    assert "with all these changes the text is" in backend.requests[1].corrections[0].problem


def test_what_fits_of_changes_that_were_sent_back_is_made_where_no_later_answer_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOOKWRIGHT_MAX_REPAIRS", "1")

    backend, told = put_right(tmp_path, LONG, "I have put it right.")

    assert (len(backend.requests), told) == (2, "Bells. Then.")


def test_what_fits_of_changes_is_made_where_no_second_answer_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOOKWRIGHT_MAX_REPAIRS", "0")

    assert put_right(tmp_path, LONG)[1] == "Bells. Then."
