"""Which state of the codex a text was made under, and which records were withheld from its prompts."""

from dataclasses import dataclass


@dataclass(frozen=True)
class CodexUse:
    """The state of the codex that the making of a text knew, and what was withheld."""

    known: int
    """The row of the newest change that it knew: what any record said then follows from it."""
    cut_by: tuple[int, ...] = ()
    """Rows whose words were taken out of a prompt, or had an answer refused."""
