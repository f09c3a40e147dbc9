"""`Write`: a text file, made or replaced whole."""

import os
import re
from difflib import unified_diff
from typing import Any, ClassVar

from pydantic import Field

from bookwright.agents.tools.files.paths import LONGEST_NAME, ReachedPath, as_tool_failure, check_writable
from bookwright.agents.tools.files.read import is_binary
from bookwright.agents.tools.files.sandbox import Sandbox, kind_of
from bookwright.agents.tools.tool import Params, PartialReasons, Tool, counted
from bookwright.models.errors import ToolFailure
from bookwright.models.talk.tool import ErrorCode, ToolResponse
from bookwright.models.text.diff import shared_length

LONGEST_CONTENT = 1_000_000
"""Characters."""
PREVIEW_LINES = 100
PREVIEW_BYTES = 10_240
_COMPARED_BYTES = 4_000_000
_COMPARED_LINES = 500
"""Changed lines on one side that are matched with each other; beyond, all are told as replaced."""
_AROUND = 3
_HEADER = re.compile(r"^(@@ -)(\d+)((?:,\d+)? \+)(\d+)")


class WriteParams(Params):
    """What `Write` takes."""

    path: str = Field(min_length=1)
    content: str = Field(max_length=LONGEST_CONTENT)
    dry_run: bool = False


class Write(Tool[WriteParams]):
    """Makes or replaces a text file, whole or not at all."""

    name = "Write"
    parameters = WriteParams
    limits: ClassVar = {"lines": PREVIEW_LINES, "bytes": PREVIEW_BYTES, "name": LONGEST_NAME}

    def __init__(self, vault: Sandbox) -> None:
        self._vault = vault

    def run(self, params: WriteParams) -> ToolResponse:
        """Write, or say what would be written.

        Raises:
            ToolFailure: The path or the content cannot be written, or the file changed meanwhile.
        """
        check_writable(params.path)
        content = _encoded(params.content)
        with self._vault.place(params.path, folders="suppose" if params.dry_run else "make") as place:
            check_writable(place.path)  # a link may have led elsewhere
            before = _before(self._vault, params.path, place)
            if not params.dry_run:
                self._vault.replace(params.path, place, content)
        return _answer(params, place, before, content)


def _encoded(content: str) -> bytes:
    try:
        return content.encode()
    except UnicodeEncodeError:
        message = "The content holds half of a character (a lone surrogate)."
        raise ToolFailure(ErrorCode.INVALID_PARAM, message, "Write it as whole characters.") from None


def _before(vault: Sandbox, path: str, place: ReachedPath) -> bytes | None:
    """What the file holds now, as far as it is compared; None where there is none."""
    if place.is_folder:
        advice = "Name a file in it."
        raise ToolFailure(ErrorCode.IS_DIRECTORY, f"{path!r} is a folder.", advice, path_resolved=place.path)
    if place.found is None:
        return None
    if kind_of(place.found) != "file":
        message = f"{path!r} is a device, a pipe or a socket."
        raise ToolFailure(ErrorCode.INVALID_PARAM, message, "Choose another name.", path_resolved=place.path)
    with vault.file(path) as (descriptor, _), as_tool_failure(path):
        if is_binary(descriptor):
            message = f"{path!r} is no text file and is not replaced by one."
            raise ToolFailure(ErrorCode.BINARY_FILE, message, "Choose another name.", path_resolved=place.path)
        with open(os.dup(descriptor), "rb") as file:
            return file.read(_COMPARED_BYTES)


def _answer(params: WriteParams, place: ReachedPath, before: bytes | None, content: bytes) -> ToolResponse:
    preview, is_cut = _preview((before or b"").decode("utf-8", "replace"), params.content)
    operation = "create" if before is None else "update"
    data: dict[str, Any] = {"applied": not params.dry_run, "operation": operation, "diff_preview": preview}
    short = PartialReasons()
    if params.dry_run:
        short.add("Nothing was written: it was a dry run.", "Call Write without dry_run to do it.", dry_run=True)
    if is_cut:
        short.add("Of the changes only the first are shown.", "Read the file for the rest.", truncated=True)
    verb = {"create": "Made", "update": "Replaced"}[operation] if not params.dry_run else f"Would {operation}"
    lines = counted(len(params.content.splitlines()), "line")
    done = f"{verb} {place.path!r}: {lines}, {counted(len(content), 'byte')}."
    return short.answer(data, done, {"bytes_written": len(content)}, path_resolved=place.path)


def _preview(before: str, after: str) -> tuple[str, bool]:
    """The changes as a unified diff of 100 lines and 10240 bytes, and whether there are more."""
    shown: list[str] = []
    size = 0
    for row in _changes(before.splitlines(), after.splitlines()):
        size += len(row.encode()) + 1
        if len(shown) == PREVIEW_LINES or size > PREVIEW_BYTES:
            return "\n".join(shown), True
        shown.append(row)
    return "\n".join(shown), False


def _changes(before: list[str], after: list[str]) -> list[str]:
    """The rows of a unified diff. Only what lies between the first and the last change is matched."""
    head = shared_length(before, after)
    tail = shared_length(before[head:][::-1], after[head:][::-1])
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    if max(len(old), len(new)) > _COMPARED_LINES:
        header = f"@@ -{head + 1},{len(old)} +{head + 1},{len(new)} @@"
        return [header, *(f"-{row}" for row in old), *(f"+{row}" for row in new)]
    start, after_change = max(head - _AROUND, 0), max(tail - _AROUND, 0)
    rows = unified_diff(before[start : len(before) - after_change], after[start : len(after) - after_change],
                        n=_AROUND, lineterm="")  # fmt: skip
    return [_HEADER.sub(lambda found: _moved(found, start), row) for row in rows][2:]


def _moved(header: re.Match[str], lines: int) -> str:
    """A hunk's header, its two first lines counted from the file's beginning."""
    return f"{header[1]}{int(header[2]) + lines}{header[3]}{int(header[4]) + lines}"
