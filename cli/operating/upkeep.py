"""`db upgrade` and `version`."""

import platform

import typer

from bookwright import __version__
from bookwright.app.access import library
from bookwright.cli.options import AsJson
from bookwright.cli.output import note, print_json, print_text
from bookwright.models.settings import load_settings
from bookwright.storage.engine import migrate
from bookwright.storage.engine.engines import sqlite_driver

db_app = typer.Typer(help="Keep the database up to date.", no_args_is_help=True)


@db_app.command("upgrade")
def upgrade(as_json: AsJson = False) -> None:
    """Create the database, or bring it to the newest revision; books stay as they are."""
    with library(load_settings()):
        pass  # opening it is upgrading it
    if as_json:
        print_json({"revision": migrate.HEAD})
    else:
        note(f"the database stands at revision {migrate.HEAD}")


def version(as_json: AsJson = False) -> None:
    """Show the version of Bookwright, Python and SQLite."""
    facts = {
        "bookwright": __version__,
        "python": platform.python_version(),
        "sqlite": sqlite_driver().sqlite_version,
        "database_revision": migrate.HEAD,
    }
    if as_json:
        print_json(facts)
    else:
        print_text("\n".join(f"{name} {value}" for name, value in facts.items()))
