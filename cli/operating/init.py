"""`init`: the first thing after an installation: choose a model, have it remembered, see whether it answers."""

import shlex
from typing import Annotated

import typer

from bookwright.app.model_settings import SetUp, look_around, remember
from bookwright.cli.options import AsJson
from bookwright.cli.output import can_ask, note, print_json, print_text
from bookwright.models.settings import load_settings


def init(
    model: Annotated[
        str | None,
        typer.Option("--model", help="provider:model, for roles that name none; asked for if not given."),
    ] = None,
    notify: Annotated[
        str | None,
        typer.Option("--notify", metavar="COMMAND", help="Run this when a book waits, rests or is finished."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Set this installation up: which model writes your books. It is remembered in `config.toml`; keys are not."""
    settings = load_settings()
    found = look_around(settings)
    chosen = model or (_asked(found) if can_ask() and not as_json else None)
    values = remember(settings, chosen, tuple(shlex.split(notify)) if notify is not None else None)
    named = values.get("model", found.model)
    if as_json:
        print_json({"file": str(found.file), "model": named, "keys": list(found.keys)})
        return
    print_text(str(found.file))
    note(f"{named} writes your books; `bookwright doctor --ask {named}` asks it two tiny questions")
    note("`bookwright write --example lighthouse` writes a first story, `bookwright studio` opens the page")


def _asked(found: SetUp) -> str:
    keys = f"keys are set for {', '.join(found.keys)}" if found.keys else "no key is set; the built-in model needs none"
    note(f"{found.model} writes now; {keys}")
    return str(typer.prompt("model", default=found.suggested if found.keys else found.model, err=True))
