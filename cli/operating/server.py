"""Many books at once: `submit` hands one to a Prefect work pool, `server` runs Prefect for this data folder."""

import math
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bookwright.app.access import existing_library, library
from bookwright.app.orders.briefs import given, read_brief
from bookwright.app.orders.starting import end_in, end_in_book_of
from bookwright.app.status.books import begin_anew
from bookwright.app.status.figures import StudioFigures, served
from bookwright.cli.access import open_book
from bookwright.cli.operating.services import listening
from bookwright.cli.options import AsJson, BriefFile, Until, WordsToday, takes_brief
from bookwright.cli.output import emit, note, print_text
from bookwright.exports.files import formats_in
from bookwright.flows import parameters
from bookwright.flows.library import book_id, check_models, setting_of
from bookwright.flows.prefect import server as prefect_server
from bookwright.flows.stopping import Limits
from bookwright.models.errors import BookwrightError, InvalidSetting, MissingKey, MissingProgram, MissingWeights
from bookwright.models.settings import Settings, load_settings
from bookwright.storage.engine.database import make_home

if TYPE_CHECKING:
    from bookwright.flows.prefect.workers import KeptProcess, Process

_TELL_SECONDS = 10.0
"""What a book that rests takes to tell Prefect so, beyond the wait for its call in flight."""


@takes_brief(
    "premise", "world", "length", "language", "title", "models", "profile", "genre", "style", "audience", "ending",
    "pen_name", "budget_usd", "budget_tokens", "max_planning_rounds", "seed", "candidates",
    "candidates_for", "gates",
)  # fmt: skip
def submit(
    options: dict[str, Any],
    brief_file: BriefFile = None,
    book: Annotated[str | None, typer.Option(help="Go on with this book instead of giving a brief.")] = None,
    is_sweep: Annotated[
        bool, typer.Option("--interrupted", help="Instead of a brief: go on with every book whose worker died.")
    ] = False,
    until: Until = None,
    words_today: WordsToday = None,
    export: Annotated[
        str | None,
        typer.Option(help="Formats that whoever writes it exports to at the end: md,txt,html,epub,docx,json."),
    ] = None,
    as_json: AsJson = False,
    known_wish: Annotated[float, typer.Option(hidden=True)] = math.inf,
) -> None:
    """Hand a book to a Prefect work pool: a worker writes it, here or on another host."""
    settings = load_settings()
    if (book or is_sweep) and (brief_file or options):
        raise InvalidSetting("what is there is handed in as it is; `bookwright brief BOOK --set` changes its order")
    if is_sweep:
        _sweep(settings, as_json)
        return
    name, order, until = _of_book(book, until) if book else _of_brief(brief_file, options, until, settings)
    Limits.parse(until, words_today)
    parameters.check_options(None, until, words_today, None)
    wishes = {"until": until, "words_today": words_today, "export": ",".join(formats_in(export or "")) or None}
    order |= {key: value for key, value in wishes.items() if value is not None}
    from bookwright.flows.prefect import pool as prefect_pool  # Prefect takes a second to import

    with prefect_pool.on_server(_server(settings)), existing_library(settings) as database:
        run = prefect_pool.hand_in(order, name)
        if database is not None:
            begin_anew(database, name, known_wish)
    if not run.is_awaited:
        note(f"no worker was heard of lately; `prefect worker start --pool {prefect_pool.POOL}` starts one")
    told = f"{name} is handed in as flow run {run.id}\n{run.url}"
    emit(lambda: asdict(prefect_pool.HandedIn(name, run)), lambda: print_text(told), as_json=as_json)


def _sweep(settings: Settings, as_json: bool) -> None:
    """Give the runs of dead workers to the pool again, and hand in what no run stands for."""
    from bookwright.flows.prefect import pool as prefect_pool
    from bookwright.flows.prefect import workers as prefect_workers

    with prefect_pool.on_server(_server(settings)):
        swept = prefect_workers.Swept(
            prefect_workers.sweep_once(settings), prefect_workers.hand_in_interrupted(settings)
        )
    told = [f"{book} lost its worker; its run is given to the pool again" for book in swept.again]
    told += [f"{one.book} is handed in as flow run {one.flow_run.id}" for one in swept.handed_in]
    words = "\n".join(told) or "no book has lost its worker"
    emit(lambda: asdict(swept), lambda: print_text(words), as_json=as_json)


def _server(settings: Settings) -> prefect_server.PrefectApi:
    api = prefect_server.known_server(settings)
    if api is None:
        raise BookwrightError(
            "no Prefect server is known; start one with `bookwright server --worker`, or set PREFECT_API_URL"
        )
    return api


