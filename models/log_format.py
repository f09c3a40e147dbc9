"""How log lines are written."""

from enum import StrEnum


class LogFormat(StrEnum):
    """For people, or for programs."""

    TEXT = "text"
    JSON = "json"
    """One object a line."""
