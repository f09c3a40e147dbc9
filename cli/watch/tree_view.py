"""The widget that draws a tree's rows and lets a person walk, fold and unfold them."""

from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.events import Click
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from bookwright.app.watching.fisheye import TreeRow
from bookwright.cli.watch.panels import row_text


class TreeView(ScrollView, can_focus=True):
    """Draws only what is in sight; the cursor stays on its node while the tree changes around it."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"tree--cursor", "tree--current"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "step(-1)", show=False),
        Binding("down,j", "step(1)", show=False),
        Binding("home", "step(-999999)", show=False),
        Binding("end", "step(999999)", show=False),
        Binding("right,l", "unfold", show=False),
        Binding("left,h", "fold", show=False),
        Binding("enter,space", "turn", show=False),
    ]

    class Asked(Message):
        """A node is to be folded or unfolded, or more of its siblings shown."""

        def __init__(self, row: TreeRow, *, opens: bool) -> None:
            super().__init__()
            self.row = row
            self.opens = opens

    class Walked(Message):
        """A person has moved the cursor."""

    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self._rows: tuple[TreeRow, ...] = ()
        self._gates: frozenset[int] = frozenset()
        self._cursor = 0

    @property
    def row(self) -> TreeRow | None:
        """The row under the cursor."""
        return self._rows[self._cursor] if self._rows else None

    def show(self, rows: tuple[TreeRow, ...], gates: frozenset[int], *, follows: bool) -> None:
        """Draw other rows; the cursor goes to the current node, or stays where it was."""
        if (rows, gates) != (self._rows, self._gates):
            before = self.row
            self._rows, self._gates = rows, gates
            self.virtual_size = Size(self.size.width, len(rows))
            self._cursor = min(_place(rows, before, self._cursor), max(len(rows) - 1, 0))
            self.refresh()
        if follows:
            self._go_to(next((place for place, row in enumerate(rows) if row.is_current), 0))

    def render_line(self, y: int) -> Strip:
        """Draw one line of what is in sight."""
        place, width = y + self.scroll_offset.y, self.size.width
        if place >= len(self._rows):
            return Strip.blank(width, self.rich_style)
        row = self._rows[place]
        text = row_text(row, self._gates)
        text.truncate(width, overflow="ellipsis")
        strip = Strip(Segment.filter_control(text.render(self.app.console))).extend_cell_length(width)
        return strip.apply_style(self._style_of(place, row)).adjust_cell_length(width)

    def action_step(self, by: int) -> None:
        """Move the cursor."""
        self._go_to(min(max(self._cursor + by, 0), len(self._rows) - 1))
        self.post_message(self.Walked())

    def action_unfold(self) -> None:
        """Show what is below a node, or more of its siblings."""
        row = self.row
        if row and (row.line is None or (row.line.has_parts and not row.is_open)):
            self.post_message(self.Asked(row, opens=True))
        elif row and row.is_open:
            self.action_step(1)

    def action_fold(self) -> None:
        """Hide what is below a node, or go to the node above."""
        row = self.row
        if row and row.is_open:
            self.post_message(self.Asked(row, opens=False))
        elif row:
            above = next((at for at, each in enumerate(self._rows) if each.line and each.node == row.parent), 0)
            self.action_step(above - self._cursor)

    def action_turn(self) -> None:
        """Fold what is open, unfold what is not."""
        if self.row and self.row.is_open:
            self.action_fold()
        else:
            self.action_unfold()

    def on_click(self, event: Click) -> None:
        """Put the cursor where the mouse is; a click on the cursor folds or unfolds."""
        place = event.y + self.scroll_offset.y
        if place == self._cursor:
            self.action_turn()
        elif place < len(self._rows):
            self.action_step(place - self._cursor)

    def _go_to(self, place: int) -> None:
        if self._rows and place != self._cursor:
            self._cursor = place
            self.refresh()
        top, height = self.scroll_offset.y, self.size.height
        if height and not top <= self._cursor < top + height:
            self.scroll_to(y=max(self._cursor - height // 2, 0), animate=False)

    def _style_of(self, place: int, row: TreeRow) -> Style:
        if place == self._cursor and self.has_focus:
            return self.get_component_rich_style("tree--cursor")
        if row.is_current:
            return self.get_component_rich_style("tree--current")
        return self.rich_style


def _place(rows: tuple[TreeRow, ...], row: TreeRow | None, otherwise: int) -> int:
    """Where a row of before stands now."""
    wanted = row.identity if row else None
    return next((place for place, each in enumerate(rows) if each.identity == wanted), otherwise)
