"""Deciding about a gate in a terminal: the question, and its answers."""

from collections.abc import Callable

import typer

from bookwright.app.candidates import draft_at
from bookwright.app.changes.deciding import decide
from bookwright.app.changes.gate_subject import subject
from bookwright.cli.output import note, print_text
from bookwright.models.errors import GateDecided, InvalidInput
from bookwright.models.gate import Decider, Gate, GateKind
from bookwright.models.ruling import approval, rejection
from bookwright.storage.stores import BookStorage

_CHOICES = ("approve", "reject", "show", "later")

Answer = Callable[[str], str]
"""Puts a question to a person and returns what they typed; there is no answer that it gives by itself."""


def type_in(question: str) -> str:
    """Ask at the terminal; an empty line is asked again."""
    return str(typer.prompt(question, err=True))


def decide_here(gate: Gate, storage: BookStorage, ask: Answer = type_in) -> bool:
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
    typed = answer.strip().casefold()
    return next((choice for choice in _CHOICES if typed and choice.startswith(typed)), "")
