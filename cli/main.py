"""The program `bookwright`: its verbs, and its way out."""

import logging
import sys
from typing import Annotated

import typer

from bookwright.cli import edge
from bookwright.cli.changing import changing, codex, foreshadowing, secrets, versions
from bookwright.cli.chat.chat import chat
from bookwright.cli.looking import look, prompting, status
from bookwright.cli.looking.report import report
from bookwright.cli.looking.style import style
from bookwright.cli.operating import keeping, models, studio, upkeep
from bookwright.cli.operating.doctor import doctor
from bookwright.cli.sharing import backups
from bookwright.cli.sharing.exporting import export
from bookwright.cli.sharing.vault import sync, vault
from bookwright.cli.steering import gates, shelf
from bookwright.cli.steering.ask import ask
from bookwright.cli.watch.verb import watch
from bookwright.cli.writing import blueprints, kinds, write
from bookwright.cli.writing.estimate import estimate
from bookwright.cli.writing.importing import import_file

app = typer.Typer(
    name="bookwright", help="Writes whole books, one durable step at a time.", no_args_is_help=True,
    add_completion=False, rich_markup_mode=None,
)  # fmt: skip

for verb in (
    write.resume, write.pause, estimate, chat, gates.gates, gates.approve, gates.reject,
    ask, status.status, look.tree, look.show, look.read, look.log, watch, prompting.prompt, export, report, style,
    shelf.brief, shelf.archive, shelf.unarchive, shelf.delete,
    changing.revise, changing.stale, changing.refresh, versions.history, versions.diff,
    vault, sync,
    studio.submit, studio.server, doctor,
    backups.backup, backups.restore, keeping.reindex, keeping.prune, upkeep.version,
):  # fmt: skip
    app.command()(verb)
app.command(name="write")(write.write)
app.command(name="import")(import_file)
app.command(name="worldbuild")(kinds.worldbuild)
app.command(name="mystery")(kinds.mystery)
app.add_typer(blueprints.app, name="blueprints")
app.add_typer(models.app, name="models")
app.add_typer(codex.app, name="codex")
app.add_typer(secrets.app, name="secrets")
app.add_typer(foreshadowing.app, name="foreshadowing")
app.add_typer(upkeep.db_app, name="db")


@app.callback()
def options(
    is_verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Log on stderr what is asked of whom.")] = False,
) -> None:
    """Writes whole books, one durable step at a time."""
    if is_verbose:
        logging.basicConfig(stream=sys.stderr, format="%(asctime)s %(name)s: %(message)s")
        logging.getLogger("bookwright").setLevel(logging.DEBUG)


def main() -> None:
    """Run the command that was typed and leave with its exit code."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]  # a terminal may not know a book's script
    sys.exit(edge.run(app, sys.argv[1:]))
