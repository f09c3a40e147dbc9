"""Whether a book can carry a command out: its nodes, gates and records are there, and its values can be meant."""

from typing import Any

from bookwright.app.access import OpenBook
from bookwright.app.orders.briefs import merged
from bookwright.app.places import find_node
from bookwright.models.codex.entries import folded
from bookwright.models.codex.record import RecordKind, neutral_names
from bookwright.models.errors import InvalidInput
from bookwright.models.talk.command import ChangeBrief, Command, EditEntry, EditSecret, EditThread, Resume
from bookwright.models.talk.trying_commands import CompareBranch
from bookwright.storage.branches.repository import BranchRepository
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
        if isinstance(command, EditSecret):
            command = command.model_copy(update={"secret": _secret(command.secret, stores)})
        stores.codex.get(kind, getattr(command, field))
        _check_changes(command, field)
    if isinstance(command, CompareBranch):
        command = command.model_copy(update={"branch": _branch(command.branch, opened.book.id, stores)})
    if (gate := getattr(command, "gate", None)) is not None:
        _check_gate(gate, stores)
    node = getattr(command, "node", None)
    return command if node is None else command.model_copy(update={"node": find_node(node, stores).label})


def _secret(named: str, stores: Stores) -> str:
    """Return the id of a secret that is called by it or by its neutral name; the message tells no id."""
    names = neutral_names(stores.codex.secrets())
    shown = {folded(name): identity for identity, name in names.items()}
    wanted = folded(f"secret-{named}" if named.isdecimal() else named)
    found = stores.codex.find(RecordKind.SECRET, named)
    identity = found.record.id if found else shown.get(wanted)
    if identity is None:
        those = f"the book has {', '.join(names.values())}" if names else "the book has none"
        raise ValueError(f"secret: there is no such secret; {those}")
    return identity


def _branch(named: str, book: str, stores: Stores) -> str:
    """Return the id of a branch of the same book that is called by its name or its id."""
    there = BranchRepository(stores.connection).family(book)
    wanted = folded(named)
    found = next((one.book for one in there if wanted in (folded(one.name), folded(one.book))), None)
    if found is None and named in {one.origin for one in there}:
        return named
    if found is None:
        those = f"it has {', '.join(repr(one.name) for one in there)}" if there else "it has none"
        raise ValueError(f"branch: the book has no such branch; {those}")
    return found


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
