"""Screens that lie over the books: a node's documents, the prompt of a step, help."""

from collections.abc import Awaitable, Callable
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Footer, Static

from bookwright.exports.markup import clean

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
