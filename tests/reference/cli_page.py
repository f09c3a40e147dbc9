"""The part of docs/cli.md that is made from the code: every verb with its arguments and options."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bookwright.cli.verbs import VERBS, load

PAGE = Path(__file__).parents[2] / "docs/cli.md"
BEGINS = "<!-- Made from the code by `make reference`: what stands below is not written by hand. -->\n"


def page_text(page: str) -> str:
    """Return the page with its made part as the code has it now."""
    return page.partition(BEGINS)[0].rstrip() + "\n\n" + BEGINS + "\n" + "\n".join(_lines()).rstrip() + "\n"


def _lines() -> Iterator[str]:
    yield "## Every verb and option"
    for title, verbs in VERBS.items():
        yield f"\n### {title}"
        for name in verbs:
            yield from _verb(name, load(name))


def _verb(name: str, command: Any) -> Iterator[str]:
    parts = getattr(command, "commands", None)
    if parts is None:
        yield from _one(name, command)
        return
    if any(parameter.opts for parameter in command.params):
        yield from _one(name, command)
    for part, own in parts.items():
        yield from _one(f"{name} {part}", own)


def _one(name: str, command: Any) -> Iterator[str]:
    arguments = [own for own in command.params if not own.opts[0].startswith("-")]
    yield f"\n#### `{' '.join(['bookwright', name, *map(_argument, arguments)])}`\n"
    yield " ".join((command.help or "").split())
    told = [own for own in command.params if own.help and not getattr(own, "hidden", False)]
    if told:
        yield "\n| | |\n| --- | --- |"
        yield from (f"| `{_named(own)}` | {_help(own)} |" for own in told)


def _argument(own: Any) -> str:
    return str(own.metavar or own.name.upper()) + ("..." if own.nargs == -1 else "")


def _named(own: Any) -> str:
    if not own.opts[0].startswith("-"):
        return _argument(own)
    names = ", ".join([*own.opts, *own.secondary_opts])
    if own.is_flag:
        return names
    return f"{names} {own.metavar or own.name.upper()}"


def _help(own: Any) -> str:
    words = " ".join(own.help.split()).replace("|", "\\|")
    default = getattr(own, "default", None)
    shows = isinstance(default, (str, int, float)) and not isinstance(default, bool) and default != ""
    return f"{words} (`{default}` if not given)" if shows else words
