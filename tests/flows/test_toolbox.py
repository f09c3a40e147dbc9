"""A search task over a web: its trace is on record, and its sources go wherever its findings go."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bookwright.agents.react.action import Action, Finish, write
from bookwright.agents.workflows import LOOKUPS
from bookwright.exports.json import whole_book
from bookwright.exports.manuscript import Manuscript
from bookwright.exports.markdown import markdown
from bookwright.flows.activities.execute import execute
from bookwright.flows.deps import Deps
from bookwright.flows.open_book import BookTools
from bookwright.models.document import Document, DocumentKind, NewDocument
from bookwright.models.tree.plan import PlanNode, TaskType
from bookwright.models.tree.task import TaskNode
from bookwright.storage.index.embedding import make_embedder
from bookwright.storage.index.knowledge import KnowledgeIndex
from bookwright.storage.stores import Stores
from tests.flows.walking import begin
from tests.support.fake_provider import FakeProvider
from tests.support.fakes import ScriptedBackend

PAGE = "https://harbour.example/log"
"""What the fake SearXNG finds, whatever is asked."""

FACT = f"A gallon of lamp oil was sold at nine pence (A log of lamp oil, {PAGE})."
LOOK = write(Action("web_search", '{"query": "lamp oil"}', "a price list"))


@dataclass
class Search:
    """A book with one search task."""

    deps: Deps
    node: TaskNode
    backend: ScriptedBackend

    def done(self) -> Document:
        """Do the task and return its findings."""
        execute(self.node, self.deps)
        with self.deps.stores() as stores:
            found = stores.documents.current(self.node.key, DocumentKind.FINDINGS)
        assert found is not None
        return found


@pytest.fixture
def web() -> Iterator[FakeProvider]:
    """A SearXNG server."""
    with FakeProvider() as server:
        yield server


@pytest.fixture
def search(tmp_path: Path) -> Iterator[Search]:
    """A book whose researcher searches once, and then answers."""
    backend = ScriptedBackend({"search": [LOOK, write(Finish(FACT))]})
    root, deps = begin(tmp_path, backend)
    with deps.storage.write() as stores:
        goal = PlanNode(task_type=TaskType.SEARCH, goal="what lamp oil cost")
        common = {"unit": root.key, "planning_round": 1}
        stores.nodes.add(root, [goal], level="book", verdict=lambda index: "atom", length=None, **common)
        (node,) = stores.nodes.children(root.key, TaskType.SEARCH)
    yield Search(deps, node, backend)
    deps.storage.database.dispose()


def with_tools(search: Search, **settings: str) -> Search:
    """The same with the toolbox that a walk has."""
    deps = search.deps
    changed = deps.desk.settings.model_copy(update={"embedding": "hashing", **settings})
    index = KnowledgeIndex(deps.storage, make_embedder(changed), changed)
    return replace(search, deps=replace(deps, desk=replace(deps.desk, tools=BookTools(deps.storage, index, changed))))


def test_findings_carry_title_address_and_day_of_the_pages_they_rest_on(search: Search, web: FakeProvider) -> None:
    found = with_tools(search, searxng_url=web.root).done()

    with search.deps.stores() as stores:
        findings = stores.documents.findings_of(found)
        *_, last = stores.steps.lines()
        (use,) = stores.tool_uses.before(last.id)
    assert found.text == FACT
    assert (use.tool, use.arguments, use.status) == ("web_search", '{"query": "lamp oil"}', "success")
    assert findings is not None
    assert findings.is_verified
    assert [(page.title, page.address, page.accessed) for page in findings.sources] == [
        ("A log of lamp oil", PAGE, datetime.now(UTC).date()),
    ]


def test_sources_go_into_the_exports(search: Search, web: FakeProvider) -> None:
    with_tools(search, searxng_url=web.root).done()

    told = json.loads("".join(whole_book(search.deps.storage)))
    text = "".join(markdown(Manuscript(search.deps.storage)))

    node = next(node["key"] for node in told["nodes"] if node["label"] == search.node.label)
    (document,) = (document for document in told["documents"] if document["node"] == node)
    (findings,) = (json.loads(text["body"]) for text in told["texts"] if text["hash"] == document["data_hash"])
    assert findings["is_verified"] is True
    assert findings["sources"][0]["address"] == PAGE
    assert f'sources:\n- title: "A log of lamp oil"\n  url: "{PAGE}"\n  accessed: ' in text


def test_without_a_search_service_the_findings_say_so(search: Search) -> None:
    search.backend.lines["search"] = [FACT]

    found = with_tools(search).done()

    with search.deps.stores() as stores:
        findings = stores.documents.findings_of(found)
    assert found.text == f"Unverified: no source outside this book was searched for what follows.\n\n{FACT}"
    assert findings is not None
    assert (findings.is_verified, findings.sources) == (False, ())
    (request,) = search.backend.requests
    assert request.tools == ()
    assert any("No search is configured" in block for block in request.prompt.blocks)


def test_a_service_that_cannot_be_reached_leaves_findings_unverified(search: Search) -> None:
    found = with_tools(search, searxng_url="http://127.0.0.1:9").done()

    with search.deps.stores() as stores:
        findings = stores.documents.findings_of(found)
    assert findings is not None
    assert not findings.is_verified
    assert search.backend.requests[-1].corrections[0].problem.startswith("Observation: error NETWORK_ERROR: ")


WEB = ("web_search", "fetch_page")


@pytest.mark.parametrize(("names", "found"), [(LOOKUPS, WEB), (WEB, WEB), ((), ())])
def test_a_book_whose_index_is_empty_offers_the_web_alone(
    search: Search, web: FakeProvider, names: tuple[str, ...], found: tuple[str, ...]
) -> None:
    deps = with_tools(search, searxng_url=web.root).deps

    registry = deps.desk.tools.registry(names, search.node)

    assert tuple(tool.name for tool in registry or ()) == found


def test_the_book_itself_is_looked_into_as_soon_as_its_index_holds_a_passage(search: Search) -> None:
    """At the level of the book, too, and where no service searches the web."""
    deps = search.deps
    with deps.stores() as stores:
        root = stores.nodes.root()
    settings = deps.desk.settings.model_copy(update={"embedding": "hashing"})
    index = KnowledgeIndex(deps.storage, make_embedder(settings), settings)
    tools = BookTools(deps.storage, index, settings)
    at_first = tools.registry(LOOKUPS, root)
    deps.desk.journal.move(lambda stores, _: leave_design(search.node, stores))
    index.reindex(deps.desk.journal)

    registry = tools.registry(LOOKUPS, root)

    assert at_first is None
    assert registry is not None
    assert [tool.name for tool in registry] == ["search_designs", "search_story", "search_references"]


def leave_design(node: TaskNode, stores: Stores) -> None:
    """Keep a design of a task."""
    stores.documents.add(NewDocument(node=node.key, kind=DocumentKind.DESIGN, text="The lamp is the debt."), None)


def test_a_rehearsal_plays_the_search_and_asks_no_service(search: Search, web: FakeProvider) -> None:
    settings = search.deps.desk.settings.model_copy(update={"searxng_url": web.root, "embedding": "hashing"})
    index = KnowledgeIndex(search.deps.storage, make_embedder(settings), settings)

    registry = BookTools(search.deps.storage, index, settings, is_rehearsal=True).registry(LOOKUPS, search.node)

    assert registry is not None
    assert [tool.name for tool in registry] == ["web_search"]
    response = registry.call("web_search", {"query": "oil"})
    assert [page["url"] for page in response.data["results"]][:1] == ["https://rehearsal.invalid/1"]
