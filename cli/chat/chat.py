"""`chat`: talking with an agent in a terminal, or through a pipe."""

from pathlib import Path
from typing import Annotated

import typer

from bookwright.app.access import existing_library, library
from bookwright.cli.options import AsJson
from bookwright.models.errors import InvalidInput, InvalidSetting
from bookwright.models.settings import load_settings


def chat(
    agent: Annotated[str | None, typer.Option(help="code, test, researcher, writer, planner or log-monitor.")] = None,
    book: Annotated[str | None, typer.Option(help="The book that the talk is about: its id, or a beginning.")] = None,
    provider: Annotated[str | None, typer.Option(help="Such as zhipu; with --model.")] = None,
    model: Annotated[str | None, typer.Option(help="Such as GLM-4.7, or provider:model.")] = None,
    session: Annotated[str | None, typer.Option(help="Go on with this session: its id, or a beginning.")] = None,
    fork: Annotated[bool, typer.Option("--fork", help="Go on in a copy of the session.")] = False,
    lists: Annotated[bool, typer.Option("--list", help="List the sessions there are.")] = False,
    deletes: Annotated[bool, typer.Option("--delete", help="Delete the session for good.")] = False,
    show_raw: Annotated[bool, typer.Option("--show-raw", help="Show each reply as the model gave it.")] = False,
    cwd: Annotated[Path, typer.Option(help="The folder whose files the agent sees.")] = Path(),
    yes: Annotated[bool, typer.Option("--yes", help="Write files, or delete the session, without asking.")] = False,
    budget_usd: Annotated[float | None, typer.Option(min=0, help="Cap in US dollars, over this talk.")] = None,
    lines: Annotated[bool, typer.Option("--lines", help="Each line of a pipe is a message of its own.")] = False,
    as_json: AsJson = False,
) -> None:
    """Talk with an agent. Through a pipe, the whole input is one message."""
    from bookwright.app.talks import opening
    from bookwright.cli.chat import view  # these bring the agents, which other verbs do not need
    from bookwright.cli.chat.repl import ChatOptions, hold

    settings = load_settings()
    wanted = opening.SessionWish(agent, book, provider, model, session, fork)
    if deletes and (lists or fork or session is None):
        raise InvalidInput(
            "--delete goes with --session, which names the talk to delete, and with neither --list nor --fork"
        )
    if lists:
        with existing_library(settings) as known:
            view.list_sessions(known, wanted, as_json=as_json)
        return
    if deletes and session:
        with library(settings) as database:
            view.delete_session(database, session, settings.home, yes=yes, as_json=as_json)
        return
    if not cwd.is_dir():
        raise InvalidInput(f"--cwd {str(cwd)!r} is no folder")
    if budget_usd is not None and not budget_usd < float("inf"):
        raise InvalidSetting("--budget-usd is no amount of money")
    options = ChatOptions(cwd, show_raw, yes, lines, as_json, budget_usd)
    with library(settings) as database:
        begins = opening.open_talk(wanted, settings, database)
        hold(begins, options, settings, database)
