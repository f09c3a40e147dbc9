"""What of a book is stale: by the documents that were replaced, and by what an author changed in the codex."""

from collections.abc import Iterator

from bookwright.agents.relay.codex_then import CodexHistory, CodexThen
from bookwright.agents.relay.guarding import designed_in, read_by_then
from bookwright.agents.relay.touching import Making, Toucher
from bookwright.agents.workflows import LEAK_REVIEW
from bookwright.models.brief import Brief
from bookwright.models.codex_record import kind_of
from bookwright.models.codex_touch import Giveaway, Rewording, Touch
from bookwright.models.document import DocumentKind
from bookwright.models.staleness import Stale
from bookwright.models.step import Activity
from bookwright.storage.codex_uses import UnderCodex
from bookwright.storage.stores import Stores


class Staleness:
    """Looks for what is stale in one book, again and again while it is made anew.

    What the codex has to do with a document is found once for each state of the codex.
    """

    def __init__(self, brief: Brief) -> None:
        self._brief = brief
        self._toucher = Toucher(brief, (brief.prompt_language or brief.language).value)
        self._found: dict[tuple[int, int], tuple[Rewording, ...]] = {}

    def all(self, stores: Stores) -> list[Stale]:
        """Return everything that is stale, directly or not, in reading order."""
        return stores.staleness.all(self._rewordings(stores))

    def direct(self, stores: Stores) -> list[Stale]:
        """Return what is directly stale, in reading order."""
        return stores.staleness.direct(self._rewordings(stores))

    def giveaways(self, stores: Stores) -> list[Giveaway]:
        """Return the chapters that tell what an author has begun to keep since, in the order in which they were made.

        Nothing of their making is stale by that: there was nothing to keep then.
        """
        history = _history(stores)
        made = (one for one in stores.codex_uses.documents() if one.kind is DocumentKind.PROSE)
        return [found for one in made for found in self._giveaways(one, history, stores)] if history else []

    def _rewordings(self, stores: Stores) -> dict[int, tuple[Rewording, ...]]:
        history = _history(stores)
        if history is None:
            return {}
        newest = stores.codex.newest()
        for made in stores.codex_uses.documents():
            if (made.id, newest) not in self._found:
                self._found[made.id, newest] = tuple(self._rewordings_of(made, history, stores))
        return {document: found for (document, state), found in self._found.items() if state == newest and found}

    def _rewordings_of(self, made: UnderCodex, history: CodexHistory, stores: Stores) -> Iterator[Rewording]:
        known = _known(made, history)
        changed = history.changed_since(known)
        if not changed:
            return
        making, old = self._making(made, stores), history.at(known)
        for slot, record in changed.items():
            before, now = history.standing(slot, known), history.newest(slot)
            new = old.where(slot, record)
            touch = self._toucher.touch(making, slot, history.rows(slot), old, new)
            if touch is not None and before is not None:
                news = self._toucher.news(making, old, new) if touch is Touch.SHOWN else ()
                yield Rewording(*slot, before.version, now.version, now.is_removed, touch, news)

    def _giveaways(self, made: UnderCodex, history: CodexHistory, stores: Stores) -> Iterator[Giveaway]:
        fresh = history.added_since(_known(made, history))
        making = self._making(made, stores) if fresh else None
        for record in fresh:
            alone = CodexThen((record,), stores.codex.reading_order())
            if making is not None and self._toucher.gives_away(making, alone):
                yield Giveaway(made.label, kind_of(record), record.id)

    def _making(self, made: UnderCodex, stores: Stores) -> Making:
        node = stores.nodes.get(made.node)
        unit = node if node.unit is None else stores.nodes.get(node.unit)
        document = stores.documents.get(made.id)
        assert document is not None  # it was just listed
        calls = stores.codex_uses.calls_of(made.maker) if made.maker else []
        own = [call for call in calls if call.activity is not Activity.REVIEW]
        blocks = dict.fromkeys(key for call in own for key in call.blocks)
        use = stores.codex_uses.of(made.id)
        sources = (stores.documents.get(source) for source in stores.documents.inputs_of(made.id))
        briefs = [source.text for source in sources if source and source.kind is DocumentKind.WRITERS_BRIEF]
        return Making(
            at=unit.label,
            text=document.text,
            kind=made.kind,
            told=briefs[0] if briefs else unit.goal,
            cut_by=frozenset(use.cut_by if use else ()),
            prompts=tuple(stores.texts.get_many(blocks).values()),
            has_hints=bool(briefs),
            was_reviewed=any(call.step.partition(".")[0] == LEAK_REVIEW.name for call in calls),
            read=lambda: read_by_then(stores, self._brief, unit, made.id),
            designed=lambda: designed_in(stores),
        )


def _history(stores: Stores) -> CodexHistory | None:
    """Return all that the codex ever said; None where no author had a hand in it."""
    history = CodexHistory(stores.codex.every_version(), stores.codex.reading_order())
    return history if history.is_an_authors else None


def _known(made: UnderCodex, history: CodexHistory) -> int:
    return made.known if made.known is not None else history.known_at(made.made_at or 0.0)
