"""`status`: all books in a table, or one book with all that can be said of it."""

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bookwright.app.access import OpenBook, existing_library
from bookwright.app.changes.gates import facts_of
from bookwright.app.status.books import ListedBook, list_books, queued_in, studio_runs, studio_words, verdict_of
from bookwright.app.status.progress import BookProgress, read_progress, spent
from bookwright.cli.access import open_book
from bookwright.cli.options import AsJson
from bookwright.cli.output import emit, make_console, note, print_facts, print_json, print_table, print_text
from bookwright.models.amount import Cap
from bookwright.models.book import RESTING, BookState
from bookwright.models.errors import BookwrightError
from bookwright.models.settings import Settings, load_settings
from bookwright.models.wording import moment, money, tokens
from bookwright.storage.engine.database import Database
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.steps.queries import RoleSum
from bookwright.storage.studio import Studio, StudioStanding

if TYPE_CHECKING:
    from bookwright.flows.prefect.pool import NewestRun

_WIDE = 110
"""Columns from which on there is room for all; below, an id stays whole, for it is what every verb is given."""


def status(
    book: Annotated[str | None, typer.Argument(metavar="[BOOK]", help="A book's id, or a beginning of it.")] = None,
    with_archived: Annotated[bool, typer.Option("--all", help="List what is archived, too.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show where the books stand, or one of them."""
    if book is not None:
        with open_book(book) as opened:
            _show_one(opened, as_json)
        return
    settings = load_settings()
    with existing_library(settings) as database:
        runs = _handed_in(settings)
        lines = [] if database is None else list_books(database, with_archived, queued_in(runs))
        new = _not_begun(runs, database)
        facts = [*map(_summary, lines), *map(asdict, new)]
        emit(lambda: facts, lambda: _print_all(lines, new, settings), as_json=as_json)
        if database is not None and settings.studio_cap.is_set and not as_json:
            with database.read() as connection:
                print_text(f"\nstudio: {studio_words(Studio(connection).standing(), settings.studio_cap)}")


def _handed_in(settings: Settings) -> "list[NewestRun]":
    """What `studio_runs` finds; what the studio's server does not tell is told of beside the facts."""
    try:
        return studio_runs(settings)
    except BookwrightError as error:
        note(f"what waits in the studio cannot be shown: {error}")
        return []


def _not_begun(runs: "list[NewestRun]", database: Database | None) -> "list[NewestRun]":
    """Those of the runs whose books are not there yet."""
    if not runs or database is None:
        return runs
    with database.read() as connection:
        books = BookRepository(connection)
        return [one for one in runs if books.find(one.book) is None]


def _print_all(lines: list[ListedBook], waiting: "list[NewestRun]", settings: Settings) -> None:
    if not lines and not waiting:
        note(f"no books yet in {settings.home}; `bookwright write --premise ... --words 900` begins one")
        return
    is_wide = make_console().width >= _WIDE
    numbers = ("written", "of", "cost") if is_wide else ("written", "cost")
    columns = ("book", "state", *numbers, "changed", "title") if is_wide else ("book", "state", *numbers)
    rows = [*map(_book_row, lines), *(_waiting_row(one, is_wide) for one in waiting)]
    shown = [[row.get(column, "") for column in columns] for row in rows]
    print_table(columns, shown, right=numbers, folds=("title", "state"))


def _book_row(line: ListedBook) -> dict[str, str]:
    book = line.book
    return {
        "book": book.id, "state": line.words, "written": f"{line.written:,}", "of": f"{book.brief.length:,}",
        "cost": money(book.cost), "changed": moment(book.updated_at), "title": book.title,
    }  # fmt: skip


def _waiting_row(one: "NewestRun", is_wide: bool) -> dict[str, str]:
    return {"book": one.book, "state": one.state if is_wide else f"{one.state}: {one.reason}", "title": one.reason}


def _summary(line: ListedBook) -> dict[str, Any]:
    book, verdict = line.book, line.verdict
    return {
        "book": book.id, "title": book.title, "state": line.standing, "reason": book.reason, "advice": book.advice,
        "language": book.brief.language.value, "written": line.written, "length": book.brief.length,
        "unit": book.brief.length_unit, "calls": book.calls, "input_tokens": book.input_tokens,
        "cached_tokens": book.cached_tokens, "output_tokens": book.output_tokens, "cost_micros": book.cost,
        "unpriced_calls": book.unpriced_calls, "archived": book.is_archived, "created_at": book.created_at,
        "updated_at": book.updated_at, "has_failed": book.has_failed, "verdict": asdict(verdict) if verdict else None,
    }  # fmt: skip


def _show_one(opened: OpenBook, as_json: bool) -> None:
    progress = read_progress(opened.storage)
    cap = opened.settings.studio_cap
    with opened.storage.read() as stores:
        standing = Studio(stores.connection).standing()
        roles = stores.steps.by_role()
        is_over = opened.book.state is BookState.FINISHED  # what waits then is taken in if the book goes on
        waiting = 0 if is_over else sum(1 for _ in stores.queue.waiting())
        verdict = verdict_of(opened.book, stores)
        gates = stores.gates.waiting()
    line = ListedBook(progress.book, progress.root.written, len(gates), verdict)
    if line.standing in RESTING:
        line = replace(line, is_queued=progress.book.id in queued_in(_handed_in(opened.settings)))
    if as_json:
        more = {"gates": [facts_of(gate) for gate in gates], "studio": _studio_facts(standing, cap)}
        print_json(_details(line, progress, roles, waiting) | more)
        return
    facts = _facts(line, progress, waiting)
    facts += [("gate", ". ".join(filter(None, (gate.name, gate.how_to_decide, gate.notice)))) for gate in gates]
    if cap.is_set:
        facts.append(("studio", studio_words(standing, cap)))
    print_facts(facts)
    if roles:
        print_text("")
        columns = ("calls", "failed", "input", "cached", "output", "cost")
        print_table(("role", "model", *columns), map(_role_row, roles), right=columns)


def _details(line: ListedBook, progress: BookProgress, roles: list[RoleSum], waiting: int) -> dict[str, Any]:
    book = progress.book
    return _summary(line) | {
        "brief_version": book.brief_version,
        "budget": book.brief.budget.model_dump(),
        "held_by": book.lease_owner,
        "next": book.intent,
        "path": [{"node": node.label, "level": node.level.value, "title": node.title} for node in progress.path],
        "maintenance_waiting": waiting,
        "roles": [vars(role) for role in roles],
    }


def _facts(line: ListedBook, progress: BookProgress, waiting: int) -> list[tuple[str, str]]:
    book, root, verdict = progress.book, progress.root, line.verdict
    why = ("asked to rest",) if line.is_to_rest else () if line.standing == "queued" else (book.reason, book.advice)
    facts = [
        ("book", book.id),
        ("title", book.title),
        ("state", " - ".join(filter(None, (line.standing, *why)))),
        ("written", f"{root.written:,} of {root.length or 0:,} {book.brief.length_unit} ({progress.share:.0%})"),
        ("cost", spent(progress)),
        ("language", book.brief.language.english_name),
        ("brief", f"version {book.brief_version}"),
        ("begun", moment(book.created_at)),
        ("changed", moment(book.updated_at)),
    ]
    if book.state is not BookState.FINISHED:
        facts += [("at", progress.place or "the book as a whole"), ("next", progress.names.call_of(book.intent))]
    if book.lease_owner:
        facts.append(("held by", book.lease_owner))
    if verdict:
        facts.append(("verdict", f"{verdict.words}; `bookwright show {book.id} {verdict.node}` tells why"))
    if waiting:
        facts.append(("owed", f"{waiting} for the maintainers to take in"))
    return [(name, value) for name, value in facts if value]


def _studio_facts(standing: StudioStanding, cap: Cap) -> dict[str, Any]:
    return {
        "cap_micros": cap.cost, "spent_micros": standing.spent.cost, "handed_out_micros": standing.handed_out.cost,
        "cap_tokens": cap.tokens, "spent_tokens": standing.spent.tokens,
        "handed_out_tokens": standing.handed_out.tokens,
    }  # fmt: skip


def _role_row(role: RoleSum) -> list[str]:
    counts = [f"{role.calls:,}", f"{role.failed:,}"]
    counts += map(tokens, (role.input_tokens, role.cached_tokens, role.output_tokens))
    cost = money(role.cost) + (f" ({role.unpriced} unpriced)" if role.unpriced else "")
    return [role.role, role.model, *counts, cost]
