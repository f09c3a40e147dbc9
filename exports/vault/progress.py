"""The progress file of a book: stages in a table, their states and times; written, and read back.

Source: S0-043 to S0-046; DETAILS "000 Slima Agents". The database decides how a book goes on; this file only tells.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from bookwright.exports.vault.names import LOG
from bookwright.exports.vault.page_text import OPEN
from bookwright.models.book import BookState
from bookwright.models.wording import duration

PATH = f"{LOG}/progress.md"
MOST_PROMPT = MOST_NOTES = 200
MOST_ADVICE = 500
"""Characters."""
_COLUMNS = ("#", "Stage", "Status", "Started", "Completed", "Duration", "Notes")
_UNIT_COLUMNS = ("Unit", "Title", "Status", "Written", "Target")
_TIME = "%Y-%m-%d %H:%M:%S UTC"
_GOES_ON: dict[str, str] = {
    BookState.WRITING: "It is being written; should its worker have died, `bookwright resume {book}` goes on.",
    BookState.WAITING: "A human decides first: `bookwright gates {book} --show`.",
    BookState.FINISHED: "The book is finished; nothing is left to do.",
}
_RESUMES = "`bookwright resume {book}` goes on."
_CELL = re.compile(r"(?<!\\)(?:\\\\)*\|")


class StageStatus(StrEnum):
    """Where a stage stands."""

    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    SKIPPED = "skipped"

    @property
    def is_over(self) -> bool:
        """True for what is not worked on again."""
        return self in (StageStatus.COMPLETED, StageStatus.SKIPPED)


@dataclass(frozen=True)
class StageProgress:
    """One stage of a book; times in whole seconds since 1970."""

    name: str
    status: StageStatus = StageStatus.PENDING
    started: int | None = None
    completed: int | None = None
    notes: str = ""


@dataclass(frozen=True)
class UnitLine:
    """A part or chapter as the file lists it; lengths in the book's unit."""

    label: str
    title: str
    status: StageStatus
    written: int
    length: int


@dataclass(frozen=True)
class ProgressFile:
    """What the file says."""

    title: str
    book: str
    pipeline: str
    status: str
    started: int | None
    prompt: str
    stages: tuple[StageProgress, ...]
    units: tuple[UnitLine, ...] = ()
    advice: str = ""
    """What to do about the reason for which the book rests; not read back."""

    def last_completed_stage(self) -> int:
        """Return the number, from 1, of the last stage that is completed; 0 where none is."""
        done = [number for number, stage in enumerate(self.stages, 1) if stage.status is StageStatus.COMPLETED]
        return max(done, default=0)

    def next_stage(self) -> int:
        """Return the number of the first stage that is pending, running or failed; -1 where none is."""
        return next((number for number, stage in enumerate(self.stages, 1) if not stage.status.is_over), -1)


def progress_page(progress: ProgressFile) -> str:
    """Lay the file out, its seal still open."""
    head = {
        "Book": progress.book, "Pipeline": progress.pipeline, "Status": progress.status,
        "Started": _moment(progress.started), "Prompt": _line(progress.prompt, MOST_PROMPT),
    }  # fmt: skip
    stages = [_stage_row(number, stage) for number, stage in enumerate(progress.stages, 1)]
    units = [
        (unit.label, _line(unit.title, MOST_NOTES), unit.status.value, str(unit.written), str(unit.length))
        for unit in progress.units
    ]
    lines = [
        f"<!-- bookwright {OPEN} -->", "", f"# Progress: {_line(progress.title, MOST_PROMPT)}", "",
        *(f"- {name}: {value}" for name, value in head.items()), "", *_table(_COLUMNS, stages), "",
        "## Units", "", *_table(_UNIT_COLUMNS, units), "",
        "## Resume Info", "",
        f"- Last completed stage: {_named(progress, progress.last_completed_stage(), 'none yet')}",
        f"- Next stage: {_named(progress, progress.next_stage(), 'none')}",
        f"- {_goes_on(progress)}",
        "- The database decides; this file is made of it.",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def load_from_book(text: str) -> ProgressFile:
    """Read a progress file back. Rows that say nothing are passed over; what is missing is empty."""
    rows = [_cells(line) for line in text.splitlines() if line.startswith("|")]
    head = dict(re.findall(r"^- (Book|Pipeline|Status|Started|Prompt): ?(.*)$", text, re.MULTILINE))
    title = re.search(r"^# Progress: (.*)$", text, re.MULTILINE)
    return ProgressFile(
        title[1] if title else "", head.get("Book", ""), head.get("Pipeline", ""), head.get("Status", ""),
        _seconds(head.get("Started", "")), head.get("Prompt", ""),
        tuple(
            StageProgress(cells[1], _status(cells[2]), _seconds(cells[3]), _seconds(cells[4]), cells[6])
            for cells in rows if len(cells) == len(_COLUMNS) and cells[0].isdecimal()
        ),
        tuple(_unit(cells) for cells in rows if len(cells) == len(_UNIT_COLUMNS) and cells[0][:1].isdecimal()),
    )  # fmt: skip


def _goes_on(progress: ProgressFile) -> str:
    """Say how the book goes on, or that it need not."""
    if progress.status == BookState.PAUSED and progress.advice:
        return f"{_line(progress.advice, MOST_ADVICE)}."
    return _GOES_ON.get(progress.status, _RESUMES).format(book=progress.book)


def _named(progress: ProgressFile, number: int, none: str) -> str:
    """A stage by number and name; its name is a cell of the table, too, and kept to one line."""
    return f"{number}, {_line(progress.stages[number - 1].name, MOST_NOTES)}" if number > 0 else none


def _table(columns: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(columns)} |"
    yield f"|{'|'.join(' --- ' for _ in columns)}|"
    for row in rows:
        cells = (text.replace("\\", "\\\\").replace("|", "\\|") for text in row)
        yield f"| {' | '.join(cells)} |"


def _stage_row(number: int, stage: StageProgress) -> tuple[str, ...]:
    return (
        str(number), stage.name, stage.status.value, _moment(stage.started), _moment(stage.completed),
        _duration(stage), _line(stage.notes, MOST_NOTES),
    )  # fmt: skip


def _unit(cells: list[str]) -> UnitLine:
    numbers = [int(cell) if cell.isdecimal() else 0 for cell in cells[3:]]
    return UnitLine(cells[0], cells[1], _status(cells[2]), *numbers)


def _status(cell: str) -> StageStatus:
    name = cell.strip().casefold()
    return StageStatus(name) if name in set(StageStatus) else StageStatus.PENDING


def _cells(line: str) -> list[str]:
    pieces, start = [], 1
    for bar in _CELL.finditer(line, 1):
        pieces.append(line[start : bar.end() - 1])
        start = bar.end()
    return [re.sub(r"\\([\\|])", r"\1", piece.strip()) for piece in pieces]


def _line(text: str, most: int) -> str:
    return " ".join(text.split())[:most].strip()


def _moment(seconds: int | None) -> str:
    return "" if seconds is None else datetime.fromtimestamp(seconds, UTC).strftime(_TIME)


def _seconds(moment: str) -> int | None:
    try:
        return int(datetime.strptime(moment.strip(), _TIME).replace(tzinfo=UTC).timestamp())
    except ValueError:
        return None


def _duration(stage: StageProgress) -> str:
    if stage.started is None or stage.completed is None:
        return ""
    return duration(max(stage.completed - stage.started, 0))
