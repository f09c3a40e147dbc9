"""What `doctor` finds: the word for it, and what a check is."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from bookwright.models.settings import Settings


class Health(StrEnum):
    """How a check ended."""

    OK = "ok"
    WARNING = "warning"
    FAULT = "fault"


@dataclass(frozen=True)
class Finding:
    """What one check found."""

    name: str
    health: Health
    detail: str


Check = Callable[[Settings], tuple[Health, str]]
"""Looks at one thing; whatever it raises is a fault."""


def first_of(faults: list[str], warnings: list[str], found: str) -> tuple[Health, str]:
    """Return the faults if there are any, else the warnings, else that all is well."""
    if faults:
        return Health.FAULT, "; ".join([*faults, *warnings])
    return (Health.WARNING, "; ".join(warnings)) if warnings else (Health.OK, found)
