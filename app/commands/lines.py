"""How each command of the closed list is typed: the one table of what `ask` may come to."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field

from bookwright.models.talk.command import Command, Unclear


@dataclass(frozen=True)
class Line:
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


_NODE = {"node": "--node"}
_THREAD = {"seed": "--seed", "plant_at": "--plant-at", "payoff": "--payoff", "payoff_at": "--payoff-at"}
_SECTION = {"section_text": "--section"}

LINES: Mapping[str, Line] = {
    "status": Line(("status",), is_look=True),
    "tree": Line(("tree",), is_look=True),
    "show": Line(("show",), ("node",), is_look=True),
    "read": Line(("read",), options=_NODE, is_look=True),
    "estimate": Line(("estimate",), options={"length": "--length"}, book="--book", is_look=True),
    "pause": Line(("pause",)),
    "resume": Line(("resume",), options={"until": "--until", "words_today": "--words-today"}, costs=True),
    "brief": Line(("brief",), options={"assignment": "--set"}),
    "export": Line(("export",), options={"format": "--to"}),
    "report": Line(("report",), options={"format": "--to"}),
    "style": Line(("style",), is_look=True),
    "codex": Line(("codex", "list"), is_look=True),
    "secrets": Line(("secrets", "list"), is_look=True),
    "foreshadowing": Line(("foreshadowing", "list"), is_look=True),
    "codex_add": Line(("codex", "add"), ("name",), {"kind": "--kind", **_SECTION}),
    "codex_edit": Line(("codex", "edit"), ("entry",), {"name": "--name", **_SECTION}),
    "secret_add": Line(
        ("secrets", "add"),
        ("content",),
        {"importance": "--importance", "forbidden": "--forbid", "revealed_at": "--revealed-at"},
    ),
    "secret_edit": Line(
        ("secrets", "edit"),
        ("secret",),
        {
            "content": "--content",
            "importance": "--importance",
            "visibility": "--visibility",
            "revealed_at": "--revealed-at",
        },
    ),
    "foreshadowing_add": Line(("foreshadowing", "add"), ("title",), _THREAD),
    "foreshadowing_edit": Line(
        ("foreshadowing", "edit"), ("thread",), {"title": "--title", "status": "--status", **_THREAD}
    ),
    "revise": Line(("revise",), ("node",), {"note": "--note"}, costs=True),
    "stale": Line(("stale",), is_look=True),
    "refresh": Line(("refresh",), ("node",), costs=True, yes="--yes"),
    "restore": Line(("restore",), ("node", "version")),
    "gates": Line(("gates",), is_look=True),
    "approve": Line(("approve",), ("gate",), always_asks=True),
    "reject": Line(("reject",), ("gate",), {"note": "--note"}, always_asks=True),
    "delete": Line(("delete",), always_asks=True),
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
