"""The program `bookwright`: its verbs, and its way out."""

import sys

import typer

from bookwright.cli import (
    backups,
    codex,
    edge,
    foreshadowing,
    keeping,
    look,
    models,
    prompting,
    secrets,
    shelf,
    status,
    studio,
    upkeep,
    write,
)
from bookwright.cli.doctor import doctor
from bookwright.cli.estimate import estimate
from bookwright.cli.exporting import export
from bookwright.cli.report import report

app = typer.Typer(
    name="bookwright", help="Writes whole books, one durable step at a time.", no_args_is_help=True,
    add_completion=False, rich_markup_mode=None,
)  # fmt: skip

for verb in (
    write.write, write.resume, write.pause, estimate,
    status.status, look.tree, look.show, look.read, look.log, prompting.prompt, export, report,
    shelf.brief, shelf.archive, shelf.unarchive, shelf.delete,
    studio.submit, studio.server, doctor,
    backups.backup, backups.restore, keeping.reindex, keeping.prune, upkeep.version,
):  # fmt: skip
    app.command()(verb)
app.add_typer(models.app, name="models")
app.add_typer(codex.app, name="codex")
app.add_typer(secrets.app, name="secrets")
app.add_typer(foreshadowing.app, name="foreshadowing")
app.add_typer(upkeep.db_app, name="db")


def main() -> None:
    """Run the command that was typed and leave with its exit code."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]  # a terminal may not know a book's script
    sys.exit(edge.run(app, sys.argv[1:]))
