"""Gates in the walk: where it rests for a human, and what a decision makes of what was done.

The gate's row is the truth. A walk looks at it in the database and nowhere else, so a gate is where it was
after any crash; nothing but a decision that somebody made lets the walk pass. Source: DESIGN section 6.
"""

from functools import partial

from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.failpoints import Failpoint
from bookwright.flows.activities.extract import forget
from bookwright.flows.activities.unit_facts import orders_for, stands_for_chapter
from bookwright.flows.candidates.rule_matching import is_gate_at
from bookwright.flows.deps import Deps
from bookwright.models.document import DocumentKind
from bookwright.models.errors import GateWaiting
from bookwright.models.gate import Decider, FallbackHistory, Gate, GateKind, GateState, Ruling, Unattended
from bookwright.models.ruling import approval
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.prompts.render import render_order
from bookwright.storage.engine.database import Database
from bookwright.storage.repositories.gates import GateRepository
from bookwright.storage.stores import Stores

_TASKS = (TaskType.DESIGN, TaskType.SEARCH)
_TEXTS = (GateKind.CHAPTER, GateKind.UNIT, GateKind.CANDIDATES)
"""What these are about is a text: rejected, it is written anew."""


def settle(deps: Deps) -> None:
    """Make a new revision of what was rejected since the last walk; raise `GateWaiting` while a gate still waits."""
    with deps.stores() as stores:
        unsettled = stores.gates.unsettled()
    for gate in unsettled:
        if gate.state is GateState.REJECTED:
            deps.desk.journal.move(partial(_set_back, gate, deps), Failpoint.SETTLE_GATE)
        elif not _is_for_brief(gate.kind, deps):
            raise GateWaiting(gate)


def rest_if_waiting(deps: Deps) -> None:
    """Raise `GateWaiting` if the step just recorded has opened a gate; asks nothing where the brief names none."""
    if not deps.brief.gates:
        return
    with deps.stores() as stores:
        unsettled = stores.gates.unsettled()
    if unsettled:
        raise GateWaiting(unsettled[0])


def open_outline(unit: TaskNode, stores: Stores, deps: Deps) -> None:
    """Open the gate of the book's first plan, in the transaction that is about to record the plan."""
    is_first = unit.parent is None and not (unit.planning_round or stores.nodes.child_units(unit.key))
    if is_first and GateKind.OUTLINE in deps.brief.gates:
        stores.gates.open(unit, GateKind.OUTLINE)


def asked_at_close(unit: TaskNode, deps: Deps) -> GateKind | None:
    """Return which gate a unit opens that is about to be closed; one that was closed before was decided on."""
    if unit.status is NodeStatus.DONE or not deps.brief.gates:
        return None
    is_chapter = stands_for_chapter(unit, deps)
    if (is_chapter and GateKind.CHAPTER in deps.brief.gates) or is_gate_at(unit, deps):
        return GateKind.CHAPTER if is_chapter else GateKind.UNIT
    return None


def pass_candidates(unit: TaskNode, preferred: str, deps: Deps) -> Ruling | None:
    """Return what the author decided on a unit's drafts, with the text that is to go on; None where they want no gate.

    Raises:
        GateWaiting: They have not decided yet.
    """
    is_asked = GateKind.CANDIDATES in deps.brief.gates
    if not is_asked and _find(unit, GateKind.CANDIDATES, 1, deps) is None:
        return None
    return passed(unit, GateKind.CANDIDATES, deps, FallbackHistory(draft=preferred)).ruling


def asked_of_design(unit: TaskNode, deps: Deps) -> GateKind | None:
    """Return which gate a unit's design opens, if that is to be looked at before anything is made of it."""
    kind = GateKind.BOOK_DESIGN if unit.parent is None else GateKind.VOLUME_DESIGN
    has_design = unit.parent is None or unit.level is Level.VOLUME
    if not has_design or kind not in deps.brief.gates or unit.status is not NodeStatus.OPEN:
        return None
    with deps.stores() as stores:
        return None if stores.nodes.child_units(unit.key) else kind


def passed(unit: TaskNode, kind: GateKind, deps: Deps, history: FallbackHistory | None = None) -> Gate:
    """Return a gate that was approved, opening it if it is not there; raise `GateWaiting` until it is."""
    gate = _opened(unit, kind, 1, history, deps)
    if gate.state is not GateState.APPROVED:
        raise GateWaiting(gate)
    return gate


