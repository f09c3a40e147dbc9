"""Finds what of a book is stale: because documents were replaced, or an author changed the codex."""

from collections.abc import Callable, Iterator
from functools import cache

from bookwright.agents.relay.history.codex_staleness import Making, RecordChange, StalenessTest
from bookwright.agents.relay.history.codex_then import CodexHistory, CodexThen, RecordSlot
from bookwright.agents.relay.history.relevance import RecordLinks
from bookwright.models.brief import Brief
from bookwright.models.codex.record import Record, RecordKind, kind_of
from bookwright.models.document import DocumentKind
from bookwright.models.staleness import Giveaway, Rewording, StaleDocument, Touch
from bookwright.storage.repositories.staleness import UnderCodex
from bookwright.storage.stores import Stores

_State = tuple[int, int]
"""The row of an author's last word in the codex, and how many chapters there are."""


class Staleness:
    """Looks for what is stale in one book, again and again while it is made anew.

    What the codex has to do with a document is found once for each state in which an author left the codex.
    """

    def __init__(self, brief: Brief) -> None:
        self._brief = brief
        self._test = StalenessTest(brief, brief.prompt_locale)
        self._found: dict[tuple[int, _State], tuple[Rewording, ...]] = {}
        self._read: tuple[object, CodexHistory, RecordLinks] | None = None

    def all(self, stores: Stores) -> list[StaleDocument]:
        """Return everything that is stale, directly or not, in reading order."""
        return stores.staleness.all(self._rewordings(stores))

    def direct(self, stores: Stores) -> list[StaleDocument]:
        """Return what is directly stale, in reading order."""
        return stores.staleness.direct(self._rewordings(stores))

    def giveaways(self, stores: Stores) -> list[Giveaway]:
        """Return the chapters that tell what an author has begun to keep since, in the order in which they were made.

        Nothing of their making is stale by that: there was nothing to keep then.
        """
        history, _ = self._history(stores)
        if not history.is_an_authors:
            return []
        made = (one for one in stores.codex_uses.documents() if one.kind is DocumentKind.PROSE)
        return [found for one in made for found in self._giveaways(one, history, stores)]

    def _history(self, stores: Stores) -> tuple[CodexHistory, RecordLinks]:
        """Read all that the codex ever said, again where it says more or there are more chapters."""
        reading = stores.codex.reading_order()
        state = (stores.codex.last_row(), reading)
        if self._read is None or self._read[0] != state:
            history = CodexHistory(stores.codex.every_version(), reading)
            self._read = (state, history, RecordLinks(history))
        return self._read[1:]

    def _rewordings(self, stores: Stores) -> dict[int, tuple[Rewording, ...]]:
        history, links = self._history(stores)
        if not history.is_an_authors:
            return {}
        state = (history.said, len(history.reading.chapters))
        for made in stores.codex_uses.documents():
            if (made.id, state) not in self._found:
                self._found[made.id, state] = tuple(self._rewordings_of(made, history, links, stores))
        return {document: found for (document, known), found in self._found.items() if known == state and found}

    def _rewordings_of(
        self, made: UnderCodex, history: CodexHistory, links: RecordLinks, stores: Stores
    ) -> Iterator[Rewording]:
        known = _known(made, history)
        old, making = cache(lambda: history.at(known)), Making(made, self._brief, stores)
        for slot, record in history.changed_since(known).items():
            if made.kind is DocumentKind.DESIGN and slot[0] is not RecordKind.SECRET:
                continue  # nothing else of the codex stands before whoever designs
            before, now = history.standing(slot, known), history.newest(slot)
            assert before is not None  # it could not have been changed
            change = _change(slot, before.record, record, history, links, old)
            touch = self._test.touch(making, change)
            if touch is not None:
                news = self._test.news(making, change) if touch is Touch.SHOWN else ()
                yield Rewording(*slot, before.version, now.version, now.is_removed, touch, news)

    def _giveaways(self, made: UnderCodex, history: CodexHistory, stores: Stores) -> Iterator[Giveaway]:
        making = Making(made, self._brief, stores)
        for record in history.added_since(_known(made, history)):
            if self._test.gives_away(making, CodexThen((record,), history.reading)):
                yield Giveaway(made.label, kind_of(record), record.id)


def _change(
    slot: RecordSlot, before: Record, after: Record | None, history: CodexHistory, links: RecordLinks,
    old: Callable[[], CodexThen],
) -> RecordChange:  # fmt: skip
    alone = CodexThen((before,), history.reading)
    return RecordChange(
        slot, history.rows(slot), alone, alone.where(slot, after), old, cache(lambda: old().where(slot, after)), links
    )


def _known(made: UnderCodex, history: CodexHistory) -> int:
    return made.known if made.known is not None else history.known_at(made.made_at or 0.0)
