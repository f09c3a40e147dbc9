"""A written book is gone through once more: wording changes, and nothing that readers have to find is lost."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from bookwright.agents.backends.protocol import Request
from bookwright.flows.blueprints.mending import polish
from bookwright.flows.deps import Deps
from bookwright.models.codex.record import Origin, RecordKind, make_record
from bookwright.models.document import Document, DocumentKind, DocumentOrigin
from bookwright.models.story.register import Register, RegisteredThread
from bookwright.models.text.changes import Change, Changes
from bookwright.models.text.prose import paragraphs, sentences
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import NodeStatus, TaskNode
from tests.flows.blueprints.books import Rehearsing, begun, let_go, write_book
from tests.support.blueprint_folders import short_case

NEW = "The lamp stood where it had always stood."
_THREAD = RegisteredThread(title="The can", seed="A can stands empty.", planted_in=1, answered_in=2)
_MEMBER = """
[[stages.members]]
name = "polish"
kind = "polish"
titles = { en = "Polishing", zh = "潤色", ja = "推敲", ko = "다듬기" }
goals = "Better the wording."
"""


def better(request: Request) -> Changes:
    """Another second sentence."""
    return Changes(changes=(Change(first="1.2", text=NEW),))


def opened(home: Path, profile: str, models: Rehearsing) -> tuple[TaskNode, Deps]:
    """A small mystery with a member that polishes."""
    folder = short_case(home)
    plan = folder / "blueprint.toml"
    plan.write_text(plan.read_text("utf-8") + _MEMBER, "utf-8")
    return begun(folder, home, models, length=600, profile=profile)


def chapters(deps: Deps) -> list[Document]:
    with deps.stores() as stores:
        units = stores.nodes.children(stores.nodes.root().key, TaskType.WRITE)
        return stores.documents.of_nodes([unit.key for unit in units], DocumentKind.PROSE)


def page(deps: Deps) -> str:
    with deps.stores() as stores:
        node = next(node for node in stores.nodes.walk() if node.member == "polish")
        found = stores.documents.current(node.key, DocumentKind.DESIGN)
    assert found is not None
    assert node.status is NodeStatus.DONE
    return found.text


Polished = tuple[Rehearsing, Deps]
ANSWERS = {"polish": better, "register": lambda request: Register(threads=(_THREAD,))}


@pytest.fixture(scope="module")
def polished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Polished]:
    """Such a mystery, written to its end, with a clue in its first text."""
    models = Rehearsing(tmp_path_factory.mktemp("polished"), ANSWERS)
    root, deps = opened(models.home, "standard", models)

    def lay_a_clue(request: Request) -> None:
        if request.name.endswith("review.1"):
            clue = sentences(paragraphs(chapters(deps)[0].text)[0])[1]
            record = make_record(
                RecordKind.FORESHADOWING,
                {"id": "clue", "title": "The clue", "seed": {"content": clue}, "payoff": {"content": "It was his."},
                 "ai_visibility": {"allowed_expressions": [clue]}},
            )  # fmt: skip
            with deps.storage.write() as stores:
                stores.codex.add(record, Origin.AUTHOR)

    models.before = lay_a_clue
    write_book(root, deps)
    let_go(models.home)
    yield models, deps
    deps.storage.database.dispose()


def test_each_text_is_asked_for_once_and_changed_but_for_the_words_of_a_clue(polished: Polished) -> None:
    models, deps = polished

    asked = [request.facts["label"] for request in models.requests if request.name.endswith("/polish")]
    first, second = chapters(deps)
    assert len(asked) == len(set(asked)) == 2
    assert NEW not in first.text
    assert NEW in second.text
    assert second.origin is DocumentOrigin.REPAIR
    assert page(deps).startswith("Gone through for their wording: 2. Changed: 1.")


def test_what_was_interrupted_is_not_paid_again(polished: Polished, tmp_path: Path) -> None:
    written, folder = polished[0].home, Path(polished[1].brief.blueprint)
    models = Rehearsing(Path(shutil.copytree(written, tmp_path / "home")), ANSWERS)
    _, deps = begun(folder, models.home, models, length=600, profile="standard")
    with deps.stores() as stores:
        node = next(node for node in stores.nodes.walk() if node.member == "polish")
    before, told = [document.id for document in chapters(deps)], page(deps)
    deps.desk.journal.move(lambda stores, _: stores.nodes.change(node.key, status=NodeStatus.OPEN.value))

    polish(deps.fresh(node), deps)

    assert models.requests == []
    assert [document.id for document in chapters(deps)] == before
    assert page(deps) == told
    deps.storage.database.dispose()


@pytest.mark.parametrize("profile", ["economy", "small"])
def test_nobody_is_asked_where_the_profile_cannot_pay_for_it(profile: str, tmp_path: Path) -> None:
    models = Rehearsing(tmp_path)
    root, deps = opened(tmp_path, profile, models)

    write_book(root, deps)

    assert not any(request.name.endswith("/polish") for request in models.requests)
    assert page(deps).startswith("Nobody was asked to polish the text")
    deps.storage.database.dispose()
