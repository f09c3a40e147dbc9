"""Log lines of streams. Source: REQUIREMENTS S4-029 to S4-033."""

import logging
from contextlib import suppress

from pydantic import BaseModel

_log = logging.getLogger("bookwright.agents.runtime")


def note(level: int, line: str, *values: object) -> None:
    """Write a log line; a handler that fails must not end a stream."""
    if not _log.isEnabledFor(level):
        return
    with suppress(Exception):
        _log.log(level, line, *values)


class AsJson:
    """A record that becomes JSON only where it is written."""

    def __init__(self, record: BaseModel) -> None:
        self._record = record

    def __str__(self) -> str:
        return self._record.model_dump_json(by_alias=True)
