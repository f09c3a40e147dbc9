"""The program behind the screen: a thread that looks, and what the keys do."""

import asyncio
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import ClassVar, TypeVar

from sqlalchemy.exc import DBAPIError
from textual import work
from textual.app import App
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import Tabs

from bookwright.app.status.progress import step_text
from bookwright.app.watching.fisheye import Folds
from bookwright.cli.watch.panels import names_of
from bookwright.cli.watch.screens import HELP, BookScreen, BookTab, PromptReading, TextDialog
from bookwright.cli.watch.tree_view import TreeView
from bookwright.cli.watch.watcher import ScreenSight, ScreenWish, Watcher
from bookwright.models.errors import BookwrightError

_QUICK_SECONDS, _IDLE_SECONDS = 0.1, 0.3
_QUIET_LOOKS = 20
"""So many looks without news, and the next ones come more slowly."""
_T = TypeVar("_T")


class WatchApp(App[None]):
    """Shows what a watcher sees. The watcher looks on a thread of its own, and only news is drawn."""

    CSS_PATH = "watch.tcss"
    TITLE = "bookwright watch"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right_square_bracket,tab", "tab(1)", "Next", key_display="]", priority=True),
        Binding("left_square_bracket,shift+tab", "tab(-1)", "Previous", key_display="[", priority=True),
        Binding("f", "follow", "Follow"),
        Binding("o", "document", "Open"),
        Binding("d", "planning", "Designs"),
        Binding("p", "prompt", "Prompt"),
        Binding("pageup", "scroll(-1)", show=False),
        Binding("pagedown", "scroll(1)", show=False),
        Binding("t", "light", "Light"),
        Binding("question_mark,f1", "help", "Help", key_display="?"),
        Binding("q,ctrl+c", "quit", "Quit", key_display="q", priority=False),
    ]

    def __init__(self, watcher: Watcher, *, is_light: bool = False, shows_planning: bool = False) -> None:
        super().__init__()
        self.theme = "textual-light" if is_light else "textual-dark"
        self.books = BookScreen()
        self.fault: BaseException | None = None
        """What ended the watching, if it was not the person."""
        self._watcher = watcher
        self._wish = ScreenWish(shows_planning=shows_planning)
        self._folds: dict[str, Folds] = {}
        self._is_over = threading.Event()
        self._nudge = threading.Event()
        self._was_drawn = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="bookwright-watch", daemon=True)

    def get_default_screen(self) -> Screen[None]:
        """Return the screen of the books."""
        return self.books

    def on_ready(self) -> None:
        """Begin to look, now that there is something to draw on."""
        with suppress(NotImplementedError):  # not on every platform
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self._end)  # the terminal is to be left whole
        self._was_drawn.set()
        self._thread.start()
        self.set_interval(1.0, self.books.tick)

    def on_unmount(self) -> None:
        """Look no more."""
        self._is_over.set()
        self._nudge.set()

    def on_tabs_tab_activated(self, event: Tabs.TabActivated) -> None:
        """Bring a tab to the front."""
        if isinstance(event.tab, BookTab) and event.tab.book != self._wish.tab:
            self._ask(replace(self._wish, tab=event.tab.book, folds=self._folds.get(event.tab.book, Folds())))

    def on_tree_view_asked(self, message: TreeView.Asked) -> None:
        """Fold or unfold."""
        folds, row, tab = self._wish.folds, message.row, self.books.sight.tab
        if row.line is None:
            folds = folds.widen(row)
        else:
            folds = folds.open(row.node) if message.opens else folds.close(row.node)
        self._folds[tab] = folds
        self.books.set_follow(False)
        self._ask(replace(self._wish, tab=tab, folds=folds))

    def on_tree_view_walked(self) -> None:
        """Leave the cursor where the person put it."""
        self.books.set_follow(False)

    def action_tab(self, by: int) -> None:
        """Go to another tab."""
        if self.screen is self.books:
            tabs = self.books.query_one(Tabs)
            tabs.action_next_tab() if by > 0 else tabs.action_previous_tab()

    def action_follow(self) -> None:
        """Follow what is written, or no longer."""
        self.books.set_follow(not self.books.follows)

    def action_planning(self) -> None:
        """Show design and search tasks in the tree, or units alone."""
        self._ask(replace(self._wish, shows_planning=not self._wish.shows_planning))

    def action_scroll(self, by: int) -> None:
        """Scroll the text by a page."""
        self.books.scroll_text(by)

    def action_light(self) -> None:
        """Change between dark and light."""
        self.theme = "textual-dark" if self.theme == "textual-light" else "textual-light"

    def action_help(self) -> None:
        """Explain the keys and the marks."""
        self.push_screen(TextDialog("help", HELP))

    @work(exclusive=True)
    async def action_document(self) -> None:
        """Show the documents of the node under the cursor."""
        row, book = self.books.tree_view.row, self.books.sight.tab
        if row is None or row.line is None:
            return
        node = row.node
        found = await self._looked(lambda: self._watcher.library.document(book, node))
        if found is not None:
            self.push_screen(TextDialog(*found))

    @work(exclusive=True)
    async def action_prompt(self) -> None:
        """Show what was last asked of the node under the cursor, or while following of the book."""
        row, sight = self.books.tree_view.row, self.books.sight
        if sight.book is None:
            return
        label = row.line.label if row and row.line and not self.books.follows else None
        at: list[int | None] = [None]

        async def go(by: int) -> tuple[str, str] | None:
            found = await self._looked(lambda: self._watcher.library.asked(sight.tab, label, at[0], by))
            if found is None:
                return None
            at[0] = found[0].id
            return f"step {found[0].id}  {step_text(found[0], names_of(sight))}", found[1]

        found = await go(0)
        if found is not None:
            self.push_screen(PromptReading(*found, go))
        else:
            self.notify(f"no step of {label or 'this book'} is on record", markup=False)

    async def _looked(self, look: Callable[[], _T]) -> _T | None:
        """Look into the database beside the screen; what cannot be seen is told."""
        try:
            return await asyncio.to_thread(look)
        except (BookwrightError, DBAPIError) as error:
            self.notify(" ".join(str(error).split())[:300], severity="error", markup=False)
            return None

    def _ask(self, wish: ScreenWish) -> None:
        self._wish = wish
        self._nudge.set()

    def _draw(self, sight: ScreenSight) -> None:
        """Draw what is new."""
        self._was_drawn.set()
        self.books.show(sight)

    def _fail(self, error: Exception) -> None:
        """End: the watcher cannot go on."""
        self.fault = error
        self.exit()

    def _end(self) -> None:
        self.exit(return_code=128 + signal.SIGTERM)

    def _watch(self) -> None:
        """Look until the end; a fault is told by the program's own error handling."""
        try:
            self._look_on()
        except Exception as error:  # nothing of the thread lies further out
            self.call_later(self._fail, error)
        finally:
            self._watcher.close()

    def _look_on(self) -> None:
        """Look again and again; the next look waits until what was seen is drawn."""
        quiet = 0
        while not self._is_over.is_set():
            if self._was_drawn.wait(_IDLE_SECONDS):
                sight = self._watcher.look(self._wish)
                quiet = 0 if sight else quiet + 1
                if sight is not None:
                    self._was_drawn.clear()
                    self.call_later(self._draw, sight)
            if not self._watcher.is_behind:
                self._nudge.wait(_IDLE_SECONDS if quiet > _QUIET_LOOKS else _QUICK_SECONDS)
            self._nudge.clear()
