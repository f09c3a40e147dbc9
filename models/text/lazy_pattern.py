"""Regular expressions that are compiled when they are first used: one with a range of han characters takes 5 ms."""

import re
from functools import cached_property
from typing import Any, cast


class _LazyPattern:
    """Stands for a pattern, and takes each of its methods over when it is first asked for it."""

    def __init__(self, source: str, flags: int) -> None:
        self._source, self._flags = source, flags

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self._source, self._flags)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._compiled, name)
        setattr(self, name, found)
        return found


def lazy_pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern to call the methods of; the functions of `re` do not take it, and `match.re` is not it."""
    return cast(re.Pattern[str], _LazyPattern(source, flags))
