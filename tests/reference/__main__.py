"""Make anew what the docs have from the code: `python -m tests.reference`."""

import io
import os
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from bookwright.cli.error_handling import run
from bookwright.cli.main import app
from tests.cli.shelf import a_book
from tests.reference import cli_page, schemas
from tests.reference.lines import said_by
from tests.support.books import make_settings


def cli(*arguments: str) -> tuple[int, str]:
    """Run a command as `main` does."""
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(io.StringIO()):
        code = run(app, list(arguments))
    return code, out.getvalue()


def main() -> None:
    """Write docs/cli.md and docs/schemas."""
    cli_page.PAGE.write_text(cli_page.page_text(cli_page.PAGE.read_text("utf-8")), "utf-8")
    with tempfile.TemporaryDirectory() as place:
        home = Path(place, "home")
        os.environ |= {
            "BOOKWRIGHT_HOME": str(home), "BOOKWRIGHT_MODEL": "rehearsal:exact", "BOOKWRIGHT_EMBEDDING": "hashing",
            "BOOKWRIGHT_FREE_MEGABYTES": "0", "BOOKWRIGHT_LEASE_SECONDS": "2",
        }  # fmt: skip
        a_book(make_settings(home))
        said = list(said_by(cli, Path(place)))
    for file in schemas.FOLDER.glob("*.json"):
        file.unlink()
    for name, schema in schemas.made(said).items():
        (schemas.FOLDER / f"{name}.json").write_text(schemas.text_of(schema), "utf-8")


if __name__ == "__main__":
    main()
