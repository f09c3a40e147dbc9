"""Where what a person says comes from: a terminal with editing and a history, or a pipe."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType

import typer

from bookwright.models.errors import InvalidInput
from bookwright.models.talk.session import MOST_CHARACTERS

LONGEST_MESSAGE = MOST_CHARACTERS // 4
"""Characters; a session keeps no longer one whole."""

_HISTORY = 1_000
_PROMPT = "you> "


class Terminal:
    """A person at a terminal: arrow keys, a history that outlasts the talk, and questions."""

    def __init__(self, history: Path) -> None:
        self._history = history
        self._readline = _readline() if sys.stdout.isatty() else None

    @contextmanager
    def remembering(self) -> Iterator[None]:
        """Know what was typed in earlier talks, and keep what is typed in this one."""
        if self._readline is None:
            yield
            return
        with suppress(OSError):
            self._readline.read_history_file(self._history)
        self._readline.set_history_length(_HISTORY)
        try:
            yield
        finally:
            with suppress(OSError):  # a history that cannot be kept is no reason to fail
                os.close(os.open(self._history, os.O_WRONLY | os.O_CREAT, 0o600))
                self._readline.write_history_file(self._history)

    def ask(self) -> str:
        """Return what the person types next.

        Raises:
            EOFError: They end the talk.
            KeyboardInterrupt: They press Ctrl-C.
        """
        return self._line(_PROMPT)

    def confirm(self, question: str) -> str:
        """Ask something and return the answer in lower case; it does not go into the history.

        Raises:
            EOFError, KeyboardInterrupt: There is none.
        """
        answer = self._line(question)
        if self._readline is not None and answer:
            self._readline.remove_history_item(self._readline.get_current_history_length() - 1)
        return answer.strip().casefold()

    def _line(self, prompt: str) -> str:
        if self._readline is not None:
            return readable(input(prompt))
        typer.echo(prompt, err=True, nl=False)  # stdout is somebody's pipe
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        return readable(line)


def whole_pipe() -> str:
    """Read all that comes through a pipe as one message.

    Raises:
        InvalidInput: Nothing comes, or too much.
    """
    raw = sys.stdin.buffer.read(LONGEST_MESSAGE * 4 + 1)
    return checked(readable(raw.decode("utf-8-sig", "replace")))


def piped_lines() -> Iterator[str]:
    """Yield the lines of a pipe as they come, without empty ones.

    Raises:
        InvalidInput: One is too long.
    """
    while raw := sys.stdin.buffer.readline(LONGEST_MESSAGE * 4 + 1):
        if line := readable(raw.decode("utf-8-sig", "replace")):
            yield checked(line)


def checked(message: str) -> str:
    """Return a message that can be said.

    Raises:
        InvalidInput: It is empty or too long.
    """
    if not message:
        raise InvalidInput("nothing was said: the input is empty")
    if len(message) > LONGEST_MESSAGE:
        raise InvalidInput(f"a message has at most {LONGEST_MESSAGE:,} characters, and this has {len(message):,}")
    return message


def readable(text: str) -> str:
    """Return what was typed without NUL, which no database takes, and without blanks around it."""
    return text.replace("\x00", "").replace("\r\n", "\n").strip()


def _readline() -> ModuleType | None:
    """The module that `input` edits lines with, if this Python has it."""
    try:
        import readline
    except ImportError:
        return None
    return readline
