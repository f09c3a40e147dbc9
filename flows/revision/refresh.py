"""Making anew what is directly stale, in reading order, and only that.

What a document came of is asked again in its own activity at a new revision of its node; prose is changed and not
told anew, unless that is wanted. What comes out as it was makes nothing stale. Which documents are left is asked of
the database after each, so that a refresh that was interrupted goes on by being started again.
"""

from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import chain

from bookwright.agents.context.materials import origin_of
from bookwright.agents.relay.secrets.guard import Guard
from bookwright.flows import task_work
from bookwright.flows.activities import close as closing
from bookwright.flows.activities.maintain import maintain
from bookwright.flows.activities.prose import brief as briefing
from bookwright.flows.activities.prose import write as writing
from bookwright.flows.activities.unit_facts import unit_of
from bookwright.flows.blueprints.pages import is_made_by_code, make_page
from bookwright.flows.deps import Deps
from bookwright.flows.revision.amend import AMENDED, Amendment, amend, recheck
from bookwright.flows.revision.revise import void_unfinished
from bookwright.flows.revision.staleness import Staleness
from bookwright.models.document import Document, DocumentKind, DocumentOrigin
from bookwright.models.staleness import Cause, Slot, StaleDocument
from bookwright.models.step import Activity, StepKey
from bookwright.models.text.prose import paragraphs, sentences
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.stores import Stores

AMENDED_KINDS = (DocumentKind.PROSE, DocumentKind.REVIEW, DocumentKind.BLURB)
"""Kinds that are changed rather than made anew: what is good in them is nowhere else."""

_ACTIVITIES: dict[Activity, Callable[[TaskNode, Deps], None]] = {
    Activity.EXECUTE: task_work.execute,
    Activity.AGGREGATE: task_work.aggregate,
    Activity.BRIEF: briefing.make_brief,
    Activity.WRITE: writing.write,
    Activity.CLOSE: closing.close,
    Activity.PUBLISH: closing.publish,
}

_MAINTAINED = (DocumentKind.BOOK_DESIGN, DocumentKind.GLOBAL_STATE)

_AT_THE_END = (DocumentKind.GLOBAL_STATE, DocumentKind.BLURB)
"""What comes last, in this order: all else is made again from the state of the story as it was before its place."""

_SHOWN_CHARACTERS = 4_000
"""Of what is new in one document; the whole of it stands in the context, as far as it bears on the task."""


@dataclass(frozen=True)
class Redone:
    """A document that was made anew."""

    document: Document
    is_changed: bool
    """False where it came out as it was."""


@dataclass(frozen=True)
class RefreshScope:
    """What a refresh is about."""

    label: str = "1"
    """Only documents of this node and of what is below it."""
    is_anew: bool = False
    """Write prose from its plan on, not as a revision of itself."""

    @property
    def options(self) -> tuple[str, ...]:
        """The options of the command line that mean this scope."""
        return (*((self.label,) if self.label != "1" else ()), *(("--anew",) if self.is_anew else ()))

    def holds(self, stale: StaleDocument) -> bool:
        """True for a document that is meant."""
        label = stale.document.label
        return self.label == "1" or label == self.label or label.startswith(f"{self.label}.")


def refresh(wanted: RefreshScope, deps: Deps, tell: Callable[[Redone], None]) -> list[Redone]:
    """Make what is directly stale anew, each document at most once; `tell` hears of each.

    Raises what any step does; what was done stays, and the next refresh goes on behind it.
    """
    done: dict[Slot, Redone] = {}
    looking = Staleness(deps.brief)
    while (stale := _next(wanted, done, looking, deps)) is not None:
        if not done:
            deps.desk.journal.move(lambda stores, _: void_unfinished(stores))
        if _tell_maintainers(deps, DocumentKind.BOOK_DESIGN) and stale.document.kind.is_running:
            continue  # it may have taken in just now what it was stale for
        redone = _redo(stale, wanted, deps)
        done[stale.document.slot] = redone
        tell(redone)
    if any(redone.is_changed for redone in done.values()):
        _tell_maintainers(deps, *_MAINTAINED)
    return list(done.values())


def _next(wanted: RefreshScope, done: Container[Slot], looking: Staleness, deps: Deps) -> StaleDocument | None:
    with deps.stores() as stores:
        waiting = sorted(filter(wanted.holds, looking.direct(stores)), key=_turn)
        own = (one for one in waiting if one.document.slot not in done and not is_left_to_walk(one, stores))
        return next(own, None)


def _turn(stale: StaleDocument) -> int:
    """Sort key: all in reading order, then the state of the story, then what is made from the newest state."""
    kind = stale.document.kind
    return 1 + _AT_THE_END.index(kind) if kind in _AT_THE_END else 0


def is_left_to_walk(stale: StaleDocument, stores: Stores) -> bool:
    """True for what the walk is about to make anew by itself."""
    node = stores.nodes.get(stale.document.node)
    return not stale.document.kind.is_running and node.status not in (NodeStatus.DONE, NodeStatus.WRITTEN)


def _redo(stale: StaleDocument, wanted: RefreshScope, deps: Deps) -> Redone:
    with deps.stores() as stores:
        node = stores.nodes.get(stale.document.node)
        old = stores.documents.get(stale.document.id)
    assert old is not None  # it was just found
    if old.kind.is_running:
        _take_in(stale.causes, old.kind, deps)
    else:
        _change(node, old, stale, wanted, deps)
    new = deps.document(node, old.kind, with_text=False)
    assert new is not None
    return Redone(new, new.text_hash != old.text_hash)


