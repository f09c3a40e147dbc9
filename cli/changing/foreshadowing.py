"""`foreshadowing`: the board of threads, and the author's hand on them."""

from typing import Annotated, Any

import typer

from bookwright.agents.relay.threads.alerts import PACINGS, Pacing
from bookwright.agents.relay.threads.foreshadowing import recorded
from bookwright.agents.relay.threads.instructions import check_foreshadowing_for_scene
from bookwright.app.node_lookup import find_node
from bookwright.app.records.edits import Change
from bookwright.app.records.thread_board import Board, ThreadCard, make_board
from bookwright.cli.access import open_book
from bookwright.cli.changing import records
from bookwright.cli.changing.records import RecordArgument
from bookwright.cli.options import AsJson, Assignments, BookArgument, NodeArgument, takes
from bookwright.cli.output import emit, print_table, print_text
from bookwright.models.codex.entries import slug
from bookwright.models.codex.foreshadowing import Foreshadowing, ForeshadowingType, ThreadEventType, ThreadStatus
from bookwright.models.codex.merging import Keyed
from bookwright.models.codex.record import Record, RecordKind, make_record
from bookwright.models.errors import InvalidInput
from bookwright.models.wording import counted

app = typer.Typer(
    help="Keep the threads that are laid early and paid off late.", cls=records.ListsByDefault, no_args_is_help=True
)
KIND = RecordKind.FORESHADOWING

Subtlety = Annotated[int | None, typer.Option(min=1, max=10, help="1 is plain, 10 almost invisible.")]
PacingName = Annotated[str, typer.Option("--pacing", help="slow, medium, fast, or REMINDER/SILENCE in chapters: 4/8.")]

OPTIONS = {
    "kind": Annotated[ForeshadowingType | None, typer.Option(help="What it pays off in.")],
    "subtlety": Subtlety,
    "seed": Annotated[str | None, typer.Option(help="What is planted.")],
    "plant_at": Annotated[str | None, typer.Option(metavar="PLACE", help="The chapter or node to plant it in.")],
    "reinforce_at": Annotated[
        list[str] | None, typer.Option(metavar="PLACE", help="Where to bring it back; repeatable.")
    ],
    "payoff": Annotated[str | None, typer.Option(help="What it comes to; hidden until it is there.")],
    "payoff_at": Annotated[str | None, typer.Option(metavar="PLACE", help="The chapter or node to pay it off in.")],
    "visibility": Annotated[
        str | None,
        typer.Option(help="The most a writer may know before the payoff: hidden, aware, know or use, or 0 to 3."),
    ],
    "forbid": records.Forbidden,
    "allow": records.Allowed,
    "character": Annotated[list[str] | None, typer.Option(help="Who it touches; repeatable.")],
    "after": Annotated[list[str] | None, typer.Option(metavar="ID/STATUS", help="What planting waits for.")],
}


def _given(values: Keyed) -> Keyed:
    """Return what options say of a thread, by its keys."""
    return {
        "type": values["kind"] and values["kind"].value,
        "subtlety_level": values["subtlety"],
        "seed": _present(content=values["seed"], planned_at=values["plant_at"]),
        "timeline": _present(reinforce_at=values["reinforce_at"]),
        "payoff": _present(content=values["payoff"], planned_at=values["payoff_at"]),
        "ai_visibility": _present(
            level=values["visibility"], forbidden_keywords=values["forbid"], allowed_expressions=values["allow"]
        ),
        "related": _present(characters=values["character"]),
        "prerequisite": values["after"],
    }


def _present(**values: Any) -> Keyed:
    return {key: value for key, value in values.items() if value}


@app.command("list")
def list_threads(book: BookArgument, pacing: PacingName = "medium", as_json: AsJson = False) -> None:
    """Show the board: threads by status, planned payoff, chapters of silence, alerts."""
    profile = _pacing(pacing)
    with open_book(book) as opened, opened.storage.read() as stores:
        board = make_board(stores, profile)
    emit(lambda: board.facts(), lambda: _print_board(board), as_json=as_json)


@app.command()
def due(book: BookArgument, node: NodeArgument, pacing: PacingName = "medium", as_json: AsJson = False) -> None:
    """Show what a unit owes the threads: which to plant, bring back or pay off in it, and which payoffs come near."""
    profile = _pacing(pacing)
    with open_book(book) as opened, opened.storage.read() as stores:
        unit = find_node(node, stores)
        named = stores.name_of(unit)
        reading = stores.codex.reading_order()
        owed = check_foreshadowing_for_scene(stores.codex.threads(), unit.label, reading, profile.reminder)
    lists = {
        "plant": owed.should_plant, "bring back": owed.should_reinforce, "pay off": owed.should_pay_off,
        "near": owed.approaching_payoff,
        "waits": [f"{thread} (for {', '.join(missing)})" for thread, missing in owed.waiting_for.items()],
    }  # fmt: skip
    lines = [f"{name}: {', '.join(threads)}" for name, threads in lists.items() if threads]
    told = "\n".join(lines) or f"{named} owes the threads nothing"
    emit(lambda: owed.model_dump(mode="json"), lambda: print_text(told), as_json=as_json)


