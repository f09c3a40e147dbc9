"""Whether a book can carry a command out: its nodes, gates and records are there, and its values can be meant."""

from typing import Any

from bookwright.app.access import OpenBook
from bookwright.app.briefs import merged
from bookwright.app.places import find_node
from bookwright.models.codex.record import RecordKind
from bookwright.models.errors import InvalidInput
from bookwright.models.talk.command import (
    ChangeBrief,
    Command,
    EditEntry,
    EditSecret,
    EditThread,
    Resume,
)
from bookwright.storage.stores import Stores

_RECORDS: dict[type[Any], tuple[RecordKind, str]] = {
    EditEntry: (RecordKind.ENTRY, "entry"),
    EditSecret: (RecordKind.SECRET, "secret"),
    EditThread: (RecordKind.FORESHADOWING, "thread"),
}


def settled(command: Command, opened: OpenBook) -> Command:
    """Return a command with its node looked up.

    Raises:
        ValueError: The book cannot carry it out as it is; the message is for whoever named it.
    """
    try:
        with opened.storage.read() as stores:
            return _settled(command, opened, stores)
    except InvalidInput as error:
        raise ValueError(str(error)) from None


def _settled(command: Command, opened: OpenBook, stores: Stores) -> Command:
    if isinstance(command, ChangeBrief):
        merged(opened.book.brief, [command.assignment], None)
    if isinstance(command, Resume) and (command.until_level is None) != (command.until_count is None):
        raise ValueError("until_level and until_count go together")
    if type(command) in _RECORDS:
        kind, field = _RECORDS[type(command)]
        stores.codex.get(kind, getattr(command, field))
        _check_changes(command, field)
    if (gate := getattr(command, "gate", None)) is not None:
        _check_gate(gate, stores)
    node = getattr(command, "node", None)
    return command if node is None else command.model_copy(update={"node": find_node(node, stores).label})


def _check_changes(command: Command, field: str) -> None:
    """Make sure that something is to change; an edit without a change would open an editor."""
    given = command.model_dump(exclude_none=True, exclude={"verb", field})
    if ("section" in given) != ("text" in given):
        raise ValueError("section and text go together")
    if not given:
        raise ValueError("it names nothing to change")


def _check_gate(number: int, stores: Stores) -> None:
    waiting = [gate.id for gate in stores.gates.all() if gate.is_waiting]
    if number not in waiting:
        those = f"those that wait are {', '.join(map(str, waiting))}" if waiting else "none waits"
        raise ValueError(f"gate: no gate {number} of this book waits; {those}")
