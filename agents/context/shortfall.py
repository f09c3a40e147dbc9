"""Building a context although a part of it failed: which parts may, and the warnings they leave.

Source: REQUIREMENTS S2-026, S2-072 to S2-075, conflict I-16.
"""

from collections.abc import Callable
from typing import TypeVar

from bookwright.models.errors import BackendError, InvalidInput

FAILURES = (OSError, ValueError, KeyError, TypeError, InvalidInput)
"""What makes a part of a context fail: a file, a record or a value that is not as it should be."""

MARK = "context: "
"""Begins what the journal has of a step whose context lacks something."""

_LONGEST = 160

_T = TypeVar("_T")


class Shortfall:
    """What one context is built without, in the order in which it failed."""

    def __init__(self) -> None:
        self._warnings: dict[str, None] = {}

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is missing, a line each."""
        return tuple(self._warnings)

    def warn(self, warning: str) -> None:
        """Say that something is missing; once."""
        self._warnings[warning] = None

    def without(self, what: str, make: Callable[[], _T], instead: _T) -> _T:
        """Return what is made, or what stands for it where that fails: no more is lost than this part."""
        try:
            return make()
        except (*FAILURES, BackendError) as error:
            self.warn(f"{what} left out: {in_short(error)}")
            return instead


def in_short(error: Exception) -> str:
    """Say in one short line what went wrong."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:_LONGEST]
