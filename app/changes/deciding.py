"""Deciding about gates: which one is meant, and the decision on record."""

from typing import Any

from bookwright.failpoints import Failpoint
from bookwright.models.errors import GateNotFound
from bookwright.models.gate import Gate, Ruling
from bookwright.models.settings import Settings
from bookwright.storage.stores import BookStorage


def decide(gate: Gate, ruling: Ruling, storage: BookStorage) -> Gate:
    """Put a decision on record.

    Raises:
        GateDecided: Somebody was quicker.
    """
    with storage.write(Failpoint.DECIDE_GATE) as stores:
        return stores.gates.decide(gate.id, ruling)


def start_again(gate: Gate, settings: Settings) -> str:
    """Start the book again where a worker of a Prefect server writes it; return in words what was done."""
    from bookwright.flows.prefect.server import known_server

    api = known_server(settings)
    if api is None:
        return ""
    from bookwright.flows.prefect import suspension as prefect_gates  # Prefect takes a second to import

    return prefect_gates.go_on(gate, api)


def chosen_gate(gates: list[Gate], name: str | None, book: str) -> Gate:
    """Return the gate that is meant: by its number any, else the one that waits.

    Raises:
        GateNotFound: There is none, or more than one.
    """
    if name is not None and name.isdecimal() and any(gate.id == int(name) for gate in gates):
        return next(gate for gate in gates if gate.id == int(name))
    waiting = [gate for gate in gates if gate.is_waiting and name in (None, gate.kind, gate.label)]
    if len(waiting) == 1:
        return waiting[0]
    if waiting:
        raise GateNotFound(f"more than one gate of {book!r} waits: {', '.join(gate.name for gate in waiting)}")
    what = "no gate" if name is None else f"no gate {name!r}"
    raise GateNotFound(f"{what} of book {book!r} waits; `bookwright gates {book}` lists them")


def facts_of(gate: Gate) -> dict[str, Any]:
    """A gate as JSON."""
    facts: dict[str, Any] = {
        "gate": gate.id, "book": gate.book, "kind": gate.kind.value, "node": gate.label, "node_title": gate.title,
        "revision": gate.revision, "state": gate.state.value, "note": gate.note, "by": gate.by and gate.by.value,
        "has_own_text": bool(gate.text), "refusals": [list(refusal.reasons) for refusal in gate.refusals],
        "last_issues": list(gate.last_issues),
        "created_at": gate.created_at, "decided_at": gate.decided_at, "told_at": gate.told_at, "notice": gate.notice,
    }  # fmt: skip
    if gate.is_waiting:
        facts["approve"] = f"bookwright approve {gate.book} {gate.id}"
        facts["reject"] = f'bookwright reject {gate.book} {gate.id} --note "..."'
    return facts
