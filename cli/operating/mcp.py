"""`mcp`: the tool server, through which an assistant of the author's own sees the books."""

from typing import Annotated

import typer

from bookwright.cli.output import note
from bookwright.models.settings import load_settings


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

    token = token_of(settings)
    note(f"http://127.0.0.1:{http}/mcp for whoever sends `Authorization: Bearer {token}`; Ctrl-C ends it")
    uvicorn.run(http_app(server, token), host="127.0.0.1", port=http, log_level="warning")
