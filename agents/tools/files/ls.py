"""`LS`: what is in a folder."""

from fnmatch import translate
from re import compile as compile_pattern
from typing import Annotated, ClassVar

from pydantic import Field

from bookwright.agents.tools.files.folder_walk import (
    MOST_ENTRIES,
    MOST_SECONDS,
    FolderEntry,
    NameFilter,
    WalkBounds,
    entries_of,
)
from bookwright.agents.tools.files.paths import as_tool_failure
from bookwright.agents.tools.files.sandbox import Sandbox
from bookwright.agents.tools.tool import Params, PartialReasons, Tool, counted
from bookwright.models.errors import ToolFailure
from bookwright.models.talk.tool import ErrorCode, ToolResponse, as_json_value


class LSParams(Params):
    """What `LS` takes."""

    path: str = "."
    offset: int = Field(default=0, ge=0)
    limit: int = Field(default=100, ge=1, le=200)
    include_hidden: bool = False
    ignore: list[Annotated[str, Field(max_length=200)]] = Field(default=[], max_length=50)


class LS(Tool[LSParams]):
    """Lists a folder, folders first, a page at a time."""

    name = "LS"
    parameters = LSParams
    limits: ClassVar = {"entries": MOST_ENTRIES, "seconds": MOST_SECONDS}

    def __init__(self, vault: Sandbox, bounds: tuple[int, float] = (MOST_ENTRIES, MOST_SECONDS)) -> None:
        """`bounds`: entries looked at and seconds."""
        self._vault = vault
        self._bounds = bounds

    def run(self, params: LSParams) -> ToolResponse:
        """List one page.

        Raises:
            ToolFailure: There is no such folder, or nothing at the offset.
        """
        bounds = WalkBounds(*self._bounds)
        with self._vault.folder(params.path) as place, as_tool_failure(params.path):
            entries, path = entries_of(place.folder, bounds), place.path
        chosen = _chosen(entries, params)
        if params.offset and params.offset >= len(chosen):
            message = f"Offset {params.offset} is beyond the {len(chosen)} entries of {path!r}."
            raise ToolFailure(ErrorCode.INVALID_PARAM, message, "Begin at offset 0.", path_resolved=path)
        if not chosen and bounds.broken:
            raise ToolFailure(ErrorCode.TIMEOUT, f"Nothing was listed: {bounds.broken}.", "Name a smaller folder.")
        return _answer(chosen, params, path, bounds.broken)


def _chosen(entries: list[FolderEntry], params: LSParams) -> list[FolderEntry]:
    choice = NameFilter(takes_hidden=params.include_hidden)
    ignored = [compile_pattern(translate(pattern)) for pattern in params.ignore]
    kept = [each for each in entries if choice.takes(each) and not any(one.match(each.name) for one in ignored)]
    return sorted(kept, key=lambda entry: entry.kind != "dir")


def _answer(chosen: list[FolderEntry], params: LSParams, path: str, broken: str) -> ToolResponse:
    end = params.offset + params.limit
    page = chosen[params.offset : end]
    prefix = "" if path == "." else f"{path}/"
    short = PartialReasons()
    if end < len(chosen):
        short.add("There are more.", f"Call LS with offset={end} for the next.", truncated=True, next_offset=end)
    if broken:
        short.add(f"Not all was looked at: {broken}.", "Use Glob with a narrower pattern.", truncated=True)
    if odd := [each.name for each in page if as_json_value(each.name) != each.name]:
        lacking = f"{counted(len(odd), 'name')} cannot be opened, being no valid text."
        short.add(lacking, "Leave those out.", failed_items=odd)
    entries = [{"path": prefix + each.name, "type": each.kind} for each in page]
    stats = {"shown": len(page), "total": len(chosen)}
    return short.answer(
        {"entries": entries}, f"Listed {len(page)} of {len(chosen)} entries in {path!r}.", stats, path_resolved=path
    )
