"""Looking at what was asked, and at what an edited template would ask: `prompt`."""

import difflib
import json
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from bookwright.agents.backends.tokens import TokenCounter
from bookwright.agents.react.observation import ROOM, observation
from bookwright.app.access import OpenBook
from bookwright.app.node_lookup import find_node
from bookwright.cli.access import open_book
from bookwright.cli.options import AsJson, BookArgument
from bookwright.cli.output import note, print_json, print_text
from bookwright.models.errors import InvalidInput
from bookwright.models.talk.tool import ToolResponse
from bookwright.models.text.diff import changed_lines
from bookwright.prompts.render import render
from bookwright.prompts.stored_card import card_of
from bookwright.prompts.templates import ENDING, render_edited, source_of, takes_in
from bookwright.storage.files.blueprints import blueprint_of
from bookwright.storage.steps.queries import NO_LONGER_KEPT, AskedStep

_LINES_TOLD = 6
"""Changed lines that are told in full of a step's own part that reads differently today."""


def prompt(
    book: BookArgument,
    wanted: Annotated[
        str,
        typer.Argument(
            metavar="STEP", help="A step's number, as `log` shows it; or a chapter, label or title: its newest step."
        ),
    ],
    reply: Annotated[bool, typer.Option("--reply", help="Show what was answered, too.")] = False,
    template: Annotated[
        bool, typer.Option("--template", help="Print the step's template instead, to edit a copy of it.")
    ] = False,
    edited: Annotated[
        Path | None,
        typer.Option("--with", metavar="FILE", help="Show what would be asked with FILE in the template's place."),
    ] = None,
    stands_for: Annotated[
        str | None,
        typer.Option(
            "--as", metavar="TEMPLATE", help="Which template FILE is, if not the step's own but one it takes in."
        ),
    ] = None,
    diff: Annotated[
        bool, typer.Option("--diff", help="Show only where that differs from what was asked, with the tokens of both.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show what was asked at a step, the system frame first, or what another wording would ask.

    Nothing is asked of a model and nothing is written, so a book may be written meanwhile.
    """
    _check_options(template, edited, stands_for, diff, reply)
    stands_for = stands_for and stands_for.removesuffix(ENDING)  # as templates name each other
    with open_book(book) as opened:
        step = _step_of(opened, wanted)
        if template:
            _show_template(opened, step, stands_for, as_json)
        elif edited and not _is_of_older_version(opened, step):
            _show_edited(_rendered(opened, step, edited, stands_for), opened, diff=diff, as_json=as_json)
        else:
            _show_asked(opened, step, reply=reply, as_json=as_json)


def _step_of(opened: OpenBook, wanted: str) -> int:
    """Return a step by its number, or after a note the newest one of a node."""
    if wanted.isdecimal():
        return int(wanted)
    with opened.storage.read() as stores:
        node = find_node(wanted, stores)
        named, newest = stores.name_of(node), stores.steps.last(1, node.label)
    if not newest:
        raise InvalidInput(f"no step of {named} is on record; `bookwright log {opened.book.id}` lists all steps")
    log = shlex.join(["bookwright", "log", opened.book.id, node.label])
    note(f"step {newest[0].id}, the newest of {named}; `{log}` lists the others")
    return newest[0].id


def _is_of_older_version(opened: OpenBook, step: int) -> bool:
    """True, after a note, for a step that an older version recorded: all there is to show is what was asked."""
    with opened.storage.read() as stores:
        is_older = stores.steps.asked(step).is_of_older_version
    if is_older:
        note(
            f"step {step} was recorded by an older version, which did not store what its template was rendered from; "
            "no other wording of it can be shown, only the prompt as it was asked:"
        )
    return is_older


@dataclass(frozen=True)
class _Rendered:
    """One step's prompt as it was asked, and with another template."""

    step: AskedStep
    file: Path
    locale: str
    asked: list[str]
    would_ask: list[str]
    since_then: list[str]
    """The changed lines between the step's own part then and today, both with the template that ships."""


def _check_options(template: bool, edited: Path | None, stands_for: str | None, diff: bool, reply: bool) -> None:
    if template and (edited or diff or reply):
        raise InvalidInput("--template prints the template alone; leave the other options out")
    if diff and not edited:
        raise InvalidInput("--diff compares with an edited template; name it by --with FILE")
    if stands_for and not (template or edited):
        raise InvalidInput(
            "--as says which template a file is; name the file by --with FILE, or print it by --template"
        )
    if edited and reply:
        raise InvalidInput("--reply shows what was answered to what was asked; leave it or --with out")


def _show_asked(opened: OpenBook, step: int, *, reply: bool, as_json: bool) -> None:
    with opened.storage.read() as stores:
        asked = stores.steps.asked(step)
        blocks = stores.steps.prompt(step)
        answer = stores.steps.reply(step)
        uses = stores.tool_uses.before(step)
    if as_json:
        looked_up = [use.model_dump(mode="json") | {"response": json.loads(use.response)} for use in uses]
        answered = {"reply": answer, "is_of_older_version": asked.is_of_older_version}
        print_json({"book": opened.book.id, "step": step, "prompt": blocks, "looked_up": looked_up} | answered)
        return
    print_text("\n\n".join(blocks))
    room = ROOM[opened.book.brief.language]
    for use in uses:
        told = observation(ToolResponse.model_validate_json(use.response), room)
        print_text(f"\n=== looked up at step {use.step} ===\n\n{use.tool} {use.arguments}\n\n{told}")
    if reply:
        print_text(f"\n=== the answer ===\n\n{answer}")


def _show_template(opened: OpenBook, step: int, wanted: str | None, as_json: bool) -> None:
    brief = opened.book.brief
    locale = (brief.prompt_language or brief.language).value
    with opened.storage.read() as stores:
        path = wanted or stores.steps.asked(step).template
    folder = _prompts_of(opened)
    text, file = source_of(path, locale, folder)
    parts = takes_in(path, locale, folder)
    if as_json:
        found = {"template": path, "locale": locale, "file": str(file), "takes_in": parts, "source": text}
        print_json({"book": opened.book.id, "step": step} | found)
        return
    note(f"{path} in {locale}: {file}")
    if parts:
        note(f"it takes in {', '.join(parts)} (--as prints one of them)")
    print_text(text.rstrip("\n"))


def _prompts_of(opened: OpenBook) -> Path | None:
    """Where the templates of the book's blueprint stand; None where it has none."""
    chosen = opened.book.brief.blueprint
    return blueprint_of(chosen, opened.settings.home).prompts if chosen else None


def _rendered(opened: OpenBook, number: int, file: Path, stands_for: str | None) -> _Rendered:
    """Render a step with a file in the place of its template, or of one that it takes in."""
    with opened.storage.read() as stores:
        step = stores.steps.asked(number)
        asked, parts = stores.steps.prompt(number), stores.steps.card(number)
    if not parts:
        raise InvalidInput(
            f"step {number} was not asked by a template of the walk; another wording of it cannot be tried"
        )
    if NO_LONGER_KEPT in (*asked, *parts):
        raise InvalidInput(f"the prompt of step {number} is no longer kept, so nothing can be rendered beside it")
    card, locale = card_of(parts)
    replaced = stands_for or step.template
    folder = _prompts_of(opened)
    source_of(replaced, locale, folder)  # one that is not there would change nothing, and say nothing
    own_part = render_edited(file, replaced, step.template, card, locale, folder)
    since_then = changed_lines(asked[-1], render(step.template, card, locale, folder))
    return _Rendered(step, file, locale, asked, [*asked[:-1], own_part], since_then)


def _show_edited(rendered: _Rendered, opened: OpenBook, *, diff: bool, as_json: bool) -> None:
    step, since_then = rendered.step, rendered.since_then
    # an estimate, as the budget makes it: the provider's own count would hold earlier answers, too
    tokens = [TokenCounter().estimate(step.model, *blocks) for blocks in (rendered.asked, rendered.would_ask)]
    changed = "\n".join(_unified(rendered, *tokens))
    if as_json:
        print_json({
            "book": opened.book.id, "step": step.id, "template": step.template, "locale": rendered.locale,
            "file": str(rendered.file), "prompt": rendered.would_ask, "diff": changed, "asked_tokens": tokens[0],
            "would_ask_tokens": tokens[1], "is_as_then": not since_then, "differs_from_then": since_then,
        })  # fmt: skip
        return
    if since_then:
        note(
            f"step {step.id} would read differently today without your edits, too: the template that ships has changed "
            "since. These lines differ:"
        )
        for line in since_then[:_LINES_TOLD]:
            note(f"  {line}")
        if len(since_then) > _LINES_TOLD:
            note(f"  and {len(since_then) - _LINES_TOLD} more lines")
    print_text((changed or "no difference") if diff else "\n\n".join(rendered.would_ask))


def _unified(rendered: _Rendered, asked_tokens: int, would_ask_tokens: int) -> list[str]:
    """A unified diff of the two prompts, with the tokens of each at its head; empty if they are the same."""
    before, after = ("\n\n".join(blocks).split("\n") for blocks in (rendered.asked, rendered.would_ask))
    return list(
        difflib.unified_diff(
            before, after, fromfile=f"step {rendered.step.id}", tofile=str(rendered.file), lineterm="",
            fromfiledate=f"about {asked_tokens:,} tokens", tofiledate=f"about {would_ask_tokens:,} tokens",
        )
    )  # fmt: skip
