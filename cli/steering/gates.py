"""Where books wait for a human, and what the human says: `gates`, `approve`, `reject`, or at the terminal at once."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from bookwright.app.access import OpenBook, existing_library
from bookwright.app.candidates import draft_at
from bookwright.app.changes.gates import chosen_gate, decide, facts_of, reviews, start_again, subject, waiting_in
from bookwright.app.node_lookup import find_node
from bookwright.cli.access import open_book
from bookwright.cli.options import AsJson, BookArgument
from bookwright.cli.output import emit, note, print_json, print_table, print_text
from bookwright.models.errors import GateDecided, InvalidInput, NodeNotFound
from bookwright.models.gate import Decider, Gate, GateKind, Ruling
from bookwright.models.ruling import approval, rejection
from bookwright.models.settings import load_settings
from bookwright.models.wording import moment
from bookwright.storage.files.given_file import read_text
from bookwright.storage.stores import BookStorage

_CHOICES = ("approve", "reject", "show", "later")

GateArgument = Annotated[
    str | None,
    typer.Argument(metavar="[GATE]", help="Its number, kind or chapter; the one that waits, if there is one alone."),
]


def gates(
    book: Annotated[str | None, typer.Argument(metavar="[BOOK]", help="All that wait, if not given.")] = None,
    is_shown: Annotated[bool, typer.Option("--show", help="Print what the waiting gate of a book is about.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the gates that wait for a decision; of one book also those that were decided."""
    if book is None:
        if is_shown:
            raise InvalidInput("--show takes a book")
        with existing_library(load_settings()) as database:
            _show(waiting_in(database), as_json)
        return
    with open_book(book) as opened, opened.storage.read() as stores:
        found = stores.gates.all()
        if is_shown:
            gate = chosen_gate(found, None, opened.book.id)
            text = subject(gate, stores)
            facts = facts_of(gate) | {"subject": text, "reviews": reviews(gate, stores)}
            emit(lambda: facts, lambda: print_text(text), as_json=as_json)
            return
    _show(found, as_json)


def approve(
    book: BookArgument,
    gate: GateArgument = None,
    text: Annotated[
        Path | None, typer.Option("--text", metavar="FILE", help="Instead of a draft, a text of your own.")
    ] = None,
    candidate: Annotated[
        int | None, typer.Option("--candidate", metavar="N", min=1, help="Which of several drafts is to go on.")
    ] = None,
    remark: Annotated[str, typer.Option("--note", help="Kept with the decision.")] = "",
    as_json: AsJson = False,
) -> None:
    """Let a book go on past a gate."""
    if text and candidate:
        raise InvalidInput("approve takes either --candidate, or --text with a text of your own")
    own = read_text(text, "text") if text else None
    with open_book(book) as opened:
        found = _found(opened, gate)
        if candidate is not None:
            with opened.storage.read() as stores:
                own = draft_at(found, candidate, stores)
        _decide(opened, found, approval(found, Decider.COMMAND, remark, own), as_json)


def reject(
    book: BookArgument,
    gate: GateArgument = None,
    remark: Annotated[str, typer.Option("--note", help="What is to be different; it becomes an order.")] = "",
    as_json: AsJson = False,
) -> None:
    """Have what a gate is about done again, under a note that says what is to be different."""
    with open_book(book) as opened:
        found = _found(opened, gate)
        _decide(opened, found, rejection(found, Decider.COMMAND, remark), as_json)


def _decide(opened: OpenBook, gate: Gate, ruling: Ruling, as_json: bool) -> None:
    decided = decide(gate, ruling, opened.storage)
    went_on = start_again(decided, opened.settings)
    told = f"{decided.name}, is {decided.state}; " + (went_on or f"`bookwright resume {decided.book}` goes on")
    emit(lambda: facts_of(decided) | {"went_on": went_on}, lambda: note(told), as_json=as_json)


def _found(opened: OpenBook, name: str | None) -> Gate:
    with opened.storage.read() as stores:
        gates_ = stores.gates.all()
        if name is not None and name not in list(GateKind) and not any(str(gate.id) == name for gate in gates_):
            with suppress(NodeNotFound):
                name = find_node(name, stores).label
        return chosen_gate(gates_, name, opened.book.id)


def _show(found: list[Gate], as_json: bool) -> None:
    if as_json:
        print_json([facts_of(gate) for gate in found])
        return
    if not found:
        note("no gate waits")
        return
    columns = ("gate", "book", "kind", "node", "state", "since", "note")
    print_table(columns, map(_row, found), right=("gate",), folds=("node", "note"))
    for gate in found:
        if gate.is_waiting:
            print_text(f"{gate.name}: {gate.how_to_decide}")


def _row(gate: Gate) -> list[str]:
    state = f"{gate.state} by {gate.by}" if gate.by else gate.state.value
    since = moment(gate.decided_at or gate.created_at)
    about = gate.note or (gate.notice if gate.is_waiting else "")
    return [str(gate.id), gate.book, gate.kind, gate.place, state, since, about]


def type_in(question: str) -> str:
    """Ask at the terminal; an empty line is asked again, for there is no answer that it gives by itself."""
    return str(typer.prompt(question, err=True))


def decide_here(gate: Gate, storage: BookStorage, ask: Callable[[str], str] = type_in) -> bool:
    """Ask what is to become of a gate until it is decided; False if that is left for later."""
    note(f"{storage.book} rests: {gate.name}")
    question = f"{', '.join(_CHOICES[:-1])} or {_CHOICES[-1]}"
    if gate.kind is GateKind.CANDIDATES:
        question += ", or the number of the draft that is to go on"
    while True:
        typed = ask(question).strip()
        try:
            if typed.isdecimal() and gate.kind is GateKind.CANDIDATES:
                with storage.read() as stores:
                    own = draft_at(gate, int(typed), stores)
                decide(gate, approval(gate, Decider.PROMPT, text=own), storage)
                return True
            match _choice(typed):
                case "approve":
                    decide(gate, approval(gate, Decider.PROMPT), storage)
                    return True
                case "reject":
                    decide(gate, rejection(gate, Decider.PROMPT, ask("what is to be different")), storage)
                    return True
                case "show":
                    with storage.read() as stores:
                        print_text(subject(gate, stores))
                case "later":
                    return False
                case _:
                    note("no such answer")
        except GateDecided as decided:
            note(str(decided))
            return True
        except InvalidInput as error:
            note(str(error))


def _choice(answer: str) -> str:
    """Return the choice that an answer is the beginning of; empty where it is none."""
    typed = answer.casefold()
    return next((choice for choice in _CHOICES if typed and choice.startswith(typed)), "")
