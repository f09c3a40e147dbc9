"""`candidates`: several drafts of the same pages, looked at, taken, or written beside a text that stands."""

from typing import TYPE_CHECKING, Annotated

import typer

from bookwright.app.access import OpenBook
from bookwright.app.candidates.unit_candidates import UnitCandidates, candidates_at, units_with_candidates
from bookwright.app.places import find_node, place_name
from bookwright.app.wording import counted, stale_count
from bookwright.cli.access import open_book
from bookwright.cli.options import AsJson, BookArgument
from bookwright.cli.output import agrees, emit, make_console, note, plain_table, print_text
from bookwright.cli.writing.waiting import wait_until_free
from bookwright.models.errors import InvalidInput
from bookwright.models.story.candidates import MOST_CANDIDATES
from bookwright.models.tree.task import TaskNode

if TYPE_CHECKING:
    from bookwright.app.candidates.ordering import CandidateOrder
    from bookwright.flows.deps import Deps


def candidates(
    book: BookArgument,
    node: Annotated[
        str | None,
        typer.Argument(metavar="[NODE]", help="A chapter, a label (1.16) or a title; all that have some if not given."),
    ] = None,
    count: Annotated[
        int | None,
        typer.Option(
            "--count", min=2, max=MOST_CANDIDATES, help="Bring a written unit to so many candidates. This is paid."
        ),
    ] = None,
    show: Annotated[int | None, typer.Option("--show", metavar="N", min=1, help="Print one of them.")] = None,
    take: Annotated[
        int | None, typer.Option("--take", metavar="N", min=1, help="Make one of them the unit's text.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the candidates of a unit and how blind readers judged them; show, take, or have some written."""
    if sum(given is not None for given in (count, show, take)) > 1:
        raise InvalidInput("candidates takes one of --count, --show and --take")
    with open_book(book) as opened:
        if node is None:
            if count or show or take:
                raise InvalidInput("say of which unit: candidates BOOK 1.4, or the chapter's number or title")
            _list(opened, as_json)
            return
        with opened.storage.read() as stores:
            unit = find_node(node, stores)
        if count is not None:
            _make(opened, unit, count, yes, as_json)
        if take is not None:
            _take(opened, unit, take, as_json)
        elif show is not None:
            _print_one(opened, unit, show, as_json)
        else:
            _show(opened, unit, as_json)


def _list(opened: OpenBook, as_json: bool) -> None:
    with opened.storage.read() as stores:
        found = [(place_name(sight.unit, stores), sight) for sight in units_with_candidates(stores)]

    def tell() -> None:
        if not found:
            note(f"no unit of {opened.book.id} has candidates")
            return
        table = plain_table("unit", "candidates", "choice", right=("candidates",), folds=("unit", "choice"))
        for place, sight in found:
            table.add_row(place, str(len(sight.choice.candidates)), sight.choice.summary)
        make_console().print(table)

    emit(lambda: {"book": opened.book.id, "units": [sight.facts() for _, sight in found]}, tell, as_json=as_json)


def _show(opened: OpenBook, unit: TaskNode, as_json: bool) -> None:
    with opened.storage.read() as stores:
        sight, place = candidates_at(unit, stores), place_name(unit, stores)

    def tell() -> None:
        table = plain_table("", "order", "length", "", right=("", "length"))
        for one in sight.choice.candidates:
            table.add_row(str(one.number), one.angle.told, f"{one.length:,}", _marks(sight, one.number))
        print_text(place)
        make_console().print(table)
        print_text(f"\n{sight.choice.summary}\n")
        print_text("\n\n".join(sight.choice.told))
        if sight.gate is not None:
            decide = f"bookwright approve {unit.book} {sight.gate.id} --candidate N"
            print_text(f"\n{sight.gate.name}, waits: `{decide}` decides")

    emit(lambda: {"book": opened.book.id} | sight.facts(), tell, as_json=as_json)


def _marks(sight: UnitCandidates, number: int) -> str:
    is_preferred, is_chosen = number == sight.choice.preferred, number == sight.choice.chosen
    marks = ["preferred"] if is_preferred else []
    marks += ["its words stand"] if number == sight.taken else ["went on"] if is_chosen else []
    return ", ".join(marks)


def _print_one(opened: OpenBook, unit: TaskNode, number: int, as_json: bool) -> None:
    with opened.storage.read() as stores:
        one = candidates_at(unit, stores).candidate(number)
    emit(
        lambda: {"book": opened.book.id, "node": unit.label} | one.model_dump(mode="json"),
        lambda: print_text(one.text),
        as_json=as_json,
    )


def _take(opened: OpenBook, unit: TaskNode, number: int, as_json: bool) -> None:
    from bookwright.app.candidates.taking import take
    from bookwright.flows.revision.staleness import Staleness

    wait_until_free(opened.storage, opened.settings)
    taken = take(opened, unit.label, number)
    with opened.storage.read() as stores:
        stale, place = len(Staleness(opened.book.brief).direct(stores)), place_name(unit, stores)
    facts = {"node": unit.label, "candidate": number, "version": taken.made.version, "base": taken.made.base}

    def tell() -> None:
        note(f"candidate {number} is version {taken.made.version} of the text of {place}; {stale_count(stale)}")
        back = f"bookwright restore {opened.book.id} {unit.label} {taken.made.base}"
        note(f"`{back}` takes what stood there up again")
        for words in taken.told:
            note(f"it tells too early, by what code can see: {words}")

    emit(lambda: {"book": opened.book.id} | facts | {"told": list(taken.told), "stale": stale}, tell, as_json=as_json)


def _make(opened: OpenBook, unit: TaskNode, count: int, yes: bool, as_json: bool) -> None:
    from bookwright.app.candidates.ordering import order_of_candidates
    from bookwright.cli.writing import running
    from bookwright.flows.candidates.later import make_candidates

    order = order_of_candidates(opened, unit, count)
    if order.is_nothing:
        return
    note(_told(order))
    if not yes and not agrees("Have them written?"):
        raise InvalidInput("nothing was asked of a model; --yes writes without asking")

    def work(deps: "Deps") -> None:
        make_candidates(unit, count, deps)

    again = f"`bookwright candidates {opened.book.id} {unit.label} --count {count}`"
    running.run_beside(opened.book, opened.storage, opened.settings, work, again)


def _told(order: "CandidateOrder") -> str:
    return f"{counted(order.drafts, 'draft')} and {counted(order.readings, 'reading')} of two drafts: {order.bill}"
