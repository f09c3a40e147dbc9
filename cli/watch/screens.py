"""The screen of the book in front, and those that lie over it: a node's documents, the prompt of a step, help."""

import time
from collections.abc import Awaitable, Callable
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen, Screen
from textual.widgets import Footer, Static, Tab, Tabs

from bookwright.cli.watch import panels
from bookwright.cli.watch.tree_view import TreeView
from bookwright.cli.watch.watcher import ScreenSight
from bookwright.exports.markup import clean


class BookTab(Tab):
    """A book's or an agent's tab."""

    def __init__(self, label: str, book: str) -> None:
        super().__init__(Content(label))
        self.book = book


class BookTabs(Tabs, can_focus=False):
    """The tabs; the keys belong to the tree."""


class BookScreen(Screen[None]):
    """Draws a sight; a panel is touched only where its words have changed."""

    def __init__(self) -> None:
        super().__init__()
        self.sight = ScreenSight()
        self.follows = True
        self._drawn: dict[str, Text] = {}

    def compose(self) -> ComposeResult:
        """Lay the screen out."""
        yield BookTabs(id="tabs")
        yield Static(id="facts")
        with Horizontal(id="middle"):
            yield TreeView(id="tree")
            with VerticalScroll(id="stream", can_focus=False):
                yield Static(id="text")
        with Horizontal(id="bottom"):
            yield Static(id="steps")
            yield Static(id="uses")
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Name the panels; the keys go to the tree."""
        for name, title in (("tree", "tree"), ("steps", "steps"), ("uses", "tools")):
            self.query_one(f"#{name}").border_title = title
        self.tree_view.focus()

    def on_resize(self) -> None:
        """Show as many lines as there is room for."""
        self.call_after_refresh(self._draw_panels)

    @property
    def tree_view(self) -> TreeView:
        """The tree."""
        return self.query_one("#tree", TreeView)

    def show(self, sight: ScreenSight) -> None:
        """Draw what is new."""
        if not self.app.is_running:
            return  # it is being closed, its parts one by one
        before, self.sight = self.sight, sight
        if before.tabs != sight.tabs:
            self._draw_tabs()
        self._draw_panels()
        self._draw_tree()
        if before.tab != sight.tab or not before.is_same_text(sight):
            self._draw_text()

    def set_follow(self, follows: bool) -> None:
        """Keep to what is written from now on, or let the person walk."""
        if follows != self.follows:
            self.follows = follows
            self.query_one("#stream").anchor(follows)
            self._draw_panels()
            self._draw_tree()

    def scroll_text(self, pages: int) -> None:
        """Scroll the text."""
        self.set_follow(False)
        box = self.query_one("#stream")
        box.scroll_relative(y=pages * max(box.size.height - 1, 1), animate=False)

    def tick(self) -> None:
        """Let what runs grow older on the screen."""
        heard = self.sight.heard
        runs = heard.waits or any(use.millis is None for use in heard.uses)
        if runs and self.sight.is_live and self.app.is_running:
            self._draw_panels()

    def _draw_tabs(self) -> None:
        tabs = self.query_one(BookTabs)
        known = {tab.book: tab for tab in tabs.query(BookTab)}
        for tab in self.sight.tabs:
            label = panels.tab_label(tab)
            if tab.name not in known:
                tabs.add_tab(BookTab(label, tab.name))
            elif known[tab.name].label_text != label:
                known[tab.name].label = Content(label)

    def _draw_tree(self) -> None:
        book = self.sight.book
        self.tree_view.display = book is not None
        gates = frozenset(gate.node for gate in book.gates) if book else frozenset()
        self.tree_view.show(book.rows if book else (), gates, follows=self.follows)

    def _draw_panels(self) -> None:
        now, sight = time.time(), self.sight
        self._put("#facts", panels.facts(sight, now))
        height = self.query_one("#steps").content_size.height
        self._put("#steps", panels.steps(sight.book.steps if sight.book else (), panels.names_of(sight), height))
        self._put("#uses", panels.uses(sight.heard.uses, now, height))
        told = panels.call_title(sight) + ("" if self.follows else "  (not followed: f)")
        self.query_one("#stream").border_title = Content(told)

    def _draw_text(self) -> None:
        self._put("#text", panels.stream(self.sight))
        if self.follows:
            self.query_one("#stream").anchor()

    def _put(self, place: str, text: Text) -> None:
        if self._drawn.get(place) != text:
            self._drawn[place] = text
            self.query_one(place, Static).update(text)


HELP = """\
]  or Tab            next tab                 [  or Shift+Tab    previous tab
↑ ↓  Home End        walk through the tree    → ←  or Enter      unfold, fold
PgUp PgDn            scroll the text          f                  follow: on or off
o                    open a node's documents  p                  prompt and answer of a step
d                    designs in the tree, or units alone
t                    dark or light            q  or Ctrl+C       leave; the books go on

Follow keeps the cursor on the node that is worked on, and the text at its end. Walking or scrolling turns it off.
In a prompt, ← and → go to the step before and after; without follow, it is the last step of the node under the cursor.

Tabs      ▶ is written    ▷ is about to rest    ‖ rests    ? waits for you    ! was interrupted    ✓ finished
          × deleted or cancelled    @ an agent that somebody talks with
Tree      ● where the work is    ✓ done    ○ open    ? waits for you    ▸ folded    ▾ unfolded

This screen reads the database and the books' event files and changes nothing. A book that is written on another host
has no event file here: of it the journal is shown. What stands behind "of" at the costs is the brief's cap.
"""


class TextDialog(ModalScreen[None]):
    """A text with a title, to be scrolled through."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,o,p,question_mark", "dismiss", "Close", key_display="Esc"),
    ]

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self._title = title
        self._text = text

    def compose(self) -> ComposeResult:
        """Lay the text out."""
        with VerticalScroll(id="reading") as box:
            box.border_title = Content(clean(self._title))
            yield Static(Text(clean(self._text)), id="text")
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Let the keys scroll."""
        self.query_one("#reading").focus()

    def put(self, title: str, text: str) -> None:
        """Show another text."""
        box = self.query_one("#reading", VerticalScroll)
        box.border_title = Content(clean(title))
        self.query_one("#text", Static).update(Text(clean(text)))
        box.scroll_home(animate=False)


class PromptReading(TextDialog):
    """What was asked at a step; others of the same node are a key away."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "go(-1)", "Step before", key_display="←", priority=True),
        Binding("right", "go(1)", "Step after", key_display="→", priority=True),
    ]

    def __init__(self, title: str, text: str, go: Callable[[int], Awaitable[tuple[str, str] | None]]) -> None:
        super().__init__(title, text)
        self._go = go

    def action_go(self, by: int) -> None:
        """Show the step before or after, if there is one."""
        self.run_worker(self._show(by), exclusive=True)

    async def _show(self, by: int) -> None:
        found = await self._go(by)
        if found is not None:
            self.put(*found)
