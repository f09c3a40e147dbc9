"""Keeps a book's folder up to date while the book is worked on; a failure there never stops the book."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from bookwright.agents.runtime.events.bus import EventBus
from bookwright.agents.runtime.events.walk_events import WalkEvents
from bookwright.flows.deps import Deps, WrappedObserver
from bookwright.flows.vault.rendering import Rendered, Vault
from bookwright.models.book import Book
from bookwright.models.settings import Settings
from bookwright.models.step import Activity
from bookwright.models.tree.level import Level
from bookwright.models.tree.task import TaskNode
from bookwright.storage.stores import BookStorage

_MAKES_PAGES = frozenset({Activity.EXECUTE, Activity.AGGREGATE, Activity.PUBLISH})

log = logging.getLogger("bookwright.vault")


class VaultKeeper:
    """Keeps the folder of one book up to date; a failure is a warning and never stops the book."""

    def __init__(self, vault: Vault, created: Callable[[str], None], warn: Callable[[str], None]) -> None:
        self._vault = vault
        self._created = created
        self._warn = warn
        self._told: set[str] = set()

    def render(self) -> None:
        """Bring the whole folder up to the book."""
        self._do(self._vault.render)

    def follow(self, *, with_whole: bool = False) -> None:
        """Render what is new."""
        self._do(lambda: self._vault.follow(with_whole=with_whole))

    def _do(self, work: Callable[[], Rendered]) -> None:
        try:
            done = work()
        except Exception as error:  # a copy for people to read: the book goes on without it
            self._tell("cannot", f"the book's folder {self._root} cannot be kept up: {error}; the book goes on")
            return
        for path in done.created:
            self._created(str(self._vault.folder.root / path))
        for path, reason in done.failed.items():
            place = f"{path!r} in the book's folder {self._root}"
            self._tell("cannot", f"{place} cannot be written ({reason}); the book goes on")
        for path in done.held:
            advice = f"`bookwright sync {self._vault.storage.book}` takes such changes in"
            self._tell("held", f"{path!r} was changed by hand and is left as it is; {advice}")

    @property
    def _root(self) -> str:
        return repr(str(self._vault.folder.root))

    def _tell(self, kind: str, message: str) -> None:
        """Warn, once of each kind."""
        if kind not in self._told:
            self._told.add(kind)
            self._warn(message)


@dataclass
class VaultObserver(WrappedObserver):
    """An observer that brings the book's folder up to date after each activity."""

    keeper: VaultKeeper

    def run(self, activity: Activity, node: TaskNode, work: Callable[[], None]) -> None:
        """Do the work, observed; a task's document goes to the folder."""
        self.inner.run(activity, node, work)
        if activity in _MAKES_PAGES:
            self.keeper.follow()

    def finished(self, unit: TaskNode, deps: Deps) -> None:
        """Let the observer show a closed unit, and put it into the folder."""
        self.inner.finished(unit, deps)
        self.keeper.follow(with_whole=unit.level.is_at_least(Level.CHAPTER) or unit.depth <= 1)


@contextmanager
def kept_vault(storage: BookStorage, book: Book, settings: Settings, bus: EventBus) -> Iterator[VaultKeeper | None]:
    """Hand out what keeps a book's folder up, rendered once the book is left; None where there is to be none."""
    if not settings.keep_vault:
        yield None
        return
    keeper = VaultKeeper(Vault(storage, book, settings), WalkEvents(bus, storage).created, log.warning)
    try:
        yield keeper
    finally:
        keeper.render()


def bring_up(storage: BookStorage, book: Book, settings: Settings, warn: Callable[[str], None]) -> None:
    """Bring a book's folder up after a person changed the book."""
    if settings.keep_vault:
        VaultKeeper(Vault(storage, book, settings), lambda path: None, warn).render()
