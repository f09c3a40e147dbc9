"""Length is a contract, even with an author who misses every draft by 30 to 50 percent.

Source: DESIGN section 4, "Length is a contract", and section 17.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bookwright.agents.backends.service import ModelService
from bookwright.flows import walk_steps
from bookwright.flows.deps import Deps
from bookwright.flows.walk import write_unit
from bookwright.models.document import DocumentKind
from bookwright.models.settings import load_settings
from bookwright.models.step import Activity
from bookwright.models.text.length import TOLERANCE
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import NodeStatus
from tests.flows.walking import begin

ALL = 1_000_000
EN, ZH = "A keeper counts the lamps of a harbour that has none.", "守塔人数着一座没有灯的港口里的灯。"

BOOKS = [
    pytest.param({"length": 6_000, "premise": EN}, id="en"),
    pytest.param({"length": 8_000, "premise": ZH}, id="zh"),
    pytest.param({"length": 20_000, "premise": EN}, id="en-20000", marks=pytest.mark.soak),
    pytest.param({"length": 30_000, "premise": ZH}, id="zh-30000", marks=pytest.mark.soak),
]


@pytest.fixture(scope="module", params=BOOKS)
def walk(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deps]:
    """A whole book, written once by the author who misses."""
    home = tmp_path_factory.mktemp("home")
    models = ModelService(load_settings(home=home))
    root, deps = begin(home, models, **request.param)
    deps = replace(deps, desk=replace(deps.desk, model_of=lambda role: "rehearsal:miss"))
    write_unit(root, deps)
    walk_steps.publish(root, deps)
    yield deps
    models.close()
    deps.storage.database.dispose()


def test_a_book_lands_within_three_percent_of_its_length(walk: Deps) -> None:
    with walk.stores() as stores:
        written = stores.nodes.root().written

    assert abs(written - walk.brief.length) <= 0.03 * walk.brief.length


def test_every_unit_lands_within_fifteen_percent(walk: Deps) -> None:
    with walk.stores() as stores:
        leaves = list(stores.nodes.leaves())

    assert len(leaves) >= walk.brief.length // 3_000
    assert [leaf.name for leaf in leaves if abs(leaf.remaining) > TOLERANCE * (leaf.length or 0)] == []


def test_the_drafts_did_miss(walk: Deps) -> None:
    with walk.stores() as stores:
        mended = [line for line in stores.steps.lines(limit=ALL) if line.step in ("lengthen", "shorten")]
        leaves = list(stores.nodes.leaves())

    assert len(mended) >= len(leaves) / 3


def test_what_is_counted_as_written_is_what_stands_there(walk: Deps) -> None:
    with walk.stores() as stores:
        units = list(stores.nodes.walk(TaskType.WRITE))
        prose = stores.documents.of_nodes([unit.key for unit in units], DocumentKind.PROSE)
        parts = {unit.key: stores.nodes.children(unit.key, TaskType.WRITE) for unit in units}

    assert sum(walk.brief.language.measure(document.text) for document in prose) == units[0].written
    for unit in units:
        assert not parts[unit.key] or unit.written == sum(part.written for part in parts[unit.key])


def test_units_are_written_one_after_another_in_reading_order(walk: Deps) -> None:
    with walk.stores() as stores:
        lines = list(stores.steps.lines(limit=ALL))
        in_tree = [leaf.label for leaf in stores.nodes.leaves()]

    at_work = dict.fromkeys(line.label for line in lines if line.activity == Activity.WRITE)

    assert list(at_work) == in_tree


def test_nothing_is_left_open_and_every_call_is_in_the_journal(walk: Deps) -> None:
    with walk.stores() as stores:
        nodes = list(stores.nodes.walk())
        calls = stores.books.get(walk.storage.book).calls
        lines = list(stores.steps.lines(limit=ALL))

    assert {node.status for node in nodes} == {NodeStatus.DONE}
    assert calls == len(lines)


def test_children_are_numbered_without_a_gap(walk: Deps) -> None:
    with walk.stores() as stores:
        families = [stores.nodes.children(node.key) for node in stores.nodes.walk()]

    assert all([child.ordinal for child in family] == list(range(1, len(family) + 1)) for family in families)


@pytest.mark.parametrize(("length", "share"), [(6_000, 0.03), (3_000, 0.05)])
def test_a_short_book_by_an_author_who_misses_nothing_lands_nearer(tmp_path: Path, length: int, share: float) -> None:
    models = ModelService(load_settings(home=tmp_path))
    secrets = [{"content": "The clerk forged the ledger of the harbour.", "forbidden_keywords": ["forged"]}]
    premise = "A keeper reads a log in her own hand."
    root, deps = begin(
        tmp_path, models, premise=premise, length=length, profile="economy", secrets=secrets, max_planning_rounds=1
    )
    deps = replace(deps, desk=replace(deps.desk, model_of=lambda role: "rehearsal:exact"))

    write_unit(root, deps)

    with deps.stores() as stores:
        written = stores.nodes.root().written
    models.close()
    deps.storage.database.dispose()
    assert abs(written - length) <= share * length
