"""Prepares a talk with an agent: its model, its tools, a reading copy of its book."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from bookwright.agents.context.materials import people
from bookwright.agents.runtime.agent import AgentRegistry
from bookwright.agents.runtime.cast import CAST, CastAgent, CastMember, FileReach
from bookwright.agents.runtime.start import build_prompt_agent_start
from bookwright.agents.runtime.stream import Services
from bookwright.agents.tools.builtin import file_tools, web_tools
from bookwright.agents.tools.files.read import ReadTool
from bookwright.agents.tools.files.sandbox import Sandbox
from bookwright.agents.tools.registry import ToolRegistry
from bookwright.agents.tools.search_index import IndexView, index_tools
from bookwright.agents.tools.web.connection import Network
from bookwright.agents.tools.web_search import searchers
from bookwright.exports.reading_copy import write_reading_copy
from bookwright.models.book import Book
from bookwright.models.settings import Settings
from bookwright.storage.engine.database import Database
from bookwright.storage.index.embedding import make_embedder
from bookwright.storage.index.knowledge import KnowledgeIndex
from bookwright.storage.stores import BookStorage


@dataclass(frozen=True)
class TalkGround:
    """What an agent of a talk works with: its member of the cast, a folder, and a book where one is named."""

    member: CastMember
    settings: Settings
    cwd: Path
    book: Book | None
    copy: "BookCopy | None"
    """The files that it sees of the book; None where it sees those of `cwd`, or none."""
    tools: ToolRegistry

    def facts(self) -> dict[str, object]:
        """What the agent's template reads."""
        return {
            "today": datetime.now(UTC).date().isoformat(),
            "book": " ".join((self.book.title or self.book.id).split()) if self.book else "",
            "language": self.book.brief.language.english_name if self.book else "",
            "has_web": "web_search" in self.tools,
            "has_files": ReadTool.name in self.tools and (self.book is None or self.copy is not None),
        }

    def agents(self, services: Services) -> AgentRegistry:
        """The whole cast, ready to be run."""
        registry = AgentRegistry()
        for member in CAST:
            agent = CastAgent(member, self.facts())
            registry.register(member.name, partial(build_prompt_agent_start, agent, services))
        return registry


class BookCopy:
    """A reading copy of a book that is made anew once the book has gone on."""

    def __init__(self, storage: BookStorage, folder: Path) -> None:
        self._storage = storage
        self._state: tuple[object, ...] = ()
        self.folder = folder

    def refresh(self) -> None:
        """Write the files again if a step was recorded since the last time."""
        with self._storage.read() as stores:
            book = stores.books.get(self._storage.book)
        state = (book.calls, book.updated_at)
        if state != self._state:
            write_reading_copy(self._storage, self.folder)
            self._state = state


@contextmanager
def ground(
    member: CastMember,
    settings: Settings,
    database: Database,
    cwd: Path,
    book: Book | None,
    wire: Network | None = None,
) -> Iterator[TalkGround]:
    """Lay out what an agent works on, and clear it away afterwards; `wire` is a way to the web of its own."""
    if book is None:
        yield TalkGround(member, settings, cwd, None, None, _tools(member, settings, cwd, None, wire))
        return
    storage = BookStorage(database, book.id, book.brief.language)
    with (
        closing(KnowledgeIndex(storage, make_embedder(settings), settings, is_holder=False)) as index,
        TemporaryDirectory(prefix="bookwright-copy-", ignore_cleanup_errors=True) as folder,
    ):
        copy = BookCopy(storage, Path(folder)) if member.reach is FileReach.BOOK else None
        with storage.read() as stores:
            view = IndexView(index, None, people(stores))
        tools = _tools(member, settings, cwd if copy is None else copy.folder, view, wire)
        yield TalkGround(member, settings, cwd, book, copy, tools)


def _tools(
    member: CastMember, settings: Settings, folder: Path, view: IndexView | None, wire: Network | None
) -> ToolRegistry:
    """Those of a member's tools that there are; answers that are cut leave no file in the person's folder."""
    services = searchers(settings)
    web = [tool for tool in web_tools(services, wire) if services or tool.name != "web_search"]
    index = index_tools(view) if view else []
    return ToolRegistry(tool for tool in (*file_tools(Sandbox(folder)), *web, *index) if tool.name in member.tools)
