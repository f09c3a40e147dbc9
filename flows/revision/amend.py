"""Having a model change a document: by an author's note, or because what it rests on reads otherwise now."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

from bookwright.agents.relay.secrets.guard import Guard
from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.agents.steps.desk import step_key
from bookwright.agents.workflows import AMEND, AMEND_PROSE, LEAK_REVIEW
from bookwright.flows.activities.prose.brief import guard_of
from bookwright.flows.activities.prose.finish import UnitFinish
from bookwright.flows.activities.unit_facts import measured, unit_card, unit_of
from bookwright.flows.deps import Deps
from bookwright.flows.revision.revise import data_kept, store_version
from bookwright.models.document import CodexUse, Document, DocumentKind, DocumentOrigin, NewDocument
from bookwright.models.errors import InvalidInput
from bookwright.models.step import AMENDING_ROUNDS, Activity
from bookwright.models.text.length import TOLERANCE, is_off
from bookwright.models.tree.task import TaskNode
from bookwright.storage.repositories.texts import text_hash
from bookwright.storage.steps.journal import Move
from bookwright.storage.stores import Stores

_MAKERS = {
    DocumentKind.PROSE: (Activity.WRITE, "write_plan"),
    DocumentKind.DESIGN: (Activity.EXECUTE, "designer"),
    DocumentKind.FINDINGS: (Activity.EXECUTE, "researcher"),
    DocumentKind.WRITERS_BRIEF: (Activity.BRIEF, "write_plan"),
    DocumentKind.SUMMARY: (Activity.CLOSE, "evaluator"),
    DocumentKind.REVIEW: (Activity.CLOSE, "evaluator"),
    DocumentKind.BLURB: (Activity.PUBLISH, "questions"),
    DocumentKind.BOOK_DESIGN: (Activity.MAINTAIN, "maintainer"),
    DocumentKind.VOICE: (Activity.BRIEF, "designer"),
}
"""As which activity, and with whose budget, a document is looked at again: its maker's."""

AMENDED = "amend."
"""Begins the name of a step that changed a text; the version that it changed follows, and the order's key."""

_KEY_CHARACTERS = 8


@dataclass(frozen=True)
class Amendment:
    """How a document is to be changed."""

    order: str
    origin: DocumentOrigin
    rests_on: tuple[int, ...] = ()
    """Documents whose words stand in the order."""
    length: int | None = None
    """How long prose is to be, in the book's unit; about as long as it was planned if None."""

    def step_of(self, old: Document) -> str:
        """The name of the step that makes it: another order is another step."""
        said = f"{self.order} {self.length}" if self.length else self.order
        return f"{AMENDED}{old.version}.{text_hash(said)[:_KEY_CHARACTERS]}"


def amend(node: TaskNode, old: Document, wanted: Amendment, deps: Deps, guard: Guard | None = None) -> None:
    """Have a model change a document as ordered, in steps of its maker's; the last is recorded with the new version.

    Prose is reviewed like any draft, and its length is mended like any draft's. A note is kept as it was given.
    `guard` is that of a unit's prose, if the order went through it already.

    Raises:
        InvalidInput: Nothing of the order may be told to whoever writes there.
        NoResult, BookPaused, BackendError: As for any step.
    """
    node = _at_no_other_order(node, old, wanted.step_of(old), deps)
    run = _begin(node, old, deps, wanted, guard)
    run.add("text", old.text, is_prose=old.kind is DocumentKind.PROSE)
    if not run.guard.redact(wanted.order):
        raise InvalidInput(
            f"every sentence of the note says what is secret in {deps.named(node)}, so no writer may read it; nothing "
            f"was asked. `bookwright secrets list {node.book}` shows what is in force; say what readers are to see "
            "instead"
        )
    run.add("order", wanted.order)
    run.rests_on(*wanted.rests_on, old.id)
    deps.observer.run(_MAKERS[old.kind][0], node, partial(_amend, node, old, wanted, run, deps))


