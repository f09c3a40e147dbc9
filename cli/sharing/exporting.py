"""Books as files: `export` makes one of a book, `backup` one of all books, which `restore` puts back."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bookwright.app.access import OpenBook
from bookwright.cli.access import open_book
from bookwright.cli.changing.versions import KindOption, restore_version
from bookwright.cli.options import AsJson, BookArgument, Output, Yes
from bookwright.cli.output import check_agreed, emit, note, print_json, print_text
from bookwright.exports.files import FORMATS, Layout, check_formats, export_path, place
from bookwright.exports.files import export as export_to_file
from bookwright.exports.manuscript import Manuscript
from bookwright.exports.text import MOST_CHARACTERS, oversized
from bookwright.models.errors import InvalidInput
from bookwright.models.settings import load_settings
from bookwright.models.wording import counted, moment
from bookwright.storage.files.privacy import share

if TYPE_CHECKING:
    from bookwright.storage.backup.backup_file import Manifest


def export(
    book: BookArgument,
    to: Annotated[str, typer.Option(metavar="FORMAT", help=f"{', '.join(FORMATS)}.")] = "md",
    output: Output = None,
    cover: Annotated[Path | None, typer.Option(metavar="FILE", help="A JPEG or PNG as the cover of an EPUB.")] = None,
    vertical: Annotated[bool, typer.Option("--vertical", help="Lines from top to bottom: EPUB in Japanese.")] = False,
    encoding: Annotated[str, typer.Option(help="utf-8 or gb18030, for txt.")] = "utf-8",
    as_json: AsJson = False,
) -> None:
    """Write what there is of a book to a file, replacing an earlier export."""
    [name] = check_formats([to])
    layout = Layout(cover, vertical, encoding.lower())
    with open_book(book) as opened:
        identity = opened.book.id
        target = place(output, identity, name) if output else export_path(identity, name, opened.settings)
        path = export_to_file(opened.storage, name, target, layout)
        if output:
            share(path)
        if name == "txt":
            _tell_oversized(opened)
    facts = {"book": identity, "format": name, "file": str(path), "bytes": path.stat().st_size}
    emit(lambda: facts, lambda: print_text(str(path)), as_json=as_json)


def _tell_oversized(opened: OpenBook) -> None:
    headings = oversized(Manuscript(opened.storage))
    if headings:
        most = MOST_CHARACTERS[opened.storage.language]
        named = ", ".join(headings[:3]) + (" and more" if len(headings) > 3 else "")
        note(f"longer than the {most:,} characters that platforms take as one chapter: {named}")


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
        written = {"file": str(made.path), "file_bytes": made.path.stat().st_size}
        print_json(made.manifest.model_dump(mode="json") | written)
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
    from bookwright.storage.backup.backup import restore as put_back
    from bookwright.storage.backup.backup_file import read_manifest

    settings = load_settings()
    found = read_manifest(file)
    question = f"Put {_contents(found)} in the place of all books?"
    check_agreed(question, "nothing was restored; --yes restores without asking", yes=yes)
    done = put_back(settings, file)
    if as_json:
        print_json({"file": str(file), "kept": done.kept, "books": [book.id for book in done.manifest.books]})
        return
    note(f"{_contents(done.manifest)}: restored")
    if done.kept:
        note(f"what stood there is kept as {done.kept}")


def _contents(manifest: "Manifest") -> str:
    return f"{counted(len(manifest.books), 'book')} of {moment(manifest.made_at)} (revision {manifest.revision})"
