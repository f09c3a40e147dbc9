"""`Glob`: files whose paths match a pattern: `*` within a folder, `**` across folders, `?`, `[abc]`, `{one,two}`."""

import re
import unicodedata
from fnmatch import translate
from itertools import islice
from typing import Any, ClassVar

from pydantic import Field

from bookwright.agents.tools.files.folder_walk import MOST_ENTRIES, MOST_SECONDS, NameFilter, WalkBounds, walk
from bookwright.agents.tools.files.paths import DEEPEST
from bookwright.agents.tools.files.sandbox import Sandbox
from bookwright.agents.tools.tool import Params, Tool, counted
from bookwright.models.errors import ToolFailure
from bookwright.models.talk.tool import ErrorCode, ToolResponse

LONGEST_PATTERN = 300
"""Characters."""
_MOST_ALTERNATIVES = 64
_BRACES = re.compile(r"\{([^{}]*)\}")
_ADVICE = "Give a pattern such as 'chapters/**/*.md'."

_Segment = re.Pattern[str] | None
"""One name's pattern; None for `**`."""


class PathPattern:
    """A pattern over paths of names. Its time is bounded by the product of both lengths."""

    def __init__(self, text: str) -> None:
        """Read the pattern.

        Raises:
            ToolFailure: It leads out of the folder, or has too many parts or alternatives.
        """
        self._alternatives = [_segments(each) for each in _expanded(unicodedata.normalize("NFC", text))]

    def matches(self, names: tuple[str, ...]) -> bool:
        """Whether a file of these names is meant."""
        return any(len(segments) in _reached(segments, names) for segments in self._alternatives)

    def may_lead_on(self, names: tuple[str, ...]) -> bool:
        """Whether a file below a folder of these names can be meant."""
        return any(min(_reached(segments, names), default=9999) < len(segments) for segments in self._alternatives)


def _reached(segments: list[_Segment], names: tuple[str, ...]) -> set[int]:
    """How many segments may be used up once all names are."""
    states = _with_skipped(segments, {0})
    for name in names:
        name = unicodedata.normalize("NFC", name)
        after = {state for state in states if state < len(segments) and segments[state] is None}
        for state in states:
            segment = segments[state] if state < len(segments) else None
            if segment is not None and segment.match(name):
                after.add(state + 1)
        states = _with_skipped(segments, after)
    return states


def _with_skipped(segments: list[_Segment], states: set[int]) -> set[int]:
    found = set(states)
    for state in states:
        while state < len(segments) and segments[state] is None and state + 1 not in found:  # that one has gone on
            state += 1
            found.add(state)
    return found


def _segments(text: str) -> list[_Segment]:
    if text.startswith(("/", "\\")) or ".." in text.split("/"):
        raise ToolFailure(ErrorCode.ACCESS_DENIED, "The pattern leads out of the folder.", _ADVICE)
    parts = [part for part in text.split("/") if part not in ("", ".")]
    if not parts or len(parts) > DEEPEST:
        raise ToolFailure(ErrorCode.INVALID_PARAM, f"The pattern has {len(parts)} parts.", _ADVICE)
    return [None if part == "**" else re.compile(translate(part)) for part in parts]


def _expanded(text: str) -> list[str]:
    waiting, done = [text], list[str]()
    while waiting:
        each = waiting.pop()
        if found := _BRACES.search(each):
            waiting += [each[: found.start()] + part + each[found.end() :] for part in found.group(1).split(",")]
        else:
            done.append(each)
        if len(waiting) + len(done) > _MOST_ALTERNATIVES:
            message = f"The pattern has more than {_MOST_ALTERNATIVES} alternatives."
            raise ToolFailure(ErrorCode.INVALID_PARAM, message, _ADVICE)
    return done


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
                for names, _ in walk(place.folder, bounds, choice, pattern.may_lead_on)
                if pattern.matches(names)
            )
            found, is_more = list(islice(paths, params.limit)), next(paths, None) is not None
        if bounds.broken and not found:
            message = f"Nothing was found before {bounds.broken}."
            raise ToolFailure(ErrorCode.TIMEOUT, message, "Name a smaller folder in path.", path_resolved=path)
        short = bounds.reasons()
        if is_more:
            short.add("There are more.", "Narrow the pattern or the path, or raise the limit.", truncated=True)
        data: dict[str, Any] = {"paths": found}
        stats = {"matches": len(found), "entries_seen": bounds.seen}
        done = f"Found {counted(len(found), 'file')} for {params.pattern!r}."
        return short.answer(data, done, stats, path_resolved=path)
