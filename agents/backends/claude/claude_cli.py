"""The backend `claude-cli`: the program `claude`, run once for each call, read by its stream of JSON lines."""

import asyncio
import re
from contextlib import aclosing
from pathlib import Path
from tempfile import TemporaryDirectory

from bookwright.agents.backends.claude.output import Hearing, fault_of, finish_of, read_event
from bookwright.agents.backends.claude.program import Child, Program, command, environment, find_program, prompt_text
from bookwright.agents.backends.protocol import EventKind, Listener, Request, StreamEvent
from bookwright.agents.backends.retry import Deadline
from bookwright.models.errors import BackendError, BackendUnavailable, MissingProgram
from bookwright.models.settings import Settings
from bookwright.models.step import Reply, Usage

_FINISH = {"max_tokens": "length", "model_context_window_exceeded": "length", "refusal": "refusal"}
_WRITES = re.compile(r"create|write", re.IGNORECASE)
"""Tools that leave something behind. Source: DETAILS "000", Runner."""


class ClaudeCliBackend:
    """Completes prompts with the program of Claude Code. One call is one run of it, in a process group of its own.

    A role's runs have the tools that the settings give it, and no others; without tools they happen in
    an empty folder, so that no file of the author's gets into a prompt.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._program: Program | None = None
        self._finding = asyncio.Lock()
        self._endings: set[asyncio.Task[None]] = set()
        self._empty: TemporaryDirectory[str] | None = None

    async def complete(self, request: Request, listener: Listener) -> Reply:
        """Run the program once and return at its result, whether it has ended by then or not.

        Raises:
            MissingProgram: It is not here or too old; nothing was sent.
            BackendUnavailable: It broke off, fell silent, answered nothing, or its provider is in trouble.
            RequestRejected: It is not logged in, has no credit, or will not have this request.
        """
        program = await self._found()
        tools = self._settings.claude_tools.get(request.role, ())
        hearing, deadline = Hearing(listener), Deadline(self._settings, request.model)
        listener(StreamEvent(EventKind.STARTED))
        child = await self._started(program, request, tools)
        try:
            async with deadline.enforced():
                is_cut = await _hear(child, hearing, deadline, request, has_pieces=program.has_pieces and not tools)
        except BackendUnavailable as error:
            raise _of_a_time_out(error, tools) from None
        finally:
            self._let_go(child, is_done=hearing.result is not None)
        reply = self._concluded(request, hearing, deadline, child, is_cut=is_cut)
        turns = "" if reply.num_turns == 1 else f", {reply.num_turns} turns"
        listener(StreamEvent(EventKind.FINISHED, f"session {reply.session_id or 'unnamed'}{turns}"))
        return reply

    async def close(self) -> None:
        """Wait until every run that was let go of has ended; each is made to within seconds."""
        await asyncio.gather(*self._endings, return_exceptions=True)
        if self._empty is not None:
            self._empty.cleanup()
            self._empty = None

    async def _found(self) -> Program:
        async with self._finding:
            if self._program is None:
                self._program = await find_program(self._settings)
            return self._program

    async def _started(self, program: Program, request: Request, tools: tuple[str, ...]) -> Child:
        try:
            return await Child.start(
                command(program, request, tools), environment(program, request), self._folder(tools),
                prompt_text(request),
            )  # fmt: skip
        except OSError as error:
            self._program = None  # it may have been moved by an update: looked for again
            raise MissingProgram(f"{program.path} cannot be run: {error.strerror or error}") from error

    def _folder(self, tools: tuple[str, ...]) -> Path:
        """Where a run happens: what tools write there is kept."""
        if tools:
            folder = self._settings.home / "claude-cli"
            folder.mkdir(parents=True, exist_ok=True)
            return folder
        if self._empty is None:
            self._empty = TemporaryDirectory(prefix="bookwright-")
        return Path(self._empty.name)

    def _let_go(self, child: Child, *, is_done: bool) -> None:
        task = asyncio.create_task(child.end(is_done=is_done))
        self._endings.add(task)
        task.add_done_callback(self._endings.discard)

    def _concluded(
        self, request: Request, hearing: Hearing, deadline: Deadline, child: Child, *, is_cut: bool
    ) -> Reply:
        """Make a reply of what was heard; where it is none, raise a `BackendError` with the bill, if there is one."""
        told = finish_of(hearing.error)
        is_cut = is_cut or told == "length"
        finish = told or ("length" if is_cut else _FINISH.get(hearing.stop, "stop"))
        reply = Reply(
            text=hearing.text if is_cut else hearing.answer,
            reasoning=hearing.reasoning,
            finish_reason=finish,
            model=request.model,
            usage=hearing.usage,
            # A price of the settings goes before what the program tells: a subscription has none.
            cost=None if request.model in self._settings.prices else hearing.cost,
            duration_millis=deadline.elapsed_millis,
            first_event_millis=deadline.first_event_millis,
            num_turns=hearing.num_turns,
            session_id=hearing.session_id,
        )
        if finish != "stop":
            return reply
        fault = fault_of(request.model, hearing, child.exit_code, child.complaint)
        if fault is None:
            return reply
        if isinstance(fault, BackendError) and hearing.result is not None and hearing.usage != Usage():
            fault.reply = reply.model_copy(update={"text": hearing.text})
        raise fault


async def _hear(child: Child, hearing: Hearing, deadline: Deadline, request: Request, *, has_pieces: bool) -> bool:
    """Listen until the result; return True where the answer reached its limit first.

    The program tries again by itself when an answer is cut off, which is paid each time: it is left at once.
    """
    limit = request.sampling.most_characters()
    async with aclosing(child.lines()) as lines:
        async for line in lines:
            event = read_event(line)
            if event is None:
                continue
            if event["type"] != "system":  # the first of those come before any model is asked
                deadline.extend(may_be_silent=not has_pieces)
            hearing.add(event)
            if hearing.result is not None:
                return False
            if _FINISH.get(hearing.stop) == "length" or hearing.size > limit:
                return True
    return False


def _of_a_time_out(error: BackendUnavailable, tools: tuple[str, ...]) -> BackendUnavailable:
    """Mark a timeout of a run that may have saved something as what it is: half done."""
    if error.kind != "timeout" or not any(map(_WRITES.search, tools)):
        return error
    return BackendUnavailable(str(error), kind="timed_out")
