"""What a merge would do: which units and documents it takes, what both sides changed and an author has to settle."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from bookwright.app.branches.kinship import Kinship
from bookwright.models.document import Document, DocumentKind
from bookwright.models.errors import InvalidInput
from bookwright.models.text.diff import Merged, has_marks, merged, stretches
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.stores import Stores

OURS, THEIRS = "ours", "theirs"
"""How a conflict is settled, if not by words of its own."""

_MERGEABLE = (
    DocumentKind.PROSE, DocumentKind.DESIGN, DocumentKind.FINDINGS, DocumentKind.WRITERS_BRIEF, DocumentKind.SUMMARY,
    DocumentKind.BLURB,
)  # fmt: skip
"""Kinds that are text alone, so that two changes of one can be laid together."""


@dataclass(frozen=True)
class Conflict:
    """What both sides changed, so that only an author can say how it is to be."""

    place: str
    """How it is named when it is settled: `1.4`, or `1.4/summary` for what is no prose."""
    name: str
    """The node, for people."""
    kind: DocumentKind | None
    """None for a unit that both have remade, with all that is in it."""
    count: int
    """At how many passages they do not agree."""
    base: str
    ours: str
    theirs: str
    merged: str = ""
    """Both laid together, with marks where they do not agree; empty where no text can be made of them."""

    def stretches(self) -> list[tuple[str, str]]:
        """Return it as stretches of text, what stands here and what stands there; twice the same where they agree.

        What is no prose, or cannot be laid together, is one stretch.
        """
        if self.kind is not DocumentKind.PROSE or not self.merged:
            return [(self.ours, self.theirs)]
        found: list[tuple[str, str]] = []
        pairs = stretches(self.base, self.ours, self.theirs)
        for is_same, run in groupby(pairs, key=lambda pair: pair[0] == pair[1]):
            if is_same:
                found.append(("".join(mine for mine, _ in run),) * 2)
            else:
                found.extend(run)
        return found

    def settled(self, sides: Sequence[str]) -> str:
        """Return how it is settled by a side for each of its stretches that do not agree, in order.

        Raises:
            InvalidInput: A place was left open.
        """
        found = self.stretches()
        open_places = sum(mine != theirs for mine, theirs in found)
        if len(sides) != max(open_places, 1) or not set(sides) <= {OURS, THEIRS}:
            raise InvalidInput("At each place either the words that stand here are to stand, or those of the branch.")
        if len(found) == 1:
            return sides[0]
        left = iter(sides)
        return "".join(theirs if mine != theirs and next(left) == THEIRS else mine for mine, theirs in found)


@dataclass(frozen=True)
class TakeText:
    """A document that gets their words, or those that an author has settled on or that were made of both."""

    mine: TaskNode
    theirs: Document
    text: str
    ours: Document | None = None
    """The version of mine that is laid together with theirs; None where theirs is taken as it is."""


@dataclass(frozen=True)
class TakeUnits:
    """Units and tasks of theirs that come below a node of mine, in place of some of mine."""

    mine: TaskNode
    above: TaskNode
    """The node of theirs that mine stands for."""
    theirs: tuple[TaskNode, ...]
    replaced: tuple[TaskNode, ...] = ()


@dataclass
class MergePlan:
    """All of it, in reading order."""

    texts: list[TakeText] = field(default_factory=list)
    units: list[TakeUnits] = field(default_factory=list)
    rows: list[tuple[TaskNode, TaskNode]] = field(default_factory=list)
    """Nodes of mine that come to stand as theirs do."""
    conflicts: list[Conflict] = field(default_factory=list)
    """What nobody has settled yet."""
    settled: set[str] = field(default_factory=set)
    """Which choices were needed."""


class Planner:
    """Goes down both trees and notes what is to be taken."""

    def __init__(self, kin: Kinship, choices: Mapping[str, str], kind: DocumentKind | None = None) -> None:
        """Begin; `choices` settle conflicts by their places, `kind` takes that document of each node alone."""
        self._kin = kin
        self._choices = choices
        self._kind = kind
        self.plan = MergePlan()

    def unit(self, mine: TaskNode, theirs: TaskNode) -> None:
        """Note what is to be taken of a node that both have, and of all below it.

        Raises:
            InvalidInput: A text alone is to be taken where it stands in parts.
        """
        if self._kind is not None:
            if self._kind is DocumentKind.PROSE and self._kin.mine.nodes.child_units(mine.key):
                name = self._kin.mine.name_of(mine)
                raise InvalidInput(f"{name} has its text in parts; take one of them, or all of it without --kind")
            self._documents(mine, theirs)
            return
        units = self._children(mine, theirs)
        if units.replaced and self._has_moved_on(mine):
            choice = self._choice(mine, None, Merged(""), ("", _inside(mine), _inside(theirs)))
            if choice != THEIRS:
                return
        if units.theirs or units.replaced:
            self.plan.units.append(units)
        before = self._size
        self._documents(mine, theirs)
        shared = list(self._kin.shared_children(mine, theirs))
        for own, child in shared:
            self.unit(own, child)
        is_changed = bool(units.theirs or units.replaced) or self._size > before
        if is_changed and not self._goes_further(mine, theirs) and not self._stays_open(shared):
            self.plan.rows.append((mine, theirs))

    @property
    def _size(self) -> int:
        return len(self.plan.texts) + len(self.plan.units)

    def _children(self, mine: TaskNode, theirs: TaskNode) -> TakeUnits:
        """What they have put below a node, and what of mine that stands in the place of."""
        there = self._kin.theirs.nodes.children(theirs.key)
        new = tuple(child for child in there if self._kin.is_theirs_alone(child))
        shared = {child.label for child in there if not self._kin.is_theirs_alone(child)}
        only_mine = [child for child in self._kin.mine.nodes.children(mine.key) if child.label not in shared]
        is_remade = bool(new) or self._is_whole_there(mine, theirs, only_mine)
        return TakeUnits(mine, theirs, new, tuple(only_mine) if is_remade else ())

    def _is_whole_there(self, mine: TaskNode, theirs: TaskNode, parts: list[TaskNode]) -> bool:
        """Whether they have written in one piece, since the two parted, what is in parts here."""
        return any(part.is_unit for part in parts) and self._kin.has_changed(mine, theirs)

    def _has_moved_on(self, mine: TaskNode) -> bool:
        """Whether something of a unit was made or changed here since they were forked."""
        if self._kin.my_documents is None:
            return True
        below = list(with_all_below(mine, self._kin.mine))
        found = self._kin.mine.documents.of_nodes([node.key for node in below], *DocumentKind)
        newest = max((document.id for document in found), default=0)
        return newest > self._kin.my_documents or any(node.key > self._kin.my_nodes for node in below)

    def _goes_further(self, mine: TaskNode, theirs: TaskNode) -> bool:
        """Whether I have units below a node that they have not: then it stands as it stands here."""
        there = {child.label for child in self._kin.theirs.nodes.children(theirs.key)}
        return any(child.label not in there for child in self._staying(mine))

    def _stays_open(self, shared: Iterable[tuple[TaskNode, TaskNode]]) -> bool:
        """Whether one of some units that both have is closed there alone: what is above it is not to be closed here."""
        return any(
            own.is_unit and child.status is NodeStatus.DONE is not own.status and (own, child) not in self.plan.rows
            for own, child in shared
        )

    def _staying(self, mine: TaskNode) -> list[TaskNode]:
        """What of mine stays below a node."""
        replaced = {node.key for units in self.plan.units for node in units.replaced}
        return [child for child in self._kin.mine.nodes.children(mine.key) if child.key not in replaced]

    def _documents(self, mine: TaskNode, theirs: TaskNode) -> None:
        kinds = [self._kind] if self._kind else list(DocumentKind)
        for document in self._kin.theirs.documents.of_nodes([theirs.key], *kinds):
            if document.kind is not DocumentKind.PROSE or not any(one.is_unit for one in self._staying(mine)):
                self._document(mine, theirs, document)

    def _document(self, mine: TaskNode, theirs: TaskNode, their: Document) -> None:
        kind = their.kind
        ours, others = self._kin.versions(mine.key, theirs.key, kind)
        base = self._kin.base(ours, others)
        if base is not None and base.text_hash == their.text_hash:
            return
        if not ours or (base is not None and base.text_hash == ours[-1].text_hash):
            self.plan.texts.append(TakeText(mine, their, their.text))
            return
        own = self._kin.mine.documents.text_of(ours[-1])
        if own != their.text:
            self._both(mine, their, self._text(base), ours[-1].model_copy(update={"text": own}))

    def _both(self, mine: TaskNode, their: Document, base: str, ours: Document) -> None:
        """Both have changed a document: what does not touch is laid together, all else is the author's to settle.

        What is settled for mine is noted, too, so that the same is not asked again.
        """
        kind, own = their.kind, ours.text
        found = merged(base, own, their.text, is_by_line=kind is not DocumentKind.PROSE)
        if kind in _MERGEABLE and not found.conflicts:
            self.plan.texts.append(TakeText(mine, their, found.text, ours))
            return
        laid = found if kind in _MERGEABLE else Merged("", 1)
        choice = self._choice(mine, kind, laid, (base, own, their.text))
        if choice == THEIRS:
            self.plan.texts.append(TakeText(mine, their, their.text))
        elif choice is not None:
            self.plan.texts.append(TakeText(mine, their, own if choice == OURS else choice, ours))

    def _choice(
        self, mine: TaskNode, kind: DocumentKind | None, laid: Merged, sides: tuple[str, str, str]
    ) -> str | None:
        place = mine.label if kind in (None, DocumentKind.PROSE) else f"{mine.label}/{kind}"
        named = next((name for name in (place, mine.label, "all") if self._fits(name, place)), "")
        found = self._choices.get(named)
        if found is None or (found not in (OURS, THEIRS) and (kind not in _MERGEABLE or has_marks(found))):
            base, ours, theirs = sides
            count = max(laid.conflicts, 1)
            self.plan.conflicts.append(Conflict(place, mine.name, kind, count, base, ours, theirs, laid.text))
            return None
        self.plan.settled.add(named)
        return found

    def _fits(self, name: str, place: str) -> bool:
        """Whether something was chosen under a name that settles a place: words of one's own settle theirs alone."""
        return name in self._choices and (name == place or self._choices[name] in (OURS, THEIRS))

    def _text(self, document: Document | None) -> str:
        if document is None:
            return ""
        owner = self._kin.mine if document.book == self._kin.mine.book else self._kin.theirs
        return owner.documents.text_of(document)


def with_all_below(node: TaskNode, stores: Stores) -> Iterator[TaskNode]:
    """Yield a node and all that is below it."""
    yield node
    for child in stores.nodes.children(node.key):
        yield from with_all_below(child, stores)


def _inside(node: TaskNode) -> str:
    return f"{node.name}: {node.goal}"
