"""`studio`: the page where an author lives with their books."""

from typing import Annotated

import typer

from bookwright.cli.output import note, print_text
from bookwright.models.settings import load_settings

_PORT = 8320


def studio(
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="On which port of this machine; 0 takes a free one.")
    ] = _PORT,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Print the address and open nothing.")] = False,
) -> None:
    """Open a page on this machine that shows all books and does what an author does; books go on when it stops."""
    from bookwright.studio.server import serve  # FastAPI, for this verb alone

    def tell(address: str) -> None:
        print_text(address)
        note("this address opens the studio once; Ctrl-C stops it, and books that are being written go on")

    serve(load_settings(), port, tell, opens_browser=not no_browser)
