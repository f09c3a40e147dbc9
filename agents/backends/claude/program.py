"""The program `claude`: its path, what its version can do, its arguments, environment and prompt, and a run of it.

It runs as a child process in a session of its own, so that all it started can be ended with it.
"""

import asyncio
import os
import re
import signal
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass
from pathlib import Path

from bookwright.agents.backends import catalogue, endpoints
from bookwright.agents.backends.claude.output import MAX_TURNS
from bookwright.agents.backends.protocol import Request
from bookwright.agents.backends.schema import schema_request, tools_request
from bookwright.models.errors import MissingProgram
from bookwright.models.settings import Settings
from bookwright.models.text.plain import plain

_OPTION = re.compile(r"--[a-z][a-zA-Z-]+")
_HELP_CHARACTERS = 200_000
_PIECES = "--include-partial-messages"
_ALWAYS = (_PIECES, "--no-session-persistence")
_WITHOUT_TOOLS = (("--tools", ""), ("--strict-mcp-config",), ("--disable-slash-commands",))
_ARGUMENT_BYTES = 120_000
"""Linux takes no argument above 128 KiB."""
_MENTION = re.compile(r"(?<!\S)@(?=[\"'/~.])")
"""A file so named in a prompt would be read into it, whoever wrote that: the prompt may hold a stranger's text."""
_WORD_JOINER = "\u2060"
_NO_ANSWER = "(no answer)"

_LINE_BYTES = 10 * 1024 * 1024
"""What no line of a program's output may pass; longer ones are left out. Source: DETAILS "000", Runner."""

_PIECE_BYTES = 64 * 1024
_COMPLAINT_BYTES = 4_000
_GRACE_SECONDS = 1.0


@dataclass(frozen=True)
class Program:
    """An installed `claude`."""

    path: str
    options: frozenset[str]
    """All that its help names, such as `"--model"`."""

    @property
    def has_pieces(self) -> bool:
        """Whether it tells text as it is written, and not only whole messages."""
        return _PIECES in self.options


async def find_program(settings: Settings) -> Program:
    """Find the program and ask it for its help, which costs nothing.

    Raises:
        MissingProgram: It is not here, does not answer, or knows no stream of JSON lines.
    """
    path = endpoints.program_path(settings)
    try:
        text = await _help(path, settings.connect_seconds)
    except OSError as error:
        raise MissingProgram(f"{path} cannot be run: {error.strerror or error}") from error
    except TimeoutError:
        raise MissingProgram(f"{path} --help gave no answer within {settings.connect_seconds:g} s") from None
    if "stream-json" not in text:
        raise MissingProgram(
            f"{path} is no claude that knows --output-format stream-json: bring it up to date (claude update), "
            "or name another with claude_path in config.toml"
        )
    return Program(path, frozenset(_OPTION.findall(text)))


def command(program: Program, request: Request, tools: tuple[str, ...]) -> list[str]:
    """Return the command line. The prompt is not on it: others see it there, and it may be too long.

    Source: REQUIREMENTS S0-074.
    """
    system = "" if _is_too_long(request) else plain(request.prompt.system)
    parts = [program.path, "-p", "--verbose", "--output-format", "stream-json", "--system-prompt", system]
    parts += ["--max-turns", str(MAX_TURNS)]
    if tools:
        parts += ["--allowedTools", ",".join(tools)]
    parts += ["--model", catalogue.split_name(request.model)[1]]
    wanted = [(option,) for option in _ALWAYS] + ([] if tools else list(_WITHOUT_TOOLS))
    return parts + [word for words in wanted if words[0] in program.options for word in words]


def environment(program: Program, request: Request) -> dict[str, str]:
    """Return our environment without what tells of a session around us, with thoughts off and the answer's limit.

    The limit is set only where we hear that it was reached: a version that does not tell tries
    again by itself, and each time is paid. Source: REQUIREMENTS S0-076, S0-077.
    """
    ours = {name: value for name, value in os.environ.items() if name != "CLAUDECODE"}
    ours["MAX_THINKING_TOKENS"] = "0"
    if program.has_pieces:
        ours["CLAUDE_CODE_MAX_OUTPUT_TOKENS"] = str(request.sampling.max_output_tokens)
    return ours


def prompt_text(request: Request) -> str:
    """Return what the program reads as its prompt: there is one turn, so earlier answers stand in it."""
    parts = [request.prompt.system, request.prompt.user] if _is_too_long(request) else [request.prompt.user]
    if request.output is not None:
        parts.append(schema_request(request.output, request.locale))
    if request.tools:
        parts.append(tools_request(request))
    for correction in request.corrections:
        parts += f"<earlier_answer>\n{correction.reply.strip() or _NO_ANSWER}\n</earlier_answer>", correction.problem
    return _MENTION.sub("@" + _WORD_JOINER, plain("\n\n".join(parts)))


def _is_too_long(request: Request) -> bool:
    return len(request.prompt.system.encode("utf-8", "replace")) > _ARGUMENT_BYTES


async def _help(path: str, seconds: float) -> str:
    child = await Child.start([path, "--help"], os.environ, Path("/"))
    text = ""
    try:
        async with asyncio.timeout(seconds):
            async for line in child.lines():
                text += line + "\n"
                if len(text) > _HELP_CHARACTERS:
                    break
    finally:
        await child.end()
    return text


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
        super().__init__(limit=_LINE_BYTES, loop=loop)
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
