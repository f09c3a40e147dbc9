"""A program in a terminal of its own, as a person sits before it."""

import contextlib
import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.support.forks import Fork, Forks

CTRL_C, CTRL_D, UP = "\x03", "\x04", "\x1b[A"

_PATIENCE = 60.0


class Terminal:
    """Runs `bookwright` with these arguments; `expect` waits for what it shows."""

    def __init__(
        self, arguments: Sequence[str], environment: Mapping[str, str], cwd: Path | None = None,
        forks: Forks | None = None,
    ) -> None:  # fmt: skip
        self._screen, inner = pty.openpty()
        given = {**os.environ, "TERM": "dumb", "COLUMNS": "160", **environment}
        self.process: Fork | subprocess.Popen[bytes]
        if forks is not None:
            self.process = forks.begin(["bookwright", *arguments], given, [inner] * 3, cwd, has_terminal=True)
        else:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "bookwright", *arguments], stdin=inner, stdout=inner, stderr=inner, cwd=cwd,
                start_new_session=True, env=given, preexec_fn=_take_terminal,
            )  # fmt: skip
        os.close(inner)
        self.shown = ""
        self._read_to = 0

    def expect(self, text: str) -> str:
        """Wait until a text was shown after what was expected before; return what came up to it."""
        until = time.monotonic() + _PATIENCE
        while (place := self.shown.find(text, self._read_to)) < 0:
            assert self._look(until), f"{text!r} was not shown; this was: {self.shown!r}"
        seen = self.shown[self._read_to : place + len(text)]
        self._read_to = place + len(text)
        return seen

    def type(self, text: str) -> None:
        """Press keys."""
        os.write(self._screen, text.encode())

    def kill(self) -> None:
        """End it as the out-of-memory killer would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def left(self) -> int:
        """Wait until it has ended and return its exit code."""
        until = time.monotonic() + _PATIENCE
        while self._look(until):
            pass
        return self.process.wait(_PATIENCE)

    def close(self) -> None:
        """Leave nothing behind."""
        if self.process.poll() is None:
            self.kill()
        os.close(self._screen)

    def _look(self, until: float) -> bool:
        """Take in what is shown next; False once there is nothing more."""
        ready, _, _ = select.select([self._screen], [], [], max(until - time.monotonic(), 0))
        piece = b""
        if ready:
            with contextlib.suppress(OSError):  # Linux: the other side has gone
                piece = os.read(self._screen, 65_536)
        self.shown += piece.decode("utf-8", "replace")
        return bool(piece)


def _take_terminal() -> None:
    """Make the terminal the one that Ctrl-C is pressed in, also where the tests run in the background without it."""
    import fcntl
    import termios

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
