"""The command line of `claude`: its path, what its version can do, arguments, environment and prompt."""

import asyncio
import os
import re
from dataclasses import dataclass
from pathlib import Path

from bookwright.agents.backends import catalogue, endpoints
from bookwright.agents.backends.claude.child import Child
from bookwright.agents.backends.claude.faults import MAX_TURNS
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
    parts = [request.prompt.system] if _is_too_long(request) else []
    parts.append(request.prompt.user)
    if request.output is not None:
        parts.append(schema_request(request.output, request.locale))
    if request.tools:
        parts.append(tools_request(request))
    for correction in request.corrections:
        parts.append(f"<earlier_answer>\n{correction.reply.strip() or _NO_ANSWER}\n</earlier_answer>")
        parts.append(correction.problem)
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
