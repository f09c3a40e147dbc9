"""`backup` and `restore`: all books as one file."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bookwright.cli.changing.versions import KindOption, restore_version
from bookwright.cli.options import AsJson, Yes
from bookwright.cli.output import check_agreed, note, print_json, print_text
from bookwright.models.errors import InvalidInput
from bookwright.models.settings import load_settings
from bookwright.models.wording import counted, moment

if TYPE_CHECKING:
    from bookwright.storage.backup.backup_file import Manifest


def backup(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="A new file, or a folder; `backups` in the data folder if not given."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write all books to one file, also while they are being written."""
    from bookwright.storage.backup.backup import back_up, default_path  # brings Postgres's driver

    settings = load_settings()
    made = back_up(settings, file or default_path(settings))
    if as_json:
        place = {"file": str(made.path), "file_bytes": made.path.stat().st_size}
        print_json(made.manifest.model_dump(mode="json") | place)
        return
    print_text(str(made.path))
    note(_contents(made.manifest))


def restore(
    what: Annotated[str, typer.Argument(metavar="FILE | BOOK", help="What `bookwright backup` wrote; or a book.")],
    node: Annotated[str | None, typer.Argument(metavar="[NODE]", help="Of a book: a node's label.")] = None,
    version: Annotated[int | None, typer.Argument(metavar="[VERSION]", help="Which version to take up again.")] = None,
    kind: KindOption = None,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Put a backup in the place of all books; or, of a book's node, take an earlier version of a document up again."""
    if node is None:
        _restore_all(Path(what), yes, as_json)
    elif version is None:
        raise InvalidInput(f"say which version; `bookwright history {what} {node}` lists them")
    else:
        restore_version(what, node, version, kind, as_json)


def _restore_all(file: Path, yes: bool, as_json: bool) -> None:
    from bookwright.storage.backup import backup
    from bookwright.storage.backup.backup_file import read_manifest

    settings = load_settings()
    found = read_manifest(file)
    question = f"Put {_contents(found)} in the place of all books?"
    check_agreed(question, "nothing was restored; --yes restores without asking", yes=yes)
    done = backup.restore(settings, file)
    if as_json:
        print_json({"file": str(file), "kept": done.kept, "books": [book.id for book in done.manifest.books]})
        return
    note(f"{_contents(done.manifest)}: restored")
    if done.kept:
        note(f"what stood there is kept as {done.kept}")


def _contents(manifest: "Manifest") -> str:
    return f"{counted(len(manifest.books), 'book')} of {moment(manifest.made_at)} (revision {manifest.revision})"
