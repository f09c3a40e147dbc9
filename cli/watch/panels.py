"""The words of the screen, as text with styles that suit dark and light terminals."""

from collections.abc import Iterable

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from bookwright.app.status.progress import seconds_left, spent, step_text
from bookwright.app.watching.fisheye import TreeRow
from bookwright.app.watching.library import BookSight
from bookwright.app.watching.stream import PieceKind, Use
from bookwright.cli.watch.watcher import ScreenSight, TabSight
from bookwright.exports.markup import clean
from bookwright.models.tree.place import ReadingOrder
from bookwright.models.tree.task import NodeStatus
from bookwright.models.wording import duration
from bookwright.storage.steps.queries import StepLine
from bookwright.storage.tree.outline import ChildLine

MARKS = {
    "writing": "▶", "stopping": "▷", "paused": "‖", "waiting": "?", "interrupted": "!", "finished": "✓",
    "queued": "…", "cancelled": "×", "gone": "×", "agent": "@",
}  # fmt: skip
_STYLES = {"writing": "green", "finished": "green", "waiting": "yellow", "interrupted": "red", "gone": "red"}
_PIECES = {
    PieceKind.HEAD: "bold", PieceKind.TEXT: "", PieceKind.THOUGHT: "dim italic", PieceKind.NOTE: "cyan",
    PieceKind.ERROR: "bold red", PieceKind.PERSON: "green",
}  # fmt: skip
_TAB_CELLS = 20
_BAR_CELLS = 16


def tab_label(tab: TabSight) -> str:
    """A tab's mark and name, short enough that several fit."""
    return f"{MARKS.get(tab.standing, ' ')} {fitted(tab.name, _TAB_CELLS)}"


def names_of(sight: ScreenSight) -> ReadingOrder:
    """What the chapters of the book in front are called; an agent has none."""
    return sight.book.progress.names if sight.book else ReadingOrder()


def in_a_line(text: str) -> str:
    """Return a text without line ends and without what could steer the terminal."""
    return " ".join(clean(text).split())


def fitted(text: str, cells: int) -> str:
    """Cut a text to so many columns of a terminal, in which Chinese characters take two."""
    line = in_a_line(text)
    return line if cell_len(line) <= cells else set_cell_size(line, max(cells - 1, 0)).rstrip() + "…"


def facts(sight: ScreenSight, now: float) -> Text:
    """Four lines: what the book is, how far it is, what it costs, what it does or waits for."""
    book = sight.book
    if book is None:
        head = f"agent {in_a_line(sight.tab)}" if sight.tab else "no books yet; the first that is begun appears here"
        lines = [Text(head, style="bold"), Text(""), Text(""), _doing(sight, now)]
    else:
        lines = [_title(sight, book), _written(book), Text(f"cost {spent(book.progress)}"), _doing(sight, now)]
    if sight.trouble:
        lines[-1] = Text(f"cannot look: {in_a_line(sight.trouble)}; trying again", style="bold red")
    return _lined(lines)


def stream(sight: ScreenSight) -> Text:
    """The text as it comes; of a book that is written elsewhere the last answer on record."""
    if sight.source and sight.book is not None:
        told = Text(f"{sight.source}\n\n", style="yellow")
        return told.append("the last answer on record:\n\n", style="bold").append(clean(sight.book.last_answer))
    text, names = Text(), names_of(sight)
    for piece in sight.heard.pieces:
        gap = "\n\n" if piece.kind is PieceKind.HEAD and text else "\n" if text else ""
        words = f"--- {names.call_of(piece.text)}" if piece.kind is PieceKind.HEAD else piece.text
        text.append(gap).append(words, style=_PIECES[piece.kind])
    return text or Text("nothing was said yet", style="dim")


def call_title(sight: ScreenSight) -> str:
    """What is asked, and how much has come."""
    heard = sight.heard
    if sight.source or not sight.is_live:
        return "text"
    skipped = f", {heard.skipped} lines unreadable" if heard.skipped else ""
    call = in_a_line(names_of(sight).call_of(heard.call))
    return f"{call or 'between two steps'}  {heard.characters:,} characters{skipped}"


def steps(lines: tuple[StepLine, ...], names: ReadingOrder, height: int) -> Text:
    """The last steps, the newest at the bottom."""
    told = (Text(in_a_line(step_text(line, names)), style="red" if line.is_failed else "") for line in lines)
    return _last(told, height, "no step is on record yet")


def uses(used: tuple[Use, ...], now: float, height: int) -> Text:
    """The last uses of tools with how long they took, those that still run with how long they have."""
    return _last((_use(use, now) for use in used), height, "no tool was used")


