"""Slash commands: what a person says to the program and not to the agent."""

import re
from collections.abc import Callable

from bookwright.app.talks.talk import Talk

_COMMAND = re.compile(r"/([A-Za-z]+)\s*\Z")


class Quit(Exception):
    """The person wants to end the talk."""


def command_in(message: str) -> str | None:
    """Return the command that a message is, in lower case; None for what is meant for the agent."""
    found = _COMMAND.match(message)
    return found[1].lower() if found else None


def run_command(name: str, talk: Talk) -> list[str]:
    """Carry a command out and return the lines to show.

    Raises:
        Quit: The talk is to end.
        SessionNotStarted: Nothing was said yet that could be forked.
    """
    if name not in _COMMANDS:
        return [f"there is no /{name}; /help lists what there is"]
    return _COMMANDS[name][1](talk)


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