def _change(node: TaskNode, old: Document, stale: StaleDocument, wanted: RefreshScope, deps: Deps) -> None:
    if is_made_by_code(node, deps):
        make_page(node, deps)
        return
    maker = _maker_of(old, deps)
    is_amended = not _is_begun(node, old.kind, maker, deps) and _is_amended(old, maker, wanted, deps)
    if is_amended and (old.kind in AMENDED_KINDS or _order(stale, Guard.idle(), deps)):
        _amend(node, old, stale, deps)
    else:
        _make_again(node, old.kind, maker, deps)


def _maker_of(document: Document, deps: Deps) -> StepKey:
    """Return the step that a text came of; one that was taken up again came of what made it first."""
    with deps.stores() as stores:
        versions = {known.version: known for known in stores.documents.versions(document.node, document.kind)}
        while document.step is None and document.base in versions:
            document = versions[document.base]
        assert document.step is not None  # what an author wrote rests on nothing
        return stores.steps.asked(document.step).key


def _amend(node: TaskNode, old: Document, stale: StaleDocument, deps: Deps) -> None:
    """Carry the news into a text; one whose writer may know none of it is held against what is kept there now."""
    is_prose = old.kind is DocumentKind.PROSE
    guard = briefing.guard_of(unit_of(node, deps), deps) if is_prose else Guard.idle()
    order = _order(stale, guard, deps)
    replaced = {cause.old.id: cause.new.id for cause in stale.causes}
    if is_prose and not order:
        recheck(node, old, deps, guard, replaced)
    else:
        amend(node, old, Amendment(order, DocumentOrigin.REFRESH, tuple(replaced.values())), deps, guard)


def _is_amended(old: Document, maker: StepKey, wanted: RefreshScope, deps: Deps) -> bool:
    """True for what goes on from its present text; a weak model can only write anew."""
    is_anew = deps.profile.is_small or (old.kind is DocumentKind.PROSE and wanted.is_anew)
    return not is_anew and (old.kind in AMENDED_KINDS or maker.step.startswith(AMENDED))


def _make_again(node: TaskNode, kind: DocumentKind, maker: StepKey, deps: Deps) -> None:
    """Do a document's own activity at a new revision of its node; one that was begun so before goes on."""
    if _is_made_at(node, kind, deps):
        deps.desk.journal.move(lambda stores, _: stores.nodes.change(node.key, revision=node.revision + 1))
    node = deps.fresh(node)
    activity = _activity_of(kind, maker)
    deps.observer.run(activity, node, lambda: _ACTIVITIES[activity](node, deps))


def _activity_of(kind: DocumentKind, maker: StepKey) -> Activity:
    """The activity that makes a document anew; prose may have been accepted by a review of it."""
    return Activity.WRITE if kind is DocumentKind.PROSE else maker.activity


def _is_begun(node: TaskNode, kind: DocumentKind, maker: StepKey, deps: Deps) -> bool:
    """True if the activity that makes a document anew was interrupted before it came to it."""
    if _is_made_at(node, kind, deps):
        return False
    anew = {"revision": node.revision, "activity": _activity_of(kind, maker), "round": 0}
    with deps.stores() as stores:
        return bool(stores.steps.begun_beside(maker.model_copy(update=anew)))


def _is_made_at(node: TaskNode, kind: DocumentKind, deps: Deps) -> bool:
    """True if a version came of the node as it stands, be it the current one or one that another took the place of."""
    with deps.stores() as stores:
        steps = [version.step for version in stores.documents.versions(node.key, kind) if version.step is not None]
        keys = [stores.steps.asked(step).key for step in steps]
    return any((key.node, key.revision) == (node.key, node.revision) for key in keys)


def _take_in(causes: Iterable[Cause], kind: DocumentKind, deps: Deps) -> None:
    """Let a maintainer take in what was replaced; newer news that waits comes in with it."""

    def owe(stores: Stores, _: int) -> None:
        waiting = {document for _, waiting_kind, document in stores.queue.waiting() if waiting_kind is kind}
        for cause in causes:
            if cause.new.id not in waiting:
                stores.queue.add(kind, cause.new.id)

    deps.desk.journal.move(owe)
    _tell_maintainers(deps, kind)


def _tell_maintainers(deps: Deps, *kinds: DocumentKind) -> bool:
    """Let the maintainers take in what waits, if some of it is for one of those kinds; return whether some was."""
    with deps.stores() as stores:
        root = stores.nodes.root()
        waits = any(kind in kinds for _, kind, _ in stores.queue.waiting())
    if waits:
        maintain(root, deps)
    return waits


def _order(stale: StaleDocument, guard: Guard, deps: Deps) -> str:
    """Say what is new in the documents and records that a text rests on, as far as its writer may know it."""
    told = [guard.redact("\n".join(line for one in stale.rewordings for line in one.news))]
    with deps.stores() as stores:
        for cause in stale.causes:
            old, new = stores.documents.get(cause.old.id), stores.documents.get(cause.new.id)
            assert old is not None  # both were just found
            assert new is not None
            before, after = guard.redact(old.text), guard.redact(new.text)
            if after and after != before:
                heading = origin_of(stores.nodes.get(new.node), new.kind, deps.desk.locale)
                told.append(f"{heading}\n{_news(before, after)[:_SHOWN_CHARACTERS]}")
    return "\n\n".join(filter(None, told))


def _news(old: str, new: str) -> str:
    """Return the sentences of a text that an older one had not, in order; all of it where it only lost some."""
    before, after = _split(old), _split(new)
    blocks = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    fresh = (after[start:end] for tag, _, _, start, end in blocks if tag in ("insert", "replace"))
    return "\n".join(chain.from_iterable(fresh)) or new


def _split(text: str) -> list[str]:
    return [sentence for paragraph in paragraphs(text) for sentence in sentences(paragraph)]
