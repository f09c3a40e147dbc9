"""The tools that the steps of a book's walk may use before they answer."""

from functools import cached_property
from typing import Any

from bookwright.agents.context.materials import people
from bookwright.agents.tools.registry import ToolRegistry
from bookwright.agents.tools.search_index import IndexView, index_tools
from bookwright.agents.tools.tool import Tool
from bookwright.agents.tools.web_search import WebSearch, searchers
from bookwright.models.settings import Settings
from bookwright.models.tree.task import TaskNode
from bookwright.storage.index.knowledge import KnowledgeIndex
from bookwright.storage.stores import BookStorage


class BookTools:
    """A look into the book, as soon as its index holds anything, and the web where a service is set up."""

    def __init__(
        self, storage: BookStorage, index: KnowledgeIndex, settings: Settings, *, is_rehearsal: bool = False
    ) -> None:
        """`is_rehearsal` has the service that is set up played, so that nothing leaves this machine."""
        self._storage = storage
        self._index = index
        self._settings = settings
        self._is_rehearsal = is_rehearsal

    @property
    def has_web(self) -> bool:
        """Whether anything outside the book can be looked up."""
        return bool(self._web)

    def registry(self, names: tuple[str, ...], unit: TaskNode) -> ToolRegistry | None:
        """Return those of the named tools that a unit's steps can use; None where there is nothing to look into yet."""
        known = [tool for tool in (*self._web, *self._of_the_book(unit)) if tool.name in names]
        return ToolRegistry(known) if known else None

    @cached_property
    def _web(self) -> tuple[Tool[Any], ...]:
        services = searchers(self._settings)
        if services and self._is_rehearsal:
            from bookwright.agents.backends.rehearsal.backend import RehearsedSearcher  # brings its vocabulary

            return (WebSearch((RehearsedSearcher(),)),)
        if not services:
            return ()
        from bookwright.agents.tools.fetch_page import FetchPage  # brings a client of HTTP with all its protocols

        return WebSearch(services), FetchPage()

    def _of_the_book(self, unit: TaskNode) -> list[Tool[Any]]:
        if not self._index.has(1):
            return []
        with self._storage.look() as stores:
            return index_tools(IndexView(self._index, unit.order, people(stores)))
