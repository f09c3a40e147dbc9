"""How each command of the closed list is typed: the one table of what `ask` may come to."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field

from bookwright.models.talk.command import Command, Unclear


@dataclass(frozen=True)
class CommandLine:
    """How one command is typed, and what doing it means."""

    path: tuple[str, ...]
    arguments: tuple[str, ...] = ()
    """Fields that follow the book."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Options by field."""
    book: str = ""
    """The option that takes the book, where it is no argument."""
    is_look: bool = False
    """It changes nothing."""
    costs: bool = False
    """It asks models."""
    yes: str = ""
    """Its own option for a yes, where it asks by itself; given with the author's `--yes` alone."""
    always_asks: bool = False
    """No option stands for the author's yes: it cannot be taken back, or is the author's own word."""


def _named(*fields: str) -> dict[str, str]:
    """The options that are called as their fields are."""
    return {field: f"--{field.replace('_', '-')}" for field in fields}


_THREAD = _named("seed", "plant_at", "payoff", "payoff_at")
_SECTION = {"section_text": "--section"}

LINES: Mapping[str, CommandLine] = {
    "status": CommandLine(("status",), is_look=True),
    "tree": CommandLine(("tree",), is_look=True),
    "show": CommandLine(("show",), ("node",), is_look=True),
    "read": CommandLine(("read",), options=_named("node"), is_look=True),
    "estimate": CommandLine(("estimate",), options=_named("length"), book="--book", is_look=True),
    "pause": CommandLine(("pause",)),
    "resume": CommandLine(("resume",), options=_named("until", "words_today"), costs=True),
    "brief": CommandLine(("brief",), options={"assignment": "--set"}),
    "export": CommandLine(("export",), options={"format": "--to"}),
    "report": CommandLine(("report",), options={"format": "--to"}),
    "style": CommandLine(("style",), is_look=True),
    "timeline": CommandLine(("timeline",), is_look=True),
    "timeline_set": CommandLine(("timeline",), ("node",), _named("when")),
    "codex": CommandLine(("codex", "list"), is_look=True),
    "secrets": CommandLine(("secrets", "list"), is_look=True),
    "foreshadowing": CommandLine(("foreshadowing", "list"), is_look=True),
    "codex_add": CommandLine(("codex", "add"), ("name",), _named("kind") | _SECTION),
    "codex_edit": CommandLine(("codex", "edit"), ("entry",), _named("name") | _SECTION),
    "secret_add": CommandLine(
        ("secrets", "add"), ("content",), _named("importance") | {"forbidden": "--forbid"} | _named("revealed_at")
    ),
    "secret_edit": CommandLine(
        ("secrets", "edit"), ("secret",), _named("content", "importance", "visibility", "revealed_at")
    ),
    "foreshadowing_add": CommandLine(("foreshadowing", "add"), ("title",), _THREAD),
    "foreshadowing_edit": CommandLine(("foreshadowing", "edit"), ("thread",), _named("title", "status") | _THREAD),
    "revise": CommandLine(("revise",), ("node",), _named("note"), costs=True),
    "fork": CommandLine(("fork",), options={"node": "--at", "name": "--name"}),
    "branches": CommandLine(("branches",), is_look=True),
    "compare": CommandLine(("compare",), ("branch",), {"node": "--unit"}, is_look=True),
    "candidates": CommandLine(("candidates",), ("node",), is_look=True),
    "candidates_take": CommandLine(("candidates",), ("node",), {"number": "--take"}),
    "notes": CommandLine(("note",), ("node",), is_look=True),
    "note_add": CommandLine(("note",), ("node", "words"), _named("at")),
    "stale": CommandLine(("stale",), is_look=True),
    "refresh": CommandLine(("refresh",), ("node",), costs=True, yes="--yes"),
    "restore": CommandLine(("restore",), ("node", "version")),
    "gates": CommandLine(("gates",), is_look=True),
    "approve": CommandLine(("approve",), ("gate",), always_asks=True),
    "reject": CommandLine(("reject",), ("gate",), _named("note"), always_asks=True),
    "delete": CommandLine(("delete",), always_asks=True),
}


def arguments_of(command: Command, book: str) -> list[str]:
    """Return what is typed after `bookwright`; no value can be taken for an option."""
    assert not isinstance(command, Unclear)  # a question is no command
    line = LINES[command.verb]
    options = [f"{line.book}={book}"] if line.book else []
    options += [f"{option}={text}" for name, option in line.options.items() for text in _texts(command, name)]
    first = [] if line.book else [book]
    follow = [text for name in line.arguments for text in _texts(command, name)]
    if any(text.startswith("-") for text in follow):
        return [*line.path, *options, "--", *first, *follow]
    return [*line.path, *first, *follow, *options]


def typed(arguments: list[str]) -> str:
    """Return the line as it would be typed into a shell."""
    return shlex.join(["bookwright", *arguments])


def _texts(command: Command, name: str) -> list[str]:
    value = getattr(command, name)
    if value is None:
        return []
    return [str(item) for item in value] if isinstance(value, tuple) else [str(value)]
