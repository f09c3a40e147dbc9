"""A small mystery by a blueprint that stands in a folder of the test: three acts of four chapters, made one by one."""

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bookwright.agents.backends.protocol import Request
from bookwright.flows.deps import Deps
from bookwright.models.codex.entries import Visibility
from bookwright.models.document import DocumentKind
from bookwright.models.step import Activity
from bookwright.models.story.register import Register, RegisteredSecret, RegisteredThread, ThreadRole, Weight
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import NodeStatus, TaskNode
from tests.flows.blueprints.books import Intervals, Rehearsing, begun, document, let_go, staged, write_book
from tests.support.blueprint_folders import case

SECRET = "The keeper's brother never drowned; he poured the lamp oil into the well himself."
REGISTER = Register(
    secrets=(
        RegisteredSecret(id="oil", content=SECRET, forbidden_keywords=("poisoned well",), revealed_in=12),
    ),
    threads=(
        RegisteredThread(id="can", title="The empty can", weight=Weight.CRITICAL, seed="An oil can stands empty.",
                         meaning="He emptied it.", secret="oil", planted_in=2, answered_in=12),
        RegisteredThread(id="debt", title="The debt", role=ThreadRole.RED_HERRING, seed="A bill is unpaid.",
                         meaning="It was paid in spring.", planted_in=3, answered_in=9),
    ),
)  # fmt: skip


@dataclass
class Growth:
    """What was there of the tree whenever something was asked."""

    acts: list[tuple[int, int]] = field(default_factory=list)
    """Acts that were there, and how many of them were closed."""


def watched(folder: Path, home: Path, growth: Growth, **values: Any) -> tuple[Rehearsing, TaskNode, Deps]:
    models = Rehearsing(home, answers={"register": lambda request: REGISTER})
    root, deps = begun(folder, home, models, length=1_800, observer=Intervals(), **values)

    def look(request: Request) -> None:
        with deps.stores() as stores:
            acts = stores.nodes.children(root.key, TaskType.WRITE)
        growth.acts.append((len(acts), sum(act.status is NodeStatus.DONE for act in acts)))

    models.before = look
    return models, root, deps


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Rehearsing, Growth, Deps]]:
    home, growth = tmp_path_factory.mktemp("case"), Growth()
    models, root, deps = watched(case(home), home, growth)
    write_book(root, deps)
    yield models, growth, deps
    deps.storage.database.dispose()


Written = tuple[Rehearsing, Growth, Deps]


def test_it_comes_in_three_acts_of_four_chapters(written: Written) -> None:
    _, _, deps = written

    with deps.stores() as stores:
        acts = stores.nodes.children(stores.nodes.root().key, TaskType.WRITE)
        chapters = [stores.nodes.children(act.key, TaskType.WRITE) for act in acts]
    assert [act.level for act in acts] == [Level.ACT] * 3
    assert [len(own) for own in chapters] == [4, 4, 4]
    assert {chapter.level for own in chapters for chapter in own} == {Level.CHAPTER}


def test_an_act_is_not_there_before_the_one_before_it_is_closed(written: Written) -> None:
    _, growth, _ = written

    assert {there for there, _ in growth.acts} == {0, 1, 2, 3}
    assert all(there <= closed + 1 for there, closed in growth.acts)


def test_nothing_of_the_last_stages_is_there_before_the_prose_stands(written: Written) -> None:
    _, _, deps = written

    with deps.stores() as stores:
        root = stores.nodes.root()
        units = [node.ordinal for node in stores.nodes.children(root.key, TaskType.WRITE)]
    after = [node for node in staged(deps) if node.stage.startswith("validation/")]
    assert min(node.ordinal for node in after if node.parent == root.key) > max(units)
    assert {node.status for node in after} == {NodeStatus.DONE}


def test_the_register_fills_the_codex_and_leaves_a_list_for_people(written: Written) -> None:
    _, _, deps = written

    with deps.stores() as stores:
        secrets, threads = stores.codex.secrets(), stores.codex.threads()
    assert [(own.content, own.visibility) for own in secrets] == [(SECRET, Visibility.HIDDEN)]
    assert {own.id for own in threads} == {"can", "debt"}
    listed = document("1.2", DocumentKind.DESIGN, deps).text
    assert listed.startswith("**Spoiler")
    assert SECRET in listed


def test_no_prompt_that_writes_prose_holds_the_secret(written: Written) -> None:
    models, _, _ = written
    asked = [request for request in models.requests if request.facts["activity"] == Activity.WRITE.value]
    before_the_last = [request for request in asked if not request.facts["card"].is_last]

    assert len(before_the_last) >= 22
    assert not any(SECRET in block for request in before_the_last for block in request.prompt.blocks)
    assert not any("poisoned well" in block for request in before_the_last for block in request.prompt.blocks)


def test_directions_stand_before_whoever_writes_a_chapter_and_know_its_place(written: Written) -> None:
    models, _, _ = written
    drafts = [request for request in models.requests if request.facts["template"] == "story/chapter/write/draft"]

    told = [request.prompt.blocks[-1].partition("# Form\n")[2].splitlines()[0] for request in drafts]
    assert told[:2] == [
        "Chapter 1 of 4 in part 1 ends on a question.", "Chapter 2 of 4 in part 1 ends on a question.",
    ]  # fmt: skip
    assert told[-1] == "Chapter 4 of 4 in part 3 ends on a question, but this is the last one."


def test_what_an_extraction_saw_of_each_chapter_is_checked_in_economy_too(written: Written) -> None:
    _, _, deps = written
    verify = next(node for node in staged(deps) if node.stage == "validation/verify")

    text = document(verify.label, DocumentKind.REPORT, deps).text

    assert "Every clue is shown before what rests on it: passed" in text
    assert text.startswith("**Verdict: passed**")
    assert "No model has read it; only code has looked." in text, "the whole, that is"


def test_a_mystery_that_is_killed_in_its_second_act_goes_on_and_pays_nothing_twice(tmp_path: Path) -> None:
    folder, ledger = case(tmp_path), tmp_path / "ledger"

    killed = _in_child(lambda: _write(folder, tmp_path, ledger, dies_in="1.10"))  # the second of 1.9, 1.10 and 1.11
    let_go(tmp_path)
    finished = _in_child(lambda: _write(folder, tmp_path, ledger))

    assert (killed, finished) == (9, 0)
    asked = ledger.read_text().splitlines()
    again = {name: count for name, count in Counter(asked).items() if count > 1}
    assert sum(again.values()) - len(again) <= 1, again  # the call in flight, whose answer nobody heard
    drafted = {name.split()[0] for name in asked if " write/draft " in name}
    assert len(drafted) == 12


def _write(folder: Path, home: Path, ledger: Path, dies_in: str = "") -> None:
    """Write the book, or go on with it, and keep a line of each call before it is answered."""
    models, root, deps = watched(folder, home, Growth())

    def noted(request: Request) -> None:
        with ledger.open("a") as file:
            file.write(f"{request.name} {request.sampling.seed}\n")  # the seed tells a step and its attempt
        if dies_in and request.facts["label"].startswith(f"{dies_in}.") and request.name.endswith("write/draft"):
            os._exit(9)

    models.before = noted
    write_book(root, deps)


def _in_child(work: Any) -> int:
    """Do it in a fork of this process; returns its exit code."""
    pid = os.fork()
    if pid == 0:
        try:
            work()
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
