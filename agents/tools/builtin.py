"""The tools that Bookwright brings along."""

from collections.abc import Sequence
from typing import Any

from bookwright.agents.tools.fetch_page import FetchPage
from bookwright.agents.tools.files.glob import Glob
from bookwright.agents.tools.files.grep import Grep
from bookwright.agents.tools.files.ls import LS
from bookwright.agents.tools.files.read import ReadTool
from bookwright.agents.tools.files.sandbox import Sandbox
from bookwright.agents.tools.files.write import Write
from bookwright.agents.tools.searchers.protocol import Searcher
from bookwright.agents.tools.tool import Tool
from bookwright.agents.tools.web.connection import Network
from bookwright.agents.tools.web_search import WebSearch


def file_tools(vault: Sandbox) -> list[Tool[Any]]:
    """The tools on the files of one folder."""
    return [LS(vault), Glob(vault), Grep(vault), ReadTool(vault), Write(vault)]


def web_tools(services: Sequence[Searcher], wire: Network | None = None) -> list[Tool[Any]]:
    """The tools that look outside of the book; `wire` is the way there, where it is not the usual one."""
    return [WebSearch(services), FetchPage(wire)]
