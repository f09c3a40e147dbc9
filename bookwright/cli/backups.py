"""`backup` and `restore`: all books as one file."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bookwright.cli.options import AsJson
from bookwright.cli.output import moment, note, print_json, print_text
from bookwright.models.errors import InvalidInput
from bookwright.models.settings import load_settings

if TYPE_CHECKING:
    from bookwright.storage.backup_file import Manifest


def backup(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="A file or folder; `backups` in the data folder if not given."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write all books to one file, also while they are being written."""
    from bookwright.storage.backup import back_up, default_path  # brings Postgres's driver, for these verbs alone

    settings = load_settings()
    made = back_up(settings, file or default_path(settings))
    facts = made.manifest.model_dump(mode="json") | {"file": str(made.path), "file_bytes": made.path.stat().st_size}
    if as_json:
        print_json(facts)
    else:
        print_text(str(made.path))
        note(_told(made.manifest))


def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `bookwright backup` wrote.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Put a backup in the place of all books; what was there is kept beside it."""
    from bookwright.storage import backup
    from bookwright.storage.backup_file import read_manifest

    settings = load_settings()
    found = read_manifest(file)
    if not yes and not typer.confirm(f"Put {_told(found)} in the place of all books?", err=True):
        raise InvalidInput("nothing was restored; --yes restores without asking")
    done = backup.restore(settings, file)
    if as_json:
        print_json({"file": str(file), "kept": done.kept, "books": [book.id for book in done.manifest.books]})
        return
    note(f"{_told(done.manifest)}: restored")
    if done.kept:
        note(f"what stood there is kept as {done.kept}")


def _told(manifest: "Manifest") -> str:
    count = len(manifest.books)
    return f"{count} book{'' if count == 1 else 's'} of {moment(manifest.made_at)} (revision {manifest.revision})"
