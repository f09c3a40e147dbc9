"""What is served on this machine: `studio` for an author, `mcp` for their assistant, `metrics` for Prometheus."""

import os
import socket
from threading import Event
from typing import Annotated

import typer

from bookwright.cli.output import note, print_text
from bookwright.models.errors import InvalidSetting
from bookwright.models.settings import load_settings


def studio(
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="On which port of this machine; 0 takes a free one.")
    ] = 8320,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Print the address and open nothing.")] = False,
) -> None:
    """Open a page on this machine that shows all books and does what an author does; books go on when it stops."""
    from bookwright.studio.server import serve  # FastAPI, for this verb alone

    def tell(address: str) -> None:
        print_text(address)
        note("this address opens the studio once; Ctrl-C stops it, and books that are being written go on")

    settings = load_settings()
    with listening(port, "--port") as listener:
        serve(settings, listener, tell, opens_browser=not no_browser)


def mcp(
    allows_changes: Annotated[
        bool, typer.Option("--allow", help="Let it change books, and spend once a bill is confirmed by its hash.")
    ] = False,
    http: Annotated[
        int | None, typer.Option("--http", metavar="PORT", min=1, max=65_535, help="Serve HTTP on the loopback.")
    ] = None,
) -> None:
    """Let an assistant look at your books, by the Model Context Protocol; on stdin and stdout unless told otherwise."""
    from bookwright.app.assistants.server import http_app, make_server, token_of  # wants the extra `mcp`

    settings = load_settings()
    server = make_server(settings, allows_changes=allows_changes)
    if http is None:
        server.run("stdio")
        return
    import uvicorn  # for this alone

    with listening(http, "--http") as listener:
        token = token_of(settings)
        note(f"http://127.0.0.1:{http}/mcp for whoever sends `Authorization: Bearer {token}`; Ctrl-C ends it")
        uvicorn.Server(uvicorn.Config(http_app(server, token), log_level="warning")).run([listener])


def metrics(
    port: Annotated[int, typer.Option(min=0, max=65_535, help="Where they are served, on 127.0.0.1.")] = 9464,
    once: Annotated[bool, typer.Option("--once", help="Print them, counted from the first call on, and end.")] = False,
) -> None:
    """Serve figures of books, calls, tokens and money at /metrics until Ctrl-C; no text and no title is in them."""
    from bookwright.app.access import library  # with the database, which no other verb here takes
    from bookwright.app.status.figures import StudioFigures, served  # and Prometheus' client

    settings = load_settings()
    with library(settings) as database:
        if once:
            print_text(StudioFigures(database, settings, is_whole=True, settled_seconds=0).text())
            return
        with served(StudioFigures(database, settings), port) as address:
            note(f"figures at {address}")
            Event().wait()


def listening(port: int, option: str) -> socket.socket:
    """Return a socket that listens on the loopback; on any port that is free, if it is 0.

    Raises:
        InvalidSetting: The port cannot be had; the `option` names another.
    """
    try:
        return socket.create_server(("127.0.0.1", port), backlog=128)
    except OSError as error:
        why = os.strerror(error.errno or 0)
        raise InvalidSetting(f"port {port} cannot be had ({why}); {option} names another") from None
