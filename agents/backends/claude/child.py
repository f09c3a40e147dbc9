"""Runs a program as a child process in a session of its own, so that all it started can be ended with it."""

import asyncio
import os
import signal
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing, suppress
from pathlib import Path

LINE_BYTES = 10 * 1024 * 1024
"""What no line of a program's output may pass; longer ones are left out. Source: DETAILS "000", Runner."""

_PIECE_BYTES = 64 * 1024
_COMPLAINT_BYTES = 4_000
_GRACE_SECONDS = 1.0


async def lines_of(stream: asyncio.StreamReader) -> AsyncGenerator[str, None]:
    """Give the lines of a stream as they come, but for empty ones and those longer than its limit."""
    is_rest = False
    while True:
        try:
            line = (await stream.readuntil()).removesuffix(b"\n")
        except asyncio.LimitOverrunError as error:
            await stream.readexactly(error.consumed)
            is_rest = True
            continue
        except asyncio.IncompleteReadError as error:
            if error.partial and not is_rest:
                yield error.partial.decode("utf-8", "replace")
            return
        if line and not is_rest:
            yield line.decode("utf-8", "replace")
        is_rest = False


class _Streams(asyncio.subprocess.SubprocessStreamProtocol):
    """Tells when the program itself has gone; `Process.wait` also waits for whoever holds its streams."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(limit=LINE_BYTES, loop=loop)
        self.has_gone = asyncio.Event()

    def process_exited(self) -> None:
        super().process_exited()
        self.has_gone.set()


class Child:
    """One run of a program. Whoever starts it ends it."""

    def __init__(self, transport: asyncio.SubprocessTransport, streams: _Streams, text: bytes) -> None:
        self._transport = transport
        self._has_gone = streams.has_gone
        self._process = asyncio.subprocess.Process(transport, streams, asyncio.get_running_loop())
        self._complaint = b""
        self._listening = asyncio.create_task(self._listen())
        self._tasks = [asyncio.create_task(self._feed(text)), asyncio.create_task(self._watch()), self._listening]

    @classmethod
    async def start(
        cls, command: Sequence[str], environment: Mapping[str, str], folder: Path, text: str = ""
    ) -> "Child":
        """Start a program and give it `text` to read, as slowly as it likes.

        Raises:
            OSError: It cannot be started.
        """
        loop = asyncio.get_running_loop()
        transport, streams = await loop.subprocess_exec(
            lambda: _Streams(loop), *command, env=dict(environment), cwd=folder, start_new_session=True
        )
        return cls(transport, streams, text.encode("utf-8", "replace"))

    @property
    def exit_code(self) -> int | None:
        """How it ended, negative for a signal; None while it runs."""
        return self._process.returncode

    @property
    def complaint(self) -> str:
        """The end of what it wrote to its error stream."""
        return self._complaint.decode("utf-8", "replace")

    async def lines(self) -> AsyncGenerator[str, None]:
        """Give its lines as they come, until it has ended."""
        assert self._process.stdout is not None
        async with aclosing(lines_of(self._process.stdout)) as lines:
            async for line in lines:
                yield line
        await self._has_gone.wait()
        await asyncio.wait([self._listening])  # for the end of its complaint

    async def end(self, *, is_done: bool = False) -> None:
        """End it and all that it started: it is asked first, and made to after a moment.

        One that `is_done` with what it had to say is given a moment to go by itself.
        """
        if is_done:
            await self._gone_within(_GRACE_SECONDS)
        self._send(signal.SIGTERM)
        await self._gone_within(_GRACE_SECONDS)
        self._send(signal.SIGKILL)
        await self._has_gone.wait()
        self._transport.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _feed(self, text: bytes) -> None:
        stdin = self._process.stdin
        assert stdin is not None
        with suppress(ConnectionError):  # it need not read what it was given
            stdin.write(text)
            await stdin.drain()
            stdin.close()
            await stdin.wait_closed()

    async def _listen(self) -> None:
        assert self._process.stderr is not None
        while piece := await self._process.stderr.read(_PIECE_BYTES):
            self._complaint = (self._complaint + piece)[-_COMPLAINT_BYTES:]

    async def _watch(self) -> None:
        """See to it that its streams end with it: a child of its own that lives on would hold them open."""
        await self._has_gone.wait()
        self._send(signal.SIGKILL)
        await asyncio.sleep(_GRACE_SECONDS)
        self._transport.close()  # that child may have left the group

    async def _gone_within(self, seconds: float) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._has_gone.wait(), seconds)

    def _send(self, number: signal.Signals) -> None:
        """Signal the whole group; its number stays taken for as long as anyone is in it."""
        with suppress(ProcessLookupError, PermissionError):  # macOS refuses to signal a group of the dead
            os.killpg(self._process.pid, number)
