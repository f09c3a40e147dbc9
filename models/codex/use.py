"""What of the codex bore on a text while it was made."""

from dataclasses import dataclass


@dataclass(frozen=True)
class CodexUse:
    """The codex as a text's making knew it."""

    known: int
    """The row of the newest change that it knew: what any record said then follows from it."""
    cut_by: tuple[int, ...] = ()
    """Rows whose words were taken out of a prompt, or had an answer refused."""
