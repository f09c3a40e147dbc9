"""`Glob`: files whose paths match a pattern."""

from itertools import islice
from typing import Any, ClassVar

from pydantic import Field

from bookwright.agents.tools.files.folder_walk import MOST_ENTRIES, MOST_SECONDS, NameFilter, WalkBounds, walk
from bookwright.agents.tools.files.globbing import LONGEST_PATTERN, PathPattern
from bookwright.agents.tools.files.sandbox import Sandbox
from bookwright.agents.tools.partial import PartialReasons, counted
from bookwright.agents.tools.tool import Params, Tool
from bookwright.models.errors import ToolFailure
from bookwright.models.talk.tool import ErrorCode, ToolResponse


class GlobParams(Params):
    """What `Glob` takes."""

    pattern: str = Field(min_length=1, max_length=LONGEST_PATTERN)
    path: str = "."
    limit: int = Field(default=50, ge=1, le=200)
    include_hidden: bool = False
    include_ignored: bool = False


class Glob(Tool[GlobParams]):
    """Finds files by their names."""

    name = "Glob"
    parameters = GlobParams
    limits: ClassVar = {"entries": MOST_ENTRIES, "seconds": MOST_SECONDS}

    def __init__(self, vault: Sandbox, bounds: tuple[int, float] = (MOST_ENTRIES, MOST_SECONDS)) -> None:
        """`bounds`: entries looked at and seconds."""
        self._vault = vault
        self._bounds = bounds

    def run(self, params: GlobParams) -> ToolResponse:
        """Find the first files, those of a folder before those below it.

        Raises:
            ToolFailure: The pattern or folder cannot be used, or a bound was met before any file.
        """
        pattern, bounds = PathPattern(params.pattern), WalkBounds(*self._bounds)
        choice = NameFilter(params.include_hidden, params.include_ignored)
        with self._vault.folder(params.path) as place:
            path = place.path
        paths = (
            "/".join(names if path == "." else (path, *names))
            for names, _ in walk(self._vault, path, bounds, choice, pattern.may_lead_on)
            if pattern.matches(names)
        )
        found, is_more = list(islice(paths, params.limit)), next(paths, None) is not None
        if bounds.broken and not found:
            message = f"Nothing was found before {bounds.broken}."
            raise ToolFailure(ErrorCode.TIMEOUT, message, "Name a smaller folder in path.", path_resolved=path)
        short = PartialReasons().of(bounds)
        if is_more:
            short.add("There are more.", "Narrow the pattern or the path, or raise the limit.", truncated=True)
        data: dict[str, Any] = {"paths": found}
        stats = {"matches": len(found), "entries_seen": bounds.seen}
        done = f"Found {counted(len(found), 'file')} for {params.pattern!r}."
        return short.answer(data, done, stats, path_resolved=path)
