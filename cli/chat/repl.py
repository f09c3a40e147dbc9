"""Holding a talk: in a terminal until the person has enough, with slash commands; through a pipe until it ends."""

import re
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from bookwright.agents.runtime.events.bus import EventBus
from bookwright.agents.runtime.events.event_file import event_path, kept_events
from bookwright.agents.small.sampling import NARROW_MODELS
from bookwright.agents.tools.outside import one_line
from bookwright.app.access import paced_models
from bookwright.app.talks.opening import Opening
from bookwright.app.talks.talk import Talk
from bookwright.app.talks.view import CANCELLED, ChatView, Confirm
from bookwright.cli.chat.input import Terminal, checked, piped_lines, whole_pipe
from bookwright.cli.chat.view import JsonView, TextView, event_tab
from bookwright.cli.error_handling import FAULT, INTERRUPTED
from bookwright.flows.talking import ground
from bookwright.models.errors import InvalidInput
from bookwright.models.settings import Settings
from bookwright.storage.engine.database import Database

_SHOWN_PATH = 200
_COMMAND = re.compile(r"/([A-Za-z]+)\s*\Z")


class Quit(Exception):
    """The person wants to end the talk."""


@dataclass(frozen=True)
class ChatOptions:
    """How the talk is held."""

    cwd: Path
    shows_raw: bool
    says_yes: bool
    by_lines: bool
    as_json: bool
    budget_usd: float | None


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end the talk as a person would, so that what had come is kept."""
    chosen = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.signal(number, lambda came, _: sys.exit(128 + came)) for number in chosen}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@_ended_by_signals()
def hold(opening: Opening, options: ChatOptions, settings: Settings, database: Database) -> None:
    """Talk until the input ends or the person ends it.

    Raises:
        InvalidInput: Nothing comes through the pipe, or too much.
        typer.Exit: Through a pipe: an answer did not come.
    """
    terminal = Terminal(settings.home / "chat_history") if sys.stdin.isatty() else None
    message = "" if terminal is not None or options.by_lines else whole_pipe()
    raw = options.shows_raw
    view: ChatView = (
        JsonView(shows_raw=raw) if options.as_json else TextView(streams=sys.stdout.isatty(), shows_raw=raw)
    )
    with (
        ground(opening.member, settings, database, options.cwd, opening.book) as stands_on,
        closing(EventBus()) as bus,
        kept_events(bus, event_path(settings.home, event_tab(opening.member.name, opening.state.id))),  # for `watch`
        paced_models(database, settings) as models,
    ):
        confirm = _asker(terminal, view) if terminal is not None else None
        talk = Talk(
            opening, stands_on, database, models, bus, view, confirm, options.budget_usd, says_yes=options.says_yes
        )
        if terminal is not None:
            _converse(talk, terminal, view, opening)
        else:
            _answer_pipe(talk, view, [message] if message else piped_lines(), has_commands=options.by_lines)


def _converse(talk: Talk, terminal: Terminal, view: ChatView, opening: Opening) -> None:
    """Talk until the person has enough: /quit, Ctrl-D, or Ctrl-C twice in a row."""
    view.note(f"{opening.member.name} ({opening.member.about}), {opening.model}. /help lists commands, Ctrl-D ends.")
    if opening.model in NARROW_MODELS:
        view.note("this model is very small and answers nonsense; --model names another")
    if opening.title:
        view.note(f"going on with {talk.session.id}, which begins: {opening.title}")
    interrupts = 0
    with terminal.remembering():
        while interrupts < 2:
            try:
                message = terminal.ask()
                interrupts = 0
                if message:
                    _exchange(talk, view, message)
                    interrupts = int(talk.failure == CANCELLED)
            except KeyboardInterrupt:
                interrupts += 1
                view.note("\n(Ctrl-C once more, or Ctrl-D, ends the talk)" if interrupts < 2 else "")
            except EOFError:
                view.note("")
                break
            except Quit:
                break
    if talk.session.initialized:
        view.note(f"kept; bookwright chat --session {talk.session.id[:8]} goes on")


def _exchange(talk: Talk, view: ChatView, message: str) -> None:
    """Carry out a command, or say something and show the answer.

    Raises:
        Quit: The person wants to end the talk.
        SessionNotStarted: Nothing was said yet that could be forked.
    """
    command = _command_in(message)
    try:
        if command is None:
            talk.say(checked(message))
        elif command in _COMMANDS:
            _, carry_out = _COMMANDS[command]
            for line in carry_out(talk):
                view.note(line)
        else:
            view.note(f"there is no /{command}; /help lists what there is")
    except InvalidInput as error:
        view.note(f"bookwright: {error}")


def _answer_pipe(talk: Talk, view: ChatView, messages: Iterable[str], *, has_commands: bool) -> None:
    """Answer what comes through a pipe; the first answer that does not come ends it, as `typer.Exit`."""
    for message in messages:
        command = _command_in(message) if has_commands else None
        if command is not None:
            try:
                _exchange(talk, view, message)
            except Quit:
                return
        elif not talk.say(message):
            raise typer.Exit(INTERRUPTED if talk.failure == CANCELLED else FAULT)


def _asker(terminal: Terminal, view: ChatView) -> Confirm:
    """Return what asks a person whether a tool may be used."""

    def confirm(tool: str, given: Mapping[str, Any]) -> bool:
        path, content = str(given.get("path", "")), str(given.get("content", ""))
        view.note(
            f"{tool} {one_line(path, _SHOWN_PATH)!r}: {len(content.splitlines()):,} lines, {len(content):,} characters"
        )
        try:
            return terminal.confirm("may it? [y/N] ") in ("y", "yes", "是", "好")
        except EOFError:
            return False

    return confirm


def _command_in(message: str) -> str | None:
    """Return the command that a message is, in lower case; None for what is meant for the agent."""
    found = _COMMAND.match(message)
    return found[1].lower() if found else None


def _help(talk: Talk) -> list[str]:
    listed = [f"/{name:<8} {about}" for name, (about, _) in _COMMANDS.items()]
    return [*listed, "Ctrl-C breaks an answer off; a second one in a row, or Ctrl-D, ends the talk."]


def _quit(talk: Talk) -> list[str]:
    raise Quit


_COMMANDS: dict[str, tuple[str, Callable[[Talk], list[str]]]] = {
    "help": ("lists the commands", _help),
    "tools": ("lists what the agent may use", lambda talk: talk.describe_tools()),
    "session": ("shows the session and how to go on with it later", lambda talk: talk.describe_session()),
    "messages": ("lists what was said since the talk was opened", lambda talk: talk.describe_messages()),
    "fork": ("goes on in a copy of the talk; the talk so far stays as it is", lambda talk: [talk.fork()]),
    "raw": ("shows each reply as the model gave it, or no longer", lambda talk: [talk.toggle_raw()]),
    "cost": ("shows what the talk has taken", lambda talk: [talk.bill.total_line()]),
    "quit": ("ends the talk, which is kept", _quit),
}