@app.command()
@takes(OPTIONS, "given", _given)
def add(
    book: BookArgument,
    given: Keyed,
    title: Annotated[str | None, typer.Argument(metavar="[TITLE]", help="What the thread is called.")] = None,
    identity: Annotated[str | None, typer.Option("--id", help="Made of the title if none is given.")] = None,
    file: records.FromFile = None,
    as_json: AsJson = False,
) -> None:
    """Register a thread from options or from a file; a file may hold many, as [[foreshadowing]] tables."""
    given |= {"title": title, "id": identity or (slug(title) if title else None)}
    records.add_records(book, KIND, given, file, as_json=as_json)


@app.command()
@takes(OPTIONS, "given", _given)
def edit(
    book: BookArgument,
    thread: RecordArgument,
    given: Keyed,
    title: Annotated[str | None, typer.Option(help="Another title.")] = None,
    status: Annotated[ThreadStatus | None, typer.Option(help="Where it stands, one move further.")] = None,
    assignments: Assignments = None,
    file: records.FromFile = None,
    version: records.SeenVersion = None,
    as_json: AsJson = False,
) -> None:
    """Change a thread by options, a file, or in $EDITOR; lists are replaced, the rest stays as it is."""
    given |= {"title": title, "status": status and status.value}
    records.edit_record(book, KIND, thread, given, assignments, file, version, as_json=as_json)


@app.command()
def record(
    book: BookArgument,
    thread: RecordArgument,
    what: Annotated[ThreadEventType, typer.Argument(metavar="WHAT", help="plant, reinforce, hint or reveal.")],
    place: Annotated[str, typer.Option("--at", metavar="PLACE", help="The chapter or node that did it.")],
    expression: Annotated[str | None, typer.Option("--words", help="The words in which it was done.")] = None,
    subtlety: Subtlety = None,
    as_json: AsJson = False,
) -> None:
    """Put on record what a text did for a thread; its status follows."""
    values = {"place": place, "type": what.value, "expression": expression or "", "subtlety": subtlety}
    records.edit_record(book, KIND, thread, {}, None, None, None, as_json=as_json, how=_recording(values))


records.add_common_verbs(app, KIND)


def _recording(values: dict[str, Any]) -> Change:
    """A change that records one event."""

    def change(record: Record) -> Record:
        assert isinstance(record, Foreshadowing)  # the register holds nothing else
        probe = {"id": record.id, "title": record.title, "timeline": {"events": [values]}}
        checked = make_record(KIND, probe)
        assert isinstance(checked, Foreshadowing)
        return recorded(record, checked.timeline.events[0])

    return change


def _pacing(text: str) -> Pacing:
    if text in PACINGS:
        return PACINGS[text]
    reminder, _, silence = text.partition("/")
    if reminder.isdecimal() and silence.isdecimal() and 0 < int(silence) <= 10_000 and int(reminder) <= 10_000:
        return Pacing(reminder=int(reminder), silence=int(silence))
    raise InvalidInput(f"{text!r} is no pacing; it is slow, medium, fast, or two numbers of chapters such as 4/8")


def _print_board(board: Board) -> None:
    """Print the board, a group for each status that has threads."""
    place = f"chapter {board.chapter} ({board.at})" if board.chapter else "the beginning"
    still_open = sum(card.thread.is_open for card in board.cards)
    print_text(f"{counted(len(board.cards), 'thread')}, {still_open} open, at {place}")
    for status in ThreadStatus:
        if rows := [_row(card) for card in board.cards if card.thread.status is status]:
            print_text(f"\n{status} ({len(rows)})")
            print_table(
                ("  id", "title", "plant", "payoff", "silence", "subtlety", "level", "waits for", "version"), rows,
                right=("subtlety", "silence", "version"), folds=("title", "waits for"),
            )  # fmt: skip
    if board.alerts:
        print_text("\nalerts")
        for alert in board.alerts:
            print_text(f"  {alert.type}  {alert.foreshadowing_id}: {alert.detail}")
    if board.strays:
        print_text("\nsuggestions: these read like promises, and no thread is registered for them")
        for unit, words in board.strays:
            print_text(f"  {unit}  “{words}”")
        print_text("  `bookwright foreshadowing add BOOK TITLE --seed WORDS --payoff ...` registers one")


def _row(card: ThreadCard) -> list[str]:
    thread = card.thread
    silence = "" if card.silence is None or not thread.is_open else str(card.silence)
    waits = ", ".join(card.missing) if thread.status is ThreadStatus.REGISTERED else ""
    return [
        f"  {thread.id}", thread.title, str(thread.seed.planned_at or ""), str(thread.payoff.planned_at or "unplanned"),
        silence, str(thread.subtlety_level), card.level.name.lower(), waits, str(card.version),
    ]  # fmt: skip
