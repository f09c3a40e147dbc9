"""Numbers, money and times as people read them, and what an agent uses a tool for, in one line."""

import json
from datetime import datetime
from decimal import Decimal

_PURPOSES = {
    "web_search": "searches the web", "fetch_page": "reads a page of the web",
    "search_story": "looks into the story so far", "search_designs": "looks into the designs",
    "search_references": "looks into what was found out before", "Read": "reads a file", "LS": "lists a folder",
    "Glob": "looks for files", "Grep": "searches the files", "Write": "writes a file",
    "Task": "gives a task to another agent",
}  # fmt: skip


def counted(number: int, noun: str) -> str:
    """`1 file`, `1,204 files`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def stale_count(number: int) -> str:
    """`1 document is directly stale`, `3 documents are directly stale`."""
    return f"{counted(number, 'document')} {'is' if number == 1 else 'are'} directly stale"


def money(micros: int | None) -> str:
    """Show millionths of a dollar as `dollars` does; None where no price is known."""
    return "price unknown" if micros is None else dollars(micros / 1_000_000)


def dollars(usd: float) -> str:
    """Show US dollars: `"$12.30"`, four places below one, and two digits of what these would show as nothing."""
    if 0 < usd < 0.0001:
        return f"${Decimal(f'{usd:.2g}'):f}"
    return f"${usd:,.2f}" if usd >= 1 or usd == 0 else f"${usd:.4f}"


def tokens(count: int) -> str:
    """Show a count of tokens in three digits or so: `"812"`, `"1.2k"`, `"3.4M"`."""
    for factor, suffix in ((1_000_000, "M"), (1_000, "k")):
        if count >= factor:
            return f"{count / factor:.1f}{suffix}"
    return str(count)


def moment(seconds: float | None) -> str:
    """Show a time since 1970 in the local time zone, to the minute; nothing where it is not known."""
    return "" if seconds is None else datetime.fromtimestamp(seconds).strftime("%Y-%m-%d %H:%M")


def duration(seconds: float) -> str:
    """Show a span of time in its two largest units: `"3 h 20 min"`."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    if days:
        return f"{days} d {hours} h"
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def tool_use_in_words(tool: str, arguments: str) -> str:
    """Say what a tool is used for: `web_search searches the web: lamps 1890`, of arguments only what they hold."""
    purpose = _PURPOSES.get(tool)
    told = f"{tool} {purpose}" if purpose else f"uses {tool}"
    given = " ".join(_held(arguments).split())
    return f"{told}: {given}" if given else told


def _held(arguments: str) -> str:
    try:
        given = json.loads(arguments, strict=False)
    except (ValueError, RecursionError):
        return arguments
    return ", ".join(str(value) for value in given.values()) if isinstance(given, dict) else str(given)
