"""A place in a draft that gives something away."""

from dataclasses import dataclass
from enum import StrEnum


class LeakKind(StrEnum):
    """Which check found it."""

    FORBIDDEN_KEYWORD = "forbidden_keyword"
    WORDING = "wording"
    """The secret's own words, more or less."""
    MEANING = "meaning"
    """What the secret says, in other words."""
    QUOTATION = "quotation"
    """Setting text, letter by letter."""


class LeakSeverity(StrEnum):
    """How bad it is. Source: DETAILS "Leak checks and thresholds"."""

    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"


@dataclass(frozen=True)
class LeakIssue:
    """One leak, located in the draft."""

    kind: LeakKind
    severity: LeakSeverity
    start: int
    end: int
    """Places in the draft as it was given, in characters."""
    excerpt: str
    """The place with up to 20 characters on either side."""
    detail: str
    suggestion: str
    secret: str = ""
    """The secret's id; empty for a global keyword and for setting text."""
    word: str = ""
    """The keyword that was found."""
