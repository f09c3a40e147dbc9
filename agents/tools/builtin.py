"""The tools that Bookwright brings along."""

from collections.abc import Sequence
from typing import Any

from bookwright.agents.tools.fetch_page import FetchPage
from bookwright.agents.tools.files.glob import Glob
from bookwright.agents.tools.files.grep import Grep
from bookwright.agents.tools.files.ls import LS
from bookwright.agents.tools.files.read import ReadTool
from bookwright.agents.tools.files.write import Write
from bookwright.agents.tools.overflow import Overflow
from bookwright.agents.tools.registry import ToolRegistry
from bookwright.agents.tools.search_index import IndexView, SearchDesigns, SearchReferences, SearchStory
from bookwright.agents.tools.searchers.protocol import Searcher
from bookwright.agents.tools.tool import Tool
from bookwright.agents.tools.web.connection import Network
from bookwright.agents.tools.web_search import WebSearch
from bookwright.agents.tools.workspace import Workspace


def builtin_tools(
    workspace: Workspace, *, services: Sequence[Searcher] | None = None, view: IndexView | None = None
) -> list[Tool[Any]]:
    """Every built-in tool over one book: its files always; the web with `services`, its index with a `view`.

    No services at all (`()`) is a web of which pages can be read and nothing be searched.
    """
    files: list[Tool[Any]] = [LS(workspace), Glob(workspace), Grep(workspace), ReadTool(workspace), Write(workspace)]
    web = [] if services is None else web_tools(services)
    return [*files, *web, *(index_tools(view) if view else [])]


def web_tools(services: Sequence[Searcher], wire: Network | None = None) -> list[Tool[Any]]:
    """The tools that look outside of the book; `wire` is the way there, where it is not the usual one."""
    return [WebSearch(services), FetchPage(wire)]


def index_tools(view: IndexView) -> list[Tool[Any]]:
    """The tools that look into the book."""
    return [SearchDesigns(view), SearchStory(view), SearchReferences(view)]


def builtin_registry(
    workspace: Workspace, *, services: Sequence[Searcher] | None = None, view: IndexView | None = None
) -> ToolRegistry:
    """A registry of them, which keeps the whole of long answers in the vault."""
    return ToolRegistry(builtin_tools(workspace, services=services, view=view), Overflow(workspace.vault))
