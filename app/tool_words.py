"""Says in one line, for an author, what an agent uses a tool for."""

import json

_PURPOSES = {
    "web_search": "searches the web", "fetch_page": "reads a page of the web",
    "search_story": "looks into the story so far", "search_designs": "looks into the designs",
    "search_references": "looks into what was found out before", "Read": "reads a file", "LS": "lists a folder",
    "Glob": "looks for files", "Grep": "searches the files", "Write": "writes a file",
    "Task": "gives a task to another agent",
}  # fmt: skip


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
