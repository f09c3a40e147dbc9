"""The recursion, by the worked example of the main source, a novel of 500 000 characters. Source: S3-027 to S3-044."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bookwright.agents.backends.protocol import Request
from bookwright.flows.deps import Deps
from bookwright.flows.stopping import Limits
from bookwright.flows.walk import write_unit
from bookwright.models.errors import BookPaused
from bookwright.models.tree.decision import AtomVerdict, AtomVerdicts, Decision, FlowDecision, Verdict
from bookwright.models.tree.level import Level
from bookwright.models.tree.place import order_of
from bookwright.models.tree.plan import PlanNode, PlanOutput, TaskType
from tests.flows.walking import begin
from tests.support.fakes import ScriptedBackend

POINT = "谁替他还了那笔债"
NOVEL = {
    "premise": "一个欠债的守塔人在旧日志里读到自己的笔迹。", "language": "zh", "length": 500_000,
    "max_unit_length": 20_000,
}  # fmt: skip
PARTS = {"book": "约6万字", "volume": "约3万字", "act": "约2万字"}
"""How long a part of each is to be: a short volume of two acts and long chapters, since nothing rests on how many."""


def one_design(request: Request) -> PlanOutput:
    return PlanOutput(sub_tasks=(PlanNode(goal=f"定下{request.name}", title="设计", complexity_score=2),))


def one_child(request: Request) -> PlanOutput:
    length = PARTS[request.facts["level"]]
    return PlanOutput(sub_tasks=(PlanNode(task_type=TaskType.WRITE, goal="从欠到还", title="第一步", length=length),))


def decision(request: Request) -> FlowDecision:
    """The book is never content; every other unit divides, and a chapter is written."""
    level = request.facts["level"]
    if level == "book":
        return FlowDecision(missing_points=(POINT,), decision=Decision.CONTINUE_PLANNING)
    wanted = Decision.PROCEED_TO_WRITE if level == "chapter" else Decision.DIVIDE_HIERARCHY
    return FlowDecision(decision=wanted)


def last_step(request: Request) -> PlanOutput:
    return one_child(request) if "/hierarchy/" in request.facts["template"] else one_design(request)


def prose(request: Request) -> str:
    return "雨落在塔上。" * (request.facts["card"].unit.length // 6)


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ScriptedBackend, Deps]]:
    """The novel, written until its first volume is closed."""
    home: Path = tmp_path_factory.mktemp("novel")
    backend = ScriptedBackend(
        lines={
            "refiner": [last_step],
            "flow_decision": [decision],
            "draft": ["雨落在塔上。"],
            "refine": [lambda request: prose(request) if "/write/" in request.facts["template"] else "定了。"],
            "router": ['{"expert": "headwriter"}'],
            "questions": ['{"questions": []}'],
            "*": ["就这样定了。"],
        }
    )
    root, deps = begin(home, backend, limits=Limits(until_level=Level.VOLUME, until_count=1), **NOVEL)
    with pytest.raises(BookPaused, match="reached volume 1"):
        write_unit(root, deps)
    yield backend, deps
    deps.storage.database.dispose()


def test_the_book_goes_down_by_volume_act_and_chapter(walked: tuple[ScriptedBackend, Deps]) -> None:
    _, deps = walked

    with deps.stores() as stores:
        levels = [node.level for node in stores.nodes.open_path()[:1]]
        for unit in stores.nodes.walk(TaskType.WRITE):
            if unit.level not in levels:
                levels.append(unit.level)

    assert levels == [Level.BOOK, Level.VOLUME, Level.ACT, Level.CHAPTER]


def test_whoever_has_left_a_node_for_its_sibling_does_not_come_back(walked: tuple[ScriptedBackend, Deps]) -> None:
    """Depth first: between two requests below a node there are none but those below it and those of the units above."""
    backend, _ = walked

    asked = [order_of(name.partition(" ")[0]) for name in backend.speakers]
    for node in set(asked):
        below = [place for place, other in enumerate(asked) if other[: len(node)] == node]
        between = set(asked[below[0] : below[-1] + 1])
        assert [other for other in between if other[: len(node)] != node and node[: len(other)] != other] == []
    assert max(map(len, asked)) >= 5, "else there was little to come back from"


def test_the_second_volume_is_made_only_after_the_first_is_closed(walked: tuple[ScriptedBackend, Deps]) -> None:
    backend, deps = walked

    with deps.stores() as stores:
        volumes = stores.nodes.children(stores.nodes.root().key, TaskType.WRITE)
    divisions = [name for name in backend.speakers if name.startswith("1 divide/")]

    assert [volume.unit_index for volume in volumes] == [1]
    assert divisions == ["1 divide/proposer", "1 divide/critic", "1 divide/refiner"]
    assert backend.speakers[-1] == f"{volumes[0].label} close/summary"


def test_the_breaker_trips_after_three_rounds(walked: tuple[ScriptedBackend, Deps]) -> None:
    backend, deps = walked

    with deps.stores() as stores:
        root = stores.nodes.root()

    assert backend.speakers.count("1 decide/flow_decision") == 3
    assert root.decision is Decision.DIVIDE_HIERARCHY
    assert root.open_points == ()  # its first volume was planned with them


def test_what_was_missing_reaches_the_next_planner(walked: tuple[ScriptedBackend, Deps]) -> None:
    backend, _ = walked

    planner = next(request for request in backend.requests if "/volume/plan/" in request.facts["template"])

    assert POINT in planner.prompt.blocks[-1]


def test_the_named_decisions_fall_where_the_example_has_them(walked: tuple[ScriptedBackend, Deps]) -> None:
    _, deps = walked

    with deps.stores() as stores:
        by_level = {unit.level: unit.decision for unit in stores.nodes.walk(TaskType.WRITE)}

    assert by_level[Level.VOLUME] is Decision.DIVIDE_HIERARCHY
    assert by_level[Level.ACT] is Decision.DIVIDE_HIERARCHY
    assert by_level[Level.CHAPTER] is Decision.PROCEED_TO_WRITE


def test_each_book_level_document_is_taken_in_before_the_next_round(walked: tuple[ScriptedBackend, Deps]) -> None:
    backend, _ = walked

    names = backend.speakers
    maintained = [index for index, name in enumerate(names) if name == "1 maintain/book_design"]
    decided = [index for index, name in enumerate(names) if name == "1 decide/flow_decision"]

    assert len(maintained) == 3
    assert all(before < after for before, after in zip(maintained, decided, strict=True))


def test_a_complex_task_is_decomposed_and_its_parts_are_merged(tmp_path: Path) -> None:
    parts = PlanOutput(sub_tasks=(PlanNode(goal="the first part"), PlanNode(goal="the second part")))
    plan = PlanOutput(sub_tasks=(PlanNode(goal="the whole", complexity_score=5),))
    judged = [
        AtomVerdicts(verdicts=(AtomVerdict(task=1, atom_result=Verdict.COMPLEX),)),
        AtomVerdicts(
            verdicts=(AtomVerdict(task=1, atom_result=Verdict.ATOM), AtomVerdict(task=2, atom_result=Verdict.ATOM))
        ),
    ]
    backend = ScriptedBackend(
        lines={
            "refiner": [plan, parts],
            "design": judged,
            "flow_decision": [FlowDecision(decision=Decision.PROCEED_TO_WRITE)],
            "router": ['{"expert": "generalist"}'],
            "questions": ['{"questions": []}'],
            "refine": [lambda r: "Rain fell. " * 450 if "/write/" in r.facts["template"] else "It is settled."],
            "title_and_blurb": ['{"blurb": "b", "title": "t"}'],
            "*": ["So be it, and nothing else."],
        }
    )
    root, deps = begin(tmp_path, backend)

    write_unit(root, deps)

    with deps.stores() as stores:
        tasks = [node.label for node in stores.nodes.walk(TaskType.DESIGN)]
    calls = len(backend.requests)
    write_unit(root, deps)

    assert tasks == ["1.1", "1.1.1", "1.1.2"]
    assert len(backend.requests) == calls, "what is recorded is not done again"
    assert backend.speakers.index("1.1 aggregate/aggregate") > backend.speakers.index("1.1.2 execute/refine")
