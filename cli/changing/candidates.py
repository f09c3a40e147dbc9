"""`candidates`: several drafts of the same pages, looked at, taken, or written beside a text that stands."""

from typing import Annotated

import typer

from bookwright.app.access import OpenBook
from bookwright.app.candidates import UnitCandidates, candidates_at, units_with_candidates
from bookwright.app.node_lookup import find_node
from bookwright.cli.access import open_book, wait_until_free
from bookwright.cli.options import AsJson, BookArgument, OptionalNode, Yes
from bookwright.cli.output import check_agreed, emit, note, print_json, print_table, print_text
from bookwright.models.errors import InvalidInput
from bookwright.models.story.candidates import MOST_CANDIDATES
from bookwright.models.tree.task import TaskNode
from bookwright.models.wording import counted, stale_count


def candidates(
    book: BookArgument,
    node: OptionalNode = None,
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
    yes: Yes = False,
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
            _make(opened, unit, count, yes)
        if take is not None:
            _take(opened, unit, take, as_json)
        elif show is not None:
            _print_one(opened, unit, show, as_json)
        else:
            _show(opened, unit, as_json)


def _list(opened: OpenBook, as_json: bool) -> None:
    with opened.storage.read() as stores:
        found = [(stores.name_of(sight.unit), sight) for sight in units_with_candidates(stores)]
    if as_json:
        print_json({"book": opened.book.id, "units": [sight.facts() for _, sight in found]})
    elif not found:
        note(f"no unit of {opened.book.id} has candidates")
    else:
        rows = [(place, str(len(sight.choice.candidates)), sight.choice.summary) for place, sight in found]
        print_table(("unit", "candidates", "choice"), rows, right=("candidates",), folds=("unit", "choice"))


def _show(opened: OpenBook, unit: TaskNode, as_json: bool) -> None:
    with opened.storage.read() as stores:
        sight, place = candidates_at(unit, stores), stores.name_of(unit)
    if as_json:
        print_json({"book": opened.book.id} | sight.facts())
        return
    drafts = sight.choice.candidates
    rows = [(str(one.number), one.angle.told, f"{one.length:,}", _marks(sight, one.number)) for one in drafts]
    print_text(place)
    print_table(("", "order", "length", ""), rows, right=("", "length"))
    print_text(f"\n{sight.choice.summary}\n")
    print_text("\n\n".join(sight.choice.told))
    if sight.gate is not None:
        decide = f"bookwright approve {unit.book} {sight.gate.id} --candidate N"
        print_text(f"\n{sight.gate.name}, waits: `{decide}` decides")


def _marks(sight: UnitCandidates, number: int) -> str:
    is_preferred, is_chosen = number == sight.choice.preferred, number == sight.choice.chosen
    marks = ["preferred"] if is_preferred else []
    marks += ["its words stand"] if number == sight.taken else ["went on"] if is_chosen else []
    return ", ".join(marks)


def _print_one(opened: OpenBook, unit: TaskNode, number: int, as_json: bool) -> None:
    with opened.storage.read() as stores:
        one = candidates_at(unit, stores).candidate(number)
    facts = {"book": opened.book.id, "node": unit.label} | one.model_dump(mode="json")
    emit(lambda: facts, lambda: print_text(one.text), as_json=as_json)


def _take(opened: OpenBook, unit: TaskNode, number: int, as_json: bool) -> None:
    from bookwright.app.text_orders import take
    from bookwright.flows.revision.staleness import Staleness

    wait_until_free(opened)
    made, leaks = take(opened, unit.label, number)
    with opened.storage.read() as stores:
        stale, place = len(Staleness(opened.book.brief).direct(stores)), stores.name_of(unit)
    if as_json:
        facts = {"node": unit.label, "candidate": number, "version": made.version, "base": made.base}
        print_json({"book": opened.book.id} | facts | {"told": list(leaks), "stale": stale})
        return
    note(f"candidate {number} is version {made.version} of the text of {place}; {stale_count(stale)}")
    note(f"`bookwright restore {opened.book.id} {unit.label} {made.base}` takes what stood there up again")
    for words in leaks:
        note(f"it tells too early, by what code can see: {words}")


def _make(opened: OpenBook, unit: TaskNode, count: int, yes: bool) -> None:
    from bookwright.app.text_orders import order_of_candidates
    from bookwright.cli.writing import running
    from bookwright.flows.activities.prose.write import make_candidates

    order = order_of_candidates(opened, unit, count)
    if not order.drafts and not order.readings:
        return  # all is there already
    note(f"{counted(order.drafts, 'draft')} and {counted(order.readings, 'reading')} of two drafts: {order.bill}")
    check_agreed("Have them written?", "nothing was asked of a model; --yes writes without asking", yes=yes)
    again = f"`bookwright candidates {opened.book.id} {unit.label} --count {count}`"
    running.run_beside(opened, lambda deps: make_candidates(unit, count, deps), again)