def recheck(node: TaskNode, old: Document, deps: Deps, guard: Guard, replaced: Mapping[int, int] = {}) -> None:
    """Review prose that stands against what is kept from readers now, and store what comes of it as a new version.

    `replaced` are inputs whose news its writer may not know, by the `guard`, with those in their place now. Raises
    `NoResult` if every sentence gives something away, and what any step does.
    """
    wanted = Amendment("", DocumentOrigin.REFRESH)
    node = _at_no_other_order(node, old, "", deps)
    run = _begin(node, old, deps, wanted, guard)
    with deps.stores() as stores:
        sources = tuple(replaced.get(source, source) for source in stores.documents.inputs_of(old.id))
        before = stores.codex_uses.of(old.id)

    def taken(text: str) -> Move:
        use = run.guard.use
        if use and before:  # most of it was made from prompts from which that was taken out
            use = replace(use, cut_by=(*before.cut_by, *use.cut_by))
        return _version_move(node, old, text, wanted, sources, use)

    finish = UnitFinish(run, deps, taken=taken)
    deps.observer.run(Activity.REVIEW, node, lambda: finish.recheck(old.text))


def _begin(node: TaskNode, old: Document, deps: Deps, wanted: Amendment, guard: Guard | None) -> ActivityRun:
    """Begin a change of a document in a round of its own, so that the steps that made it are not found again."""
    activity, context = _MAKERS[old.kind]
    unit = unit_of(node, deps)
    card = unit_card(unit, deps, None if node.is_unit else node)
    length = old.length
    if old.kind is DocumentKind.PROSE:
        length, guard = wanted.length or _planned_length(unit, old), guard or guard_of(unit, deps)
        unit = unit.model_copy(update={"length": length})
        card = measured(card, old.text, unit, deps)
    return ActivityRun(
        deps.desk, activity, node, unit, replace(card, ask_length=length, word_allowance=length), context=context,
        round_=AMENDING_ROUNDS + old.version, guard=guard,
    )  # fmt: skip


def _planned_length(unit: TaskNode, old: Document) -> int:
    """The unit's length, or that of its text where an author once gave it another."""
    planned = unit.length or old.length
    return old.length if is_off(planned, old.length, TOLERANCE) else planned


def _at_no_other_order(node: TaskNode, old: Document, step: str, deps: Deps) -> TaskNode:
    """Return the node, at a new revision where something else was begun with and not carried out.

    That is another order than that of `step` (none if it is empty), or this one before an author changed the codex:
    what was refused and filled under another codex fits no gap of today.
    """
    with deps.stores() as stores:
        begun = _begun(stores, node, old)
        is_outdated = stores.codex.author_changed_at() > min(begun.values(), default=math.inf)
    orders = {name for name in begun if name.startswith(AMENDED)}
    if begun and (is_outdated or orders != ({step} if step else set())):
        deps.desk.journal.move(lambda stores, _: stores.nodes.change(node.key, revision=node.revision + 1))
        return deps.fresh(node)
    return node


def _begun(stores: Stores, node: TaskNode, old: Document) -> dict[str, float]:
    """Return the steps on record by which a version is being changed, and when each was first answered."""
    key = step_key(_MAKERS[old.kind][0], node, AMENDED, AMENDING_ROUNDS + old.version)
    reviews = stores.steps.begun_beside(key.model_copy(update={"activity": Activity.REVIEW}))
    own = {name: first for name, first in reviews.items() if name.startswith(f"{LEAK_REVIEW.name}.")}
    return stores.steps.begun_beside(key) | (own if old.kind is DocumentKind.PROSE else {})


def _amend(node: TaskNode, old: Document, wanted: Amendment, run: ActivityRun, deps: Deps) -> None:
    def amended(text: str) -> Move:
        return _version_move(node, old, text, wanted, run.sources, run.guard.use)

    if old.kind is DocumentKind.PROSE:
        UnitFinish(run, deps, taken=amended).finish(AMEND_PROSE, str.strip, step=wanted.step_of(old))
    else:
        run.run(AMEND, lambda text: amended(text.strip()), step=wanted.step_of(old))


def _version_move(
    node: TaskNode, old: Document, text: str, wanted: Amendment, inputs: tuple[int, ...], use: CodexUse | None
) -> Move:
    """The move that puts a text in the place of an older one; what nobody has written anew keeps its step."""
    note = wanted.order if wanted.origin is DocumentOrigin.NOTE else ""

    def move(stores: Stores, step: int) -> None:
        new = NewDocument(
            node=node.key, kind=old.kind, text=text, data=data_kept(stores, old), inputs=inputs, codex=use,
            origin=wanted.origin, base=old.version, note=note,
        )  # fmt: skip
        store_version(stores, node, old, new, step or old.step)

    return move