def row_text(row: TreeRow, gates: frozenset[int]) -> Text:
    """One line of the tree."""
    indent = " " * row.depth
    if row.line is None:
        return Text(f"{indent}… {row.hidden:,} more {'before' if row.is_before else 'after'}", style="dim italic")
    line = row.line
    fold = " " if not line.has_parts else "▾" if row.is_open else "▸"
    mark, style = _mark(line, row.is_current, line.key in gates)
    text = Text(f"{indent}{fold}{mark} ", style=style)
    text.append(f"{row.name} ", style="dim").append(in_a_line(line.title or line.goal))
    if line.is_unit and line.written and not line.is_finished and line.length:
        text.append(f"  {min(line.written / line.length, 1):.0%}", style="dim")
    text.stylize(style or ("" if line.is_unit else "dim"))
    return text


def _mark(line: ChildLine, is_current: bool, has_gate: bool) -> tuple[str, str]:
    if has_gate:
        return "?", "bold yellow"
    if is_current and line.status is not NodeStatus.DONE:
        return "●", "bold"
    return ("✓", "green") if line.is_finished else ("○", "")


def _title(sight: ScreenSight, book: BookSight) -> Text:
    standing = "gone" if sight.status is None else next(
        (tab.standing for tab in sight.tabs if tab.name == sight.tab), sight.status.standing
    )  # fmt: skip
    text = Text(in_a_line(book.progress.book.title), style="bold")
    return text.append(f"  {MARKS.get(standing, '')} {standing}", style=_STYLES.get(standing, ""))


def _written(book: BookSight) -> Text:
    progress = book.progress
    root, unit = progress.root, progress.book.brief.length_unit
    full = round(progress.share * _BAR_CELLS)
    text = Text("━" * full, style="green").append("━" * (_BAR_CELLS - full), style="dim")
    text.append(f" {root.written:,} of {root.length or 0:,} {unit} ({progress.share:.0%})", style="not dim")
    return text.append(_pace(book))


def _pace(book: BookSight) -> str:
    """What an hour of work has brought so far, and how long the rest takes at that."""
    root, hours = book.progress.root, book.worked_seconds / 3_600
    if not root.written or not hours:
        return ", what is left is unknown yet"
    left = seconds_left(root, book.worked_seconds)
    told = f", about {duration(left)} left" if left else ""
    return f", {root.written / hours:,.0f} an hour{told}"


def _doing(sight: ScreenSight, now: float) -> Text:
    """What it waits for, or what went wrong, or what it does."""
    heard = sight.heard
    book = sight.book.progress.book if sight.book else None
    if sight.book and sight.book.gates:
        gate = sight.book.gates[0]
        more = f" and {len(sight.book.gates) - 1} more" if len(sight.book.gates) > 1 else ""
        return Text(in_a_line(f"waits for you: {gate.name}{more}; {gate.how_to_decide}"), style="bold yellow")
    if heard.waits and sight.is_live:
        since = duration(max(now - heard.last / 1000, 0))
        return Text(
            in_a_line(f"{names_of(sight).call_of(heard.call)}: {heard.waits} (told {since} ago)"), style="yellow"
        )
    if sight.status and sight.status.standing == "queued":
        wish = ", and is to rest at once" if sight.status.stop_requested else ""
        return Text(f"waits for a worker of the pool{wish}", style="yellow")
    if book and book.reason and not sight.is_live:
        told = " - ".join(part for part in (book.reason, book.advice) if part)
        return Text(in_a_line(told), style="red" if heard.error or "fault" in book.reason else "yellow")
    if heard.error:
        return Text(in_a_line(heard.error), style="red")
    if sight.book and sight.is_live:
        return Text(in_a_line(f"at {sight.book.progress.place or 'the book as a whole'}"), style="")
    return Text("")


def _use(use: Use, now: float) -> Text:
    took = f"{use.millis / 1000:.1f} s" if use.millis is not None else f"{max(now - use.began / 1000, 0):.0f} s so far"
    style = "red" if use.status == "error" else "yellow" if use.millis is None else ""
    return Text(in_a_line(f"{use.tool} {took} {use.status} {use.arguments}"), style=style)


def _last(lines: Iterable[Text], height: int, otherwise: str) -> Text:
    shown = list(lines)[-height:] if height > 0 else []
    return _lined(shown) if shown else Text(otherwise, style="dim")


def _lined(lines: Iterable[Text]) -> Text:
    made = list(lines)
    for line in made:
        line.no_wrap, line.overflow = True, "ellipsis"
    return Text("\n", no_wrap=True, overflow="ellipsis").join(made)
