"""`db upgrade` and `version`."""

import platform

import typer

from bookwright import __version__
from bookwright.cli.options import AsJson
from bookwright.cli.output import emit, note, print_text
from bookwright.storage.engine.migrate import HEAD
from bookwright.storage.engine.sqlite import sqlite_driver

db_app = typer.Typer(help="Keep the database up to date.", no_args_is_help=True)


@db_app.command("upgrade")
def upgrade(as_json: AsJson = False) -> None:
    """Create the database, or bring it to the newest revision; books stay as they are."""
    from bookwright.app.access import library  # `version` opens no database
    from bookwright.models.settings import load_settings

    with library(load_settings()):
        pass  # opening it is upgrading it
    emit(lambda: {"revision": HEAD}, lambda: note(f"the database stands at revision {HEAD}"), as_json=as_json)


def version(as_json: AsJson = False) -> None:
    """Show the version of Bookwright, Python and SQLite."""
    facts = {
        "bookwright": __version__,
        "python": platform.python_version(),
        "sqlite": sqlite_driver().sqlite_version,
        "database_revision": HEAD,
    }
    told = "\n".join(f"{name} {value}" for name, value in facts.items())
    emit(lambda: facts, lambda: print_text(told), as_json=as_json)
