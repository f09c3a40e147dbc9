"""Patterns for paths: `*` within a folder, `**` across folders, `?`, `[abc]`, `{one,two}`. Pure."""

import re
import unicodedata
from fnmatch import translate

from bookwright.agents.tools.files.paths import DEEPEST
from bookwright.models.errors import ToolFailure
from bookwright.models.talk.tool import ErrorCode

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
    for state in sorted(states):
        while state < len(segments) and segments[state] is None:
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
