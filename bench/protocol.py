"""Whether every built-in tool keeps to the protocol, whatever it is asked: a line for each tool and hostile call."""

import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.hostile import SECRET, Case, cases, lay
from bench.measure import Measure
from bookwright.agents.tools.builtin import file_tools, web_tools
from bookwright.agents.tools.files.sandbox import Sandbox
from bookwright.agents.tools.overflow import Overflow
from bookwright.agents.tools.registry import ToolRegistry
from bookwright.agents.tools.search_index import IndexView, index_tools
from bookwright.agents.tools.tool import Tool
from bookwright.agents.tools.validate import RuleViolation, validate
from bookwright.flows.library import find_or_create, opened_library
from bookwright.models.brief import make_brief
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.settings import load_settings
from bookwright.models.talk.tool import ToolResponse
from bookwright.models.text.language import Language
from bookwright.storage.index.embedding import make_embedder
from bookwright.storage.index.knowledge import KnowledgeIndex
from bookwright.storage.lease import Lease
from bookwright.storage.steps.journal import Journal
from bookwright.storage.stores import BookStorage


@dataclass(frozen=True)
class Trial:
    """One hostile call and what came of it."""

    tool: str
    case: str
    response: ToolResponse
    violations: list[RuleViolation]

    @property
    def tells_secret(self) -> bool:
        """Whether the answer holds what stands outside the vault."""
        return SECRET in self.response.to_json()


def run(full: bool) -> Iterator[Measure]:
    """Call all tools with all cases; the folder beside the vault must be as it was, and its secret untold."""
    del full  # it takes seconds at any size
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as shelf, small_book(Path(shelf)) as view:
        folder = Path(home)
        registry = _every_tool(lay(folder), view)
        trials = []
        for trial in all_trials(registry):
            trials.append(trial)
            yield _measure(trial)
        yield Measure("protocol.calls", len(trials), "calls")
        yield Measure("protocol.violations", sum(len(each.violations) for each in trials), "violations", "<= 0")
        yield Measure("protocol.told_secrets", sum(each.tells_secret for each in trials), "answers", "<= 0")
        yield Measure("protocol.outside", len(strangers(folder)), "new files outside", "<= 0")


@contextmanager
def small_book(home: Path) -> Iterator[IndexView]:
    """A book with one finding, as tools that look into a book see it."""
    settings = load_settings(home=home, embedding="hashing")
    with opened_library(settings) as database:
        storage = BookStorage(database, "lamp", Language.EN)
        with storage.write() as stores:
            stores.books.create("lamp", make_brief({"premise": "A keeper counts ships.", "length": 9_000}))
            root = stores.nodes.add_root("The Log", "A keeper counts ships.", 9_000)
            found = NewDocument(node=root.key, kind=DocumentKind.FINDINGS, text="Lamps burned colza oil.")
            stores.documents.add(found, None)
            lease = Lease.take(stores.connection, "lamp", "the bench", 600)
        with closing(KnowledgeIndex(storage, make_embedder(settings), settings)) as index:
            index.catch_up(Journal(storage, lease))
            yield IndexView(index)


@contextmanager
def every_tool(home: Path) -> Iterator[ToolRegistry]:
    """All built-in tools: over a vault in `home/laid`, a web without a search service, and a book's empty index."""
    settings = load_settings(home=home / "data", embedding="hashing", free_megabytes=0)
    with opened_library(settings) as database:
        book = find_or_create(database, make_brief({"premise": "A harbour counts its debts.", "length": 900}))
        storage = BookStorage(database, book.id, book.brief.language)
        with closing(KnowledgeIndex(storage, make_embedder(settings), settings)) as index:
            (home / "laid").mkdir()
            yield _every_tool(lay(home / "laid"), IndexView(index))


def _every_tool(vault: Sandbox, view: IndexView) -> ToolRegistry:
    return ToolRegistry([*file_tools(vault), *web_tools(()), *index_tools(view)], Overflow(vault))


def all_trials(registry: ToolRegistry) -> Iterator[Trial]:
    """Every tool of a registry with every hostile call that its parameters allow."""
    for tool in registry:
        for case in cases(tool):
            yield tried(registry, tool, case)


def tried(registry: ToolRegistry, tool: Tool[Any], case: Case) -> Trial:
    """One call."""
    response = registry.call(tool.name, case.raw)
    return Trial(tool.name, case.name, response, validate(tool.name, response))


def strangers(folder: Path) -> list[str]:
    """What stands beside the vault and was not laid there."""
    return sorted(path.name for path in folder.iterdir() if path.name not in ("vault", "secret.txt"))


def _measure(trial: Trial) -> Measure:
    code = trial.response.error.code.value if trial.response.error else ""
    found = ", ".join(violation.rule for violation in trial.violations)
    return Measure(
        f"protocol.{trial.tool}.{trial.case}", len(trial.violations), "violations", "<= 0",
        " ".join(filter(None, (trial.response.status.value, code, found))),
    )  # fmt: skip
