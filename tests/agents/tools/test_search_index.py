"""The tools that look into a book: what they find, where it stands, and what a place may not see yet."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.hostile import cases
from bench.protocol import tried
from bookwright.agents.tools.registry import ToolRegistry
from bookwright.agents.tools.search_index import IndexView, index_tools
from bookwright.agents.tools.validate import validate
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.errors import BackendUnavailable, RequestRejected
from bookwright.models.tree.task import TaskNode
from bookwright.storage.index.embedding import Hashing, Vectors
from bookwright.storage.index.knowledge import KnowledgeIndex
from bookwright.storage.lease import Lease
from bookwright.storage.steps.journal import Journal
from bookwright.storage.stores import BookStorage
from tests.support.books import make_book, make_settings

CHAPTERS = [
    {"level": "chapter", "title": f"Chapter {number}", "parts": [{"level": "scene", "title": f"Scene {number}"}]}
    for number in (1, 2, 3)
]


class Broken(Hashing):
    """A server that compares meanings and is out of order for questions."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self._error = error

    def embed(self, texts: object, is_query: bool) -> Vectors:
        raise self._error


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> BookStorage:
    made = make_book(make_settings(tmp_path_factory.mktemp("book")), CHAPTERS)
    with made.write() as stores:
        root = stores.nodes.root()
        for chapter in stores.nodes.children(root.key):
            [scene] = stores.nodes.children(chapter.key)
            for node, kind, text in _told(chapter, scene):
                stores.documents.add(NewDocument(node=node.key, kind=kind, text=text), None)
        whole = "Marguerite keeps the light and dies in the last chapter."
        stores.documents.add(NewDocument(node=root.key, kind=DocumentKind.SUMMARY, text=whole), None)
    return made


def _told(chapter: TaskNode, scene: TaskNode) -> Iterator[tuple[TaskNode, DocumentKind, str]]:
    number = chapter.ordinal
    yield chapter, DocumentKind.DESIGN, f"Marguerite plans deed number {number}."
    yield chapter, DocumentKind.SUMMARY, f"In chapter {number} Marguerite did deed number {number}."
    yield scene, DocumentKind.SUMMARY, f"In scene {number} Marguerite lit lamp number {number}."
    yield scene, DocumentKind.FINDINGS, f"Lamps of type {number} burned colza oil."


@pytest.fixture(scope="module")
def index(storage: BookStorage, tmp_path_factory: pytest.TempPathFactory) -> KnowledgeIndex:
    with storage.write() as stores:
        lease = Lease.take(stores.connection, storage.book, "a test", 600)
    made = KnowledgeIndex(storage, Hashing(), make_settings(tmp_path_factory.mktemp("index")))
    made.catch_up(Journal(storage, lease))
    return made


def call(
    index: KnowledgeIndex, tool: str, query: str, *, before: tuple[int, ...] | None = None, limit: int = 10
) -> dict:
    view = IndexView(index, before)
    registry = ToolRegistry(index_tools(view))
    response = registry.call(tool, {"query": query, "limit": limit})
    assert validate(tool, response) == []
    return {**response.data, "status": response.status.value, "code": response.error and response.error.code.value}


@pytest.mark.parametrize(
    ("tool", "kind", "count"),
    [("search_designs", "design", 3), ("search_story", "summary", 7), ("search_references", "findings", 3)],
)
def test_each_tool_finds_its_kind_and_says_where_it_stands(
    index: KnowledgeIndex, tool: str, kind: str, count: int
) -> None:
    results = call(index, tool, "Marguerite and the lamps")["results"]

    assert {result["kind"] for result in results} == {kind}
    assert len({result["document"] for result in results}) == count
    assert all(result["label"].startswith("1") and result["level"] and result["title"] for result in results)
    assert min(result["position"] for result in results) == 1


def test_a_place_sees_only_what_the_story_told_before_it(index: KnowledgeIndex) -> None:
    results = call(index, "search_story", "Marguerite deed lamp", before=(1, 2, 1))["results"]

    assert {result["label"] for result in results} == {"1.1", "1.1.1"}


def test_the_summary_of_what_a_place_lies_in_is_not_seen_from_it(index: KnowledgeIndex) -> None:
    """It was made of what follows the place."""
    seen = call(index, "search_story", "Who dies in the last chapter?", before=(1, 3))["results"]

    assert "1" not in {result["label"] for result in seen}
    assert "1.2" in {result["label"] for result in seen}


def test_limit_bounds_the_passages(index: KnowledgeIndex) -> None:
    assert len(call(index, "search_story", "Marguerite", limit=2)["results"]) == 2


def test_nothing_found_is_a_success(storage: BookStorage, tmp_path: Path) -> None:
    empty = make_book(make_settings(tmp_path), [])
    index = KnowledgeIndex(empty, Hashing(), make_settings(tmp_path), is_holder=False)

    answer = call(index, "search_references", "colza")

    assert (answer["status"], answer["results"]) == ("success", [])


@pytest.mark.parametrize(
    ("error", "code"), [(BackendUnavailable("away"), "NETWORK_ERROR"), (RequestRejected("no"), "API_ERROR")]
)
def test_an_embedding_server_that_fails_is_an_error(
    storage: BookStorage, tmp_path: Path, error: Exception, code: str
) -> None:
    index = KnowledgeIndex(storage, Broken(error), make_settings(tmp_path), is_holder=False)

    assert call(index, "search_story", "colza")["code"] == code


def test_no_hostile_call_breaks_a_rule(index: KnowledgeIndex) -> None:
    view = IndexView(index)
    registry = ToolRegistry(index_tools(view))

    trials = [tried(registry, tool, case) for tool in registry for case in cases(tool)]

    assert [(trial.tool, trial.case, trial.violations) for trial in trials if trial.violations] == []
    assert [(trial.tool, trial.case) for trial in trials if "unexpectedly" in trial.response.text] == []
    assert len(trials) > 100
