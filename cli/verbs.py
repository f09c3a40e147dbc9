"""The verbs of the program: a table of them, and a group that loads a verb's module when it is called."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group


class Verb(NamedTuple):
    """Where a verb, or a group of them, is found, and the line that tells of it in the list of all."""

    source: str
    """`module:name`, below this package."""
    line: str


VERBS: Mapping[str, Mapping[str, Verb]] = {
    "Write": {
        "write": Verb("writing.write:write", "Write a book from a brief, or go on with it."),
        "resume": Verb("writing.write:resume", "Go on with a book from where it rests."),
        "pause": Verb("writing.write:pause", "Ask a running book to rest before its next step."),
        "estimate": Verb("writing.write:estimate", "Rehearse a book: nodes, calls, tokens and price."),
        "worldbuild": Verb("writing.write:worldbuild", "Build a world to set stories in, and no prose."),
        "mystery": Verb("writing.write:mystery", "Write a fair-play mystery, from the crime outward."),
        "blueprints": Verb("writing.blueprints:app", "List and check blueprints: the kinds of books."),
        "examples": Verb("writing.blueprints:examples", "List the examples that come along, or copy them."),
        "import": Verb("writing.importing:import_file", "Make a book of a manuscript, or of a book's JSON."),
    },
    "Look": {
        "studio": Verb("operating.services:studio", "Open the page where you live with your books."),
        "status": Verb("looking.status:status", "Show where the books stand, or one of them."),
        "tree": Verb("looking.look:tree", "Show the tree of a book with what is written."),
        "show": Verb("looking.look:show", "Show a node with its documents and steps."),
        "read": Verb("looking.look:read", "Read the manuscript, in the pager if there is one."),
        "log": Verb("looking.look:log", "List the journal: every answer, with its bill."),
        "watch": Verb("watch.verb:watch", "Watch books on a screen while they are written."),
        "prompt": Verb("looking.prompting:prompt", "Show what was asked at a step."),
        "report": Verb("looking.report:report", "Report on a book: length, rhythm, repetition."),
        "style": Verb("looking.report:style", "Show the style of a book and how far it strays."),
    },
    "Steer": {
        "chat": Verb("chat.chat:chat", "Talk with an agent."),
        "ask": Verb("steering.ask:ask", "Turn your own words into one command."),
        "gates": Verb("steering.gates:gates", "List the gates that wait for a decision."),
        "approve": Verb("steering.gates:approve", "Let a book go on past a gate."),
        "reject": Verb("steering.gates:reject", "Have what a gate is about done again."),
        "brief": Verb("steering.shelf:brief", "Show a book's brief, or change it."),
        "archive": Verb("steering.shelf:archive", "Put a book away: `status` no longer lists it."),
        "unarchive": Verb("steering.shelf:unarchive", "Take a book out of the archive."),
        "delete": Verb("steering.shelf:delete", "Remove a book with all that belongs to it."),
    },
    "Change": {
        "edit": Verb("changing.editing:edit", "Edit a text in your editor, or take one back from Word."),
        "revise": Verb("changing.changing:revise", "Give a document a new version."),
        "note": Verb("changing.editing:note", "Remark on words of a text, or see what you remarked."),
        "stale": Verb("changing.changing:stale", "List what rests on documents that changed since."),
        "refresh": Verb("changing.changing:refresh", "Make anew what is directly stale."),
        "candidates": Verb("changing.candidates:candidates", "Several drafts of the same pages: look, and take one."),
        "history": Verb("changing.versions:history", "List all versions of a node's documents."),
        "diff": Verb("changing.versions:diff", "Show what two versions differ in."),
        "timeline": Verb("changing.timeline:timeline", "Show when units are set in the story, or set it."),
        "codex": Verb("changing.codex:app", "Keep the characters and the world of a book."),
        "secrets": Verb("changing.secrets:app", "Keep what readers are not to know yet."),
        "foreshadowing": Verb("changing.foreshadowing:app", "Keep the threads laid early and paid off late."),
        "fork": Verb("changing.branches:fork", "Make a branch of a book, whole or open again from a unit on."),
        "branches": Verb("changing.branches:branches", "Show a book with all its branches and their bills."),
        "compare": Verb("changing.merging:compare", "Show what two branches, or two versions, differ in."),
        "merge": Verb("changing.merging:merge", "Take over what a branch has made; --undo takes it back."),
    },
    "Share": {
        "export": Verb("sharing.exporting:export", "Write what there is of a book to a file."),
        "vault": Verb("sharing.vault:vault", "Print where a book's folder of files is."),
        "sync": Verb("sharing.vault:sync", "Take in what you changed in a book's folder."),
        "backup": Verb("sharing.backups:backup", "Write all books to one file."),
        "restore": Verb("sharing.backups:restore", "Put back a backup, or an earlier version."),
    },
    "Run a studio": {
        "init": Verb("operating.models:init", "Choose the model that writes your books."),
        "submit": Verb("operating.server:submit", "Hand a book to a Prefect work pool."),
        "server": Verb("operating.server:server", "Run a Prefect server for this data folder."),
        "mcp": Verb("operating.services:mcp", "Let an assistant of yours look at your books."),
        "metrics": Verb("operating.services:metrics", "Serve figures for Prometheus on this machine."),
        "models": Verb("operating.models:app", "Show which model each role asks, and the prices."),
        "doctor": Verb("operating.doctor:doctor", "Check the installation, its stores and models."),
        "reindex": Verb("operating.keeping:reindex", "Build a book's index anew."),
        "prune": Verb("operating.keeping:prune", "Let go of the prompts of old steps."),
        "db": Verb("operating.upkeep:db_app", "Keep the database up to date."),
        "version": Verb("operating.upkeep:version", "Show the version of Bookwright, Python, SQLite."),
    },
}
"""All verbs by what they are for, in the order in which `--help` lists them."""

_BY_NAME = {name: verb for verbs in VERBS.values() for name, verb in verbs.items()}


class Verbs(TyperGroup):
    """The group of all verbs; listing, suggesting and completing their names loads none of them.

    What Typer hands to a group is of types whose names are private.
    """

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = {name: TyperCommand(name, help=verb.line) for name, verb in _BY_NAME.items()}

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Find the verb that was typed, load it, and return its name, itself and what follows it."""
        name, found, rest = super().resolve_command(ctx, args)
        return name, load(name) if name and found else None, rest

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of verbs, by what they are for."""
        width = max(map(len, self.commands))
        for title, verbs in VERBS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), verb.line) for name, verb in verbs.items()])


@cache
def load(name: str) -> Any:
    """Import the module of a verb and return the command that it is, which is made once with what reads its options."""
    module, _, attribute = _BY_NAME[name].source.partition(":")
    found = getattr(import_module(f"{__package__}.{module}"), attribute)
    holder = typer.Typer(rich_markup_mode=None)
    if isinstance(found, typer.Typer):
        holder.add_typer(found, name=name)
    else:
        holder.command(name)(found)
    return get_group(holder).commands[name]