def human_fallback(unit: TaskNode, deps: Deps, history: FallbackHistory, number: int = 1) -> Ruling:
    """Ask a human about a draft that was refused as often as it may be revised without one.

    Returns what was decided: the text to accept, or the note under which the draft is to be revised. Where that
    revision is refused, too, call it with the next `number`; after a restart the walk gets what was decided for it.

    Raises:
        GateWaiting: Nobody has decided, and the brief wants to wait.
    """
    gate = _opened(unit, GateKind.HUMAN_FALLBACK, number, history, deps)
    if gate.is_waiting and _is_for_brief(gate.kind, deps):
        ruling = approval(gate, Decider.BRIEF)
        deps.desk.journal.move(lambda stores, _: _decide(stores, gate, ruling), Failpoint.DECIDE_GATE)
        gate = _opened(unit, GateKind.HUMAN_FALLBACK, number, history, deps)
    if gate.is_waiting:
        raise GateWaiting(gate)
    return gate.ruling


def show_rejected(kind: GateKind, run: ActivityRun, deps: Deps) -> None:
    """Put what the author has rejected before the steps that do it again; nothing where that is the first time."""
    if run.unit.revision == 1 or run.is_small:
        return
    with deps.stores() as stores:
        work = stores.gates.rejected_work(run.unit, *(_TEXTS if kind in _TEXTS else (kind,)))
    if work:
        run.add("rejected", work, is_prose=True)


def show_order(run: ActivityRun, deps: Deps) -> None:
    """Put what the author ordered on rejecting a text before the steps; a weak model has it on its card."""
    orders = () if run.is_small else orders_for(run.unit, deps)
    if orders:
        run.add("order", "\n".join(render_order(note, deps.desk.locale) for note in orders), is_prose=True)


def still_waits(gate: Gate, database: Database) -> bool:
    """True while nobody has decided on a gate."""
    with database.read() as connection:
        return GateRepository(connection, gate.book).is_waiting(gate.id)


def _opened(unit: TaskNode, kind: GateKind, number: int, history: FallbackHistory | None, deps: Deps) -> Gate:
    """Return a gate as it stands, opening it if it is not there."""
    if (gate := _find(unit, kind, number, deps)) is None:
        deps.desk.journal.move(lambda stores, _: stores.gates.open(unit, kind, number, history), Failpoint.OPEN_GATE)
        gate = _find(unit, kind, number, deps)
    assert gate is not None
    return gate


def _find(unit: TaskNode, kind: GateKind, number: int, deps: Deps) -> Gate | None:
    with deps.stores() as stores:
        return stores.gates.find(unit, kind, number)


def _decide(stores: Stores, gate: Gate, ruling: Ruling) -> None:
    if stores.gates.is_waiting(gate.id):  # else a person was quicker
        stores.gates.decide(gate.id, ruling)


def _is_for_brief(kind: GateKind, deps: Deps) -> bool:
    """True for a gate that the brief decides by itself; never one that it asked for by name."""
    return kind is GateKind.HUMAN_FALLBACK and deps.brief.unattended is Unattended.ACCEPT


def _set_back(gate: Gate, deps: Deps, stores: Stores, step: int) -> None:
    """Make a newer revision of what was rejected, with the note as an order; only that is done again."""
    unit = stores.nodes.get(gate.node)
    if unit.revision != gate.revision:
        stores.gates.settle(gate, "")  # it was done again for another reason since
        return
    order = render_order(gate.note, deps.desk.locale)
    if gate.kind is GateKind.OUTLINE:
        work = _take_plan_back(unit, order, stores)
    elif gate.kind in _TEXTS:
        work = _take_text_back(unit, order, stores, step) or gate.draft
    else:  # what is designed stays in view; what the new rounds design is newer and wins
        stores.nodes.revise(unit, order, planning_round=0, decided_round=0, decision=None)
        work = ""
    stores.gates.settle(gate, work)


def _take_plan_back(unit: TaskNode, order: str, stores: Stores) -> str:
    """Drop the tasks that were planned; the round is planned anew."""
    tasks = stores.nodes.replace_below(unit.key, *_TASKS, only_planned=True)
    stores.nodes.revise(unit, order, planning_round=0, decided_round=0, decision=None, open_points=())
    return "\n".join(f"- {task.title}: {task.goal}" if task.title else f"- {task.goal}" for task in tasks)


def _take_text_back(unit: TaskNode, order: str, stores: Stores, step: int) -> str:
    """Open a closed unit again: its parts are replaced, its design and its decision stand; the codex forgets it."""
    forget(unit, stores, step)
    parts = stores.nodes.replace_below(unit.key, TaskType.WRITE)
    told = stores.documents.current(unit.key, DocumentKind.SUMMARY if parts else DocumentKind.PROSE)
    stores.queue.withdraw([unit.key, *(part.key for part in parts)])
    stores.nodes.add_written(unit, -unit.written)
    stores.nodes.revise(unit, order, status=NodeStatus.OPEN.value, outline=())
    return told.text if told else ""
