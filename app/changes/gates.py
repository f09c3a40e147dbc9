"""Gates: the text that a person reads before deciding, which gate is meant, and the decision on record."""

from collections.abc import Iterable, Iterator
from typing import Any

from bookwright.app.candidates import candidates_at
from bookwright.failpoints import Failpoint
from bookwright.models.document import DocumentKind
from bookwright.models.errors import GateNotFound
from bookwright.models.gate import Gate, GateKind, Refusal, Ruling
from bookwright.models.settings import Settings
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import TaskNode
from bookwright.storage.engine.database import Database
from bookwright.storage.repositories.gates import waiting_gates
from bookwright.storage.stores import BookStorage, Stores

_TASKS = (TaskType.DESIGN, TaskType.SEARCH)
_MOST_QUOTED = 3
_QUOTATION = ": “"


def subject(gate: Gate, stores: Stores) -> str:
    """Return what a gate is about with what was found about it, as one text to be read."""
    lines = reviews(gate, stores)
    said = ["What its reviews say:\n" + "\n".join(f"- {line}" for line in lines)] if lines else []
    found = refused(gate.refusals) if gate.kind is GateKind.HUMAN_FALLBACK else said
    return "\n\n".join([subject_text(gate, stores), *found])


def subject_text(gate: Gate, stores: Stores) -> str:
    """Return what a gate is about, without what was found about it."""
    node = stores.nodes.get(gate.node)
    match gate.kind:
        case GateKind.HUMAN_FALLBACK:
            return gate.draft
        case GateKind.OUTLINE:
            tasks = stores.nodes.children(node.key, *_TASKS)
            return "\n".join(f"{task.label} {task.task_type}: {_title(task)}{task.goal}" for task in tasks)
        case GateKind.CHAPTER | GateKind.UNIT:
            return stores.prose_of(node)
        case GateKind.CANDIDATES:
            return _drafts(node, stores)
    return _designs(node, stores)


def reviews(gate: Gate, stores: Stores) -> list[str]:
    """Return what reviews have left on record of a chapter that waits; nothing for gates of other kinds."""
    from bookwright.exports.report.judgements import review_lines  # whose models `status` does not need

    return review_lines(stores, stores.nodes.get(gate.node)) if gate.kind is GateKind.CHAPTER else []


def refused(refusals: Iterable[Refusal]) -> list[str]:
    """Return a paragraph for each refusal, oldest first; hits that differ by their words alone stand in one line."""
    return [
        f"Refusal {number}:\n" + "\n".join(f"- {line}" for line in grouped(refusal.reasons))
        for number, refusal in enumerate(refusals, 1)
    ]


def grouped(reasons: Iterable[str]) -> Iterator[str]:
    """Yield a line for each thing that was found, with how often, and the words of its first places."""
    groups: dict[str, list[str]] = {}
    for reason in reasons:
        what, mark, words = reason.partition(_QUOTATION)
        groups.setdefault(what, []).append(f"“{words}" if mark else "")
    for what, places in groups.items():
        quoted = list(dict.fromkeys(place for place in places if place))
        more = len(quoted) - _MOST_QUOTED
        times = f", {len(places)} times" if len(places) > 1 else ""
        shown = ", ".join(quoted[:_MOST_QUOTED]) + (f" and {more} more" if more > 0 else "")
        yield f"{what}{times}" + (f": {shown}" if shown else "")


def decide(gate: Gate, ruling: Ruling, storage: BookStorage) -> Gate:
    """Put a decision on record.

    Raises:
        GateDecided: Somebody was quicker.
    """
    with storage.write(Failpoint.DECIDE_GATE) as stores:
        return stores.gates.decide(gate.id, ruling)


def waiting_in(database: Database | None) -> list[Gate]:
    """Return the gates of all books that wait; none where no book was begun yet."""
    if database is None:
        return []
    with database.read() as connection:
        return waiting_gates(connection)


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


def _drafts(unit: TaskNode, stores: Stores) -> str:
    """What readers said of a unit's candidates, and all of them, each under its number."""
    choice = candidates_at(unit, stores).choice
    drafts = (f"Candidate {one.number}, {one.angle.told}:\n\n{one.text}" for one in choice.candidates)
    return "\n\n".join([choice.as_text, *drafts])


def _designs(unit: TaskNode, stores: Stores) -> str:
    """What was designed for a unit: the whole book's as it is kept, another's task by task."""
    whole = stores.documents.current(unit.key, DocumentKind.BOOK_DESIGN)
    if whole is not None:
        return whole.text
    tasks = stores.nodes.children(unit.key, *_TASKS)
    made = stores.documents.of_nodes([task.key for task in tasks], DocumentKind.DESIGN, DocumentKind.FINDINGS)
    titles = {task.key: f"{task.label} {_title(task)}{task.goal}" for task in tasks}
    return "\n\n".join(f"{titles[document.node]}\n\n{document.text}" for document in made)


def _title(task: TaskNode) -> str:
    return f"{task.title}: " if task.title else ""
