"""The folder that the tools of one book work on."""

from dataclasses import dataclass

from bookwright.agents.tools.files.sandbox import Sandbox


@dataclass(frozen=True)
class Workspace:
    """One book as its tools see it."""

    vault: Sandbox
    """The book's folder; no file outside it can be reached."""
