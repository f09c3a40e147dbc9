"""Carrying a merge out: units are grafted, documents get new versions, what the maintainers are owed is told again."""

from collections.abc import Iterable, Iterator

from sqlalchemy import select

from bookwright.app.branches.kinship import Kinship
from bookwright.app.branches.merge_plan import MergePlan, TakeText, TakeUnits
from bookwright.flows.revision.revise import void_unfinished
from bookwright.models.document import CodexUse, Document, DocumentKind, DocumentOrigin, NewDocument
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.branches.merge_rows import graft, set_aside, stand_as
from bookwright.storage.repositories.taking_back import take_back
from bookwright.storage.tables import maintenance


class MergeApplication:
    """One merge, in one transaction."""

    def __init__(self, kin: Kinship, note: str) -> None:
        """Begin; `note` says in the history of documents where they come from."""
        self._kin = kin
        self._note = note
        self._nodes: dict[int, TaskNode] = {}
        """Nodes of mine by the keys of those of theirs that they stand for."""
        self._made: dict[int, int] = {}
        """Documents of mine by the ids of theirs that were taken."""
        self._alike: dict[int, int] = {}
        """Documents of mine by the ids of theirs that read the same, or stood beside what was taken."""
        self._changed: dict[int, Document] = {}
        """Of these, what took another text's place."""
        self._grafted: set[int] = set()
        """Nodes that came over whole, and count as written what they had there."""
        self._untold: set[str] = set()

    def do(self, plan: MergePlan) -> list[str]:
        """Take all that is planned; return the ids of entries of which only prose that was replaced told something."""
        void_unfinished(self._kin.mine)
        self._pair(self._kin.mine.nodes.root(), self._kin.theirs.nodes.root())
        taken = [version for one in plan.texts for version in self._versions(one)]
        for units in plan.units:
            self._replace(units)
            for node in units.theirs:
                taken += self._graft(node, units.mine)
                if node.written:
                    self._kin.mine.nodes.add_written(units.mine, node.written)
            self._set_aside(units)
        for mine, theirs in plan.rows:
            stand_as(self._kin.mine.connection, mine, theirs)
        for one in sorted(taken, key=lambda one: one.theirs.id):
            self._take(one)
        self._owe()
        for one in taken:
            if one.theirs.kind is DocumentKind.PROSE:
                self._untold.update(take_back(self._kin.mine, one.mine, None, only_replaced=True))
        return sorted(self._untold)

    def _pair(self, mine: TaskNode, theirs: TaskNode) -> None:
        self._nodes[theirs.key] = mine
        for own, child in self._kin.shared_children(mine, theirs):
            self._pair(own, child)

    def _replace(self, units: TakeUnits) -> None:
        stores = self._kin.mine
        for node in units.replaced:
            gone = [node, *stores.nodes.replace_below(node.key)]
            stores.nodes.change(node.key, status=NodeStatus.VOID.value)
            stores.queue.withdraw(one.key for one in gone)
            if node.written:
                stores.nodes.add_written(units.mine, -node.written)
            if node.is_unit:
                self._untold.update(take_back(stores, node, None))

    def _set_aside(self, units: TakeUnits) -> None:
        """Put away the text of a unit that comes to have it in parts, with all that was made for that text."""
        stores = self._kin.mine
        own = stores.documents.of_nodes([units.mine.key], *DocumentKind)
        there = {one.kind for one in self._kin.theirs.documents.of_nodes([units.above.key], *DocumentKind)}
        gone = {one.kind: one for one in own if one.kind not in there}
        if DocumentKind.PROSE in gone and any(node.is_unit for node in units.theirs):
            stores.nodes.add_written(units.mine, -gone[DocumentKind.PROSE].length)
            set_aside(stores.connection, units.mine, gone)

    def _graft(self, theirs: TaskNode, parent: TaskNode) -> list[TakeText]:
        """Graft a node with all below it; return its documents, which are yet to be taken."""
        stores = self._kin.mine
        unit = self._nodes[theirs.unit].key if theirs.unit else None
        mine = stores.nodes.get(graft(stores.connection, theirs, parent, unit))
        self._nodes[theirs.key] = mine
        self._grafted.add(mine.key)
        found = self._kin.theirs.documents.of_nodes([theirs.key], *DocumentKind)
        texts = (TakeText(mine, document, document.text) for document in found)
        taken = [version for one in texts for version in self._versions(one)]
        for child in self._kin.theirs.nodes.children(theirs.key):
            taken += self._graft(child, mine)
        return taken

    def _versions(self, one: TakeText) -> Iterator[TakeText]:
        """All versions of theirs that are new here, the last of them as it is taken: what rests on one finds it."""
        ours, versions = self._kin.versions(one.mine.key, one.theirs.node, one.theirs.kind)
        known = {version.text_hash for version in ours}
        common = max((version.version for version in versions if version.text_hash in known), default=0)
        for version in versions:
            if version.version > common and (one.ours is not None or version.id != one.theirs.id):
                yield TakeText(one.mine, version, self._kin.theirs.documents.text_of(version))
        yield one

    def _origin(self, one: TakeText, before: Document | None) -> DocumentOrigin:
        """An author's words stay theirs, and what was only put right makes nothing stale here either."""
        their = one.theirs
        if one.ours is not None or their.origin not in (DocumentOrigin.AUTHOR, DocumentOrigin.REPAIR):
            return DocumentOrigin.MERGE
        if their.origin is DocumentOrigin.AUTHOR or before is None:
            return DocumentOrigin.AUTHOR if before is not None else DocumentOrigin.MERGE
        earlier = self._kin.theirs.documents.versions(their.node, their.kind)[their.version - 2]
        return DocumentOrigin.REPAIR if earlier.text_hash == before.text_hash else DocumentOrigin.MERGE

    def _take(self, one: TakeText) -> None:
        stores, their = self._kin.mine, one.theirs
        before = stores.documents.current(one.mine.key, their.kind, with_text=False)
        inputs = tuple(dict.fromkeys(filter(None, (self._input(key) for key in self._inputs(one)))))
        data = stores.documents.data_of(one.ours) if one.ours else self._kin.theirs.documents.data_of(their)
        new = NewDocument(
            node=one.mine.key, kind=their.kind, text=one.text, data=data, inputs=inputs,
            origin=self._origin(one, before), base=before.version if before else None, note=self._note,
            codex=self._use(their),
        )  # fmt: skip
        made = stores.documents.add(new, None)
        self._made[their.id] = made.id
        counts = their.kind is DocumentKind.PROSE or (before is not None and one.mine.written and not one.mine.is_unit)
        if counts and one.mine.key not in self._grafted:
            stores.nodes.add_written(one.mine, made.length - (before.length if before else 0))
        if before is not None and before.text_hash != made.text_hash:
            self._changed[their.id] = made

    def _inputs(self, one: TakeText) -> Iterable[int]:
        """What a document rests on: what theirs did; words made of both, on what mine did as well."""
        if one.ours is not None:
            self._alike |= {key: key for key in self._kin.mine.documents.inputs_of(one.ours.id)}
            yield from self._kin.mine.documents.inputs_of(one.ours.id)
        if one.ours is None or one.text != one.ours.text:
            yield from self._kin.theirs.documents.inputs_of(one.theirs.id)

    def _input(self, identity: int) -> int | None:
        """The version of mine that reads as one of theirs; what I never had becomes a version that I had once."""
        if known := self._made.get(identity, self._alike.get(identity)):
            return known
        stores, theirs = self._kin.mine, self._kin.theirs.documents.get(identity)
        node = self._nodes.get(theirs.node) if theirs else None
        if theirs is None or node is None:
            return None
        alike = [one for one in stores.documents.versions(node.key, theirs.kind) if one.text_hash == theirs.text_hash]
        if not alike and not theirs.kind.is_running:
            alike = list(self._seen_once(node, theirs))
        if alike:
            self._alike[identity] = alike[-1].id
        return self._alike.get(identity)

    def _seen_once(self, node: TaskNode, theirs: Document) -> Iterator[Document]:
        """Note a text that is not taken as a version, and take up again what stands: what rests on it is stale."""
        documents = self._kin.mine.documents
        current = documents.current(node.key, theirs.kind)
        if current is None:
            return
        note = f"{self._note}: read there, not taken"
        data = self._kin.theirs.documents.data_of(theirs)
        yield documents.add(
            NewDocument(node=node.key, kind=theirs.kind, text=theirs.text, data=data, origin=DocumentOrigin.MERGE,
                        base=current.version, note=note), None,
        )  # fmt: skip
        documents.add(
            NewDocument(
                node=node.key, kind=current.kind, text=current.text, data=documents.data_of(current),
                inputs=tuple(documents.inputs_of(current.id)), origin=DocumentOrigin.RESTORE, base=current.version,
                codex=self._kin.mine.codex_uses.of(current.id),
            ), None,
        )  # fmt: skip

    def _use(self, their: Document) -> CodexUse | None:
        """What the codex was to a document: the newest of mine that says what theirs said then."""
        if self._kin.theirs.codex_uses.of(their.id) is None:
            return None
        known = self._kin.known_record()
        return CodexUse(known, ()) if known else None

    def _owe(self) -> None:
        """Owe the maintainers a look at what theirs were owed one at, as far as it is new here."""
        stores = self._kin.mine
        rows = stores.connection.execute(
            select(maintenance.c.kind, maintenance.c.document, maintenance.c.is_applied)
            .where(maintenance.c.book == self._kin.theirs.book, maintenance.c.document.in_(list(self._made)))
            .order_by(maintenance.c.id)
        ).all()
        running = set(self._made.values())
        for kind, document, is_applied in rows:
            latest = stores.documents.latest(DocumentKind(kind))
            if not (is_applied and latest is not None and latest.id in running):
                stores.queue.add(DocumentKind(kind), self._made[document])
        told = {row.document for row in rows}
        for theirs, made in self._changed.items():
            if theirs not in told:
                stores.queue.add_again(made)