def server(
    port: Annotated[int, typer.Option(min=1, max=65_535, help="Where the API and the UI are, on 127.0.0.1.")] = 4200,
    worker: Annotated[bool, typer.Option("--worker", help="Also deploy the flow and run a worker.")] = False,
    limit: Annotated[int, typer.Option(min=1, help="How many books a worker writes at once.")] = 4,
    metrics_port: Annotated[
        int | None, typer.Option(min=1, max=65_535, help="Also serve figures for Prometheus there, on 127.0.0.1.")
    ] = None,
) -> None:
    """Run a Prefect server for this data folder until Ctrl-C, and with --worker all it takes to write books on it."""
    settings = load_settings()
    for wanted, option in ((port, "--port"), (metrics_port, "--metrics-port")):
        if wanted is not None:
            listening(wanted, option).close()
    from bookwright.flows.prefect import pool as prefect_pool  # with Prefect itself
    from bookwright.flows.prefect import workers as prefect_workers

    make_home(settings)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that the blocks below are left
    environment = prefect_server.server_environment(settings, port)
    api = prefect_server.PrefectApi(prefect_server.api_url(port), environment["PREFECT_API_AUTH_STRING"])
    begin = partial(prefect_server.start_server, environment)
    serving = prefect_workers.KeptProcess("Prefect server", begin, note, is_vital=True)
    try:
        prefect_server.wait_until_up(serving.process, api.url)
        _tell_login(settings, api.url)
        sweeping = prefect_workers.sweeping(settings, api)
        figures = _figures(settings, metrics_port) if metrics_port else nullcontext()
        with prefect_server.announced(settings, api.url), sweeping, figures, suppress(KeyboardInterrupt):
            if worker:
                with prefect_pool.on_server(api):
                    prefect_workers.deploy(limit)
                note(f"deployed {prefect_pool.DEPLOYMENT}; `bookwright submit BRIEF.toml` hands a book in")
                arguments = ["worker", "start", "--pool", prefect_pool.POOL, "--limit", str(limit)]
                _work(settings, api, serving, partial(prefect_server.start_prefect, arguments, environment))
            prefect_workers.look_after(serving)
    finally:
        prefect_server.stop_process(serving.process)


@contextmanager
def _figures(settings: Settings, port: int) -> Iterator[None]:
    """Serve the figures of all books beside the server."""
    with library(settings) as database, served(StudioFigures(database, settings), port) as address:
        note(f"figures at {address}")
        yield


def _tell_login(settings: Settings, url: str) -> None:
    """Say how to log in to the UI, and not with what: what is printed may be kept in a log."""
    file = prefect_server.login_file(settings)
    where = f"the line in {file}" if file.exists() else "PREFECT_SERVER_API_AUTH_STRING"
    note(f"Prefect's UI is at {url.removesuffix('/api')}; as the password it asks for, give it {where}")


def _work(
    settings: Settings, api: prefect_server.PrefectApi, serving: "KeptProcess", start: Callable[[], "Process"]
) -> None:
    """Keep a worker running until something ends this; what it leaves behind is the server's."""
    from bookwright.flows.prefect import pool as prefect_pool
    from bookwright.flows.prefect import workers as prefect_workers

    working = prefect_workers.KeptProcess("worker", start, note)
    try:
        prefect_workers.look_after(serving, working)
    finally:
        prefect_server.stop_process(working.process)
        # The books outlive the worker, to keep their calls in flight and say so; where no server hears, none waits.
        with suppress(prefect_server.NoPrefectServer), prefect_pool.on_server(api):
            prefect_pool.wait_for_endings(settings.stop_seconds + _TELL_SECONDS)


def _of_book(book: str, until: str | None) -> tuple[str, dict[str, Any], str | None]:
    with open_book(book) as opened:
        return opened.book.id, {"book": opened.book.id}, end_in(opened.storage, until)


def _of_brief(
    file: Path | None, options: dict[str, Any], until: str | None, settings: Settings
) -> tuple[str, dict[str, Any], str | None]:
    brief = read_brief(file, options)
    with existing_library(settings) as database:
        if database is not None:  # else the worker looks for the world that it is set in
            brief, _ = setting_of(brief, database, settings)
    parameter = given(brief)
    parameters.read_brief(parameter)  # as the worker will
    parameters.check_webhook(brief, settings)
    with suppress(MissingKey, MissingWeights, MissingProgram):  # those are the workers'; each looks for itself
        check_models(brief, settings)
    return book_id(brief), {"brief": parameter}, end_in_book_of(brief, until, settings, is_new=False)
