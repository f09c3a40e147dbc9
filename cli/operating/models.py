"""Which model writes: `init` chooses one and remembers it, `models` shows roles and providers, or gets weights."""

import shlex
from dataclasses import asdict, dataclass
from typing import Annotated

import typer
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from bookwright.agents.backends import catalogue
from bookwright.app import model_settings
from bookwright.cli.options import AsJson
from bookwright.cli.output import can_ask, emit, make_console, note, print_json, print_table, print_text
from bookwright.models.model_name import ROLES
from bookwright.models.settings import load_settings
from bookwright.storage.engine.database import make_home


def init(
    model: Annotated[
        str | None,
        typer.Option("--model", help="provider:model, for roles that name none; asked for if not given."),
    ] = None,
    notify: Annotated[
        str | None,
        typer.Option("--notify", metavar="COMMAND", help="Run this when a book waits, rests or is finished."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Set this installation up: which model writes your books. It is remembered in `config.toml`; keys are not."""
    settings = load_settings()
    found = model_settings.look_around(settings)
    chosen = model or (_asked(found) if can_ask() and not as_json else None)
    values = model_settings.remember(settings, chosen, tuple(shlex.split(notify)) if notify is not None else None)
    named = values.get("model", found.model)
    if as_json:
        print_json({"file": str(found.file), "model": named, "keys": list(found.keys)})
        return
    print_text(str(found.file))
    note(f"{named} writes your books; `bookwright doctor --ask {named}` asks it two tiny questions")
    note("`bookwright write --example lighthouse` writes a first story, `bookwright studio` opens the page")


def _asked(found: model_settings.SetUp) -> str:
    keys = f"keys are set for {', '.join(found.keys)}" if found.keys else "no key is set; the built-in model needs none"
    note(f"{found.model} writes now; {keys}")
    return str(typer.prompt("model", default=found.suggested if found.keys else found.model, err=True))


@dataclass(frozen=True)
class FetchedModel:
    """An embedded model whose weights are here, as JSON."""

    name: str
    model: str
    """What `--model` takes."""
    file: str


app = typer.Typer(help="Which model each role asks, and what it costs.", invoke_without_command=True)


@app.callback()
def models(context: typer.Context, as_json: AsJson = False) -> None:
    """Show the roles and what each resolves to, and the providers."""
    if context.invoked_subcommand:
        return
    settings = load_settings()
    windows = model_settings.windows_of((settings.models.get(role) or settings.model for role in ROLES), settings)
    roles = [model_settings.role_model(role, settings, windows) for role in ROLES]
    providers = [model_settings.provider_state(provider, settings) for provider in catalogue.PROVIDERS.values()]
    if as_json:
        print_json({"roles": list(map(asdict, roles)), "providers": list(map(asdict, providers))})
        return
    numbers = ("window", "$/M in", "$/M out")
    print_table(("role", "model", *numbers, "state"), map(_role_row, roles), right=numbers, folds=("model", "state"))
    print_text("")
    rows = [(own.provider, _key_text(own), own.address or "no address set") for own in providers]
    print_table(("provider", "key", "address"), rows, folds=("key", "address"))


@app.command("get")
def get(
    name: Annotated[str, typer.Argument(metavar="NAME", help="smollm2, qwen2.5-7b ...; a wrong name lists all.")],
    as_json: AsJson = False,
) -> None:
    """Fetch the weights of an embedded model and check their hash; an interrupted download goes on."""
    from bookwright.agents.backends.local import weights  # brings an HTTP client, for this verb alone

    settings = load_settings()
    size = weights.size_of(name)
    make_home(settings)
    columns = (TextColumn(name), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=make_console(stderr=True)) as bar:
        task = bar.add_task(name, total=size)
        path = weights.get(name, settings, lambda done, total: bar.update(task, completed=done, total=total))
    fetched = FetchedModel(name, f"embedded:{name}", str(path))
    told = f"{fetched.file}\nuse it with --model {fetched.model}"
    emit(lambda: asdict(fetched), lambda: print_text(told), as_json=as_json)


def _role_row(role: model_settings.RoleModel) -> tuple[str, ...]:
    window = f"{role.context_window:,} {role.window_source}".strip()
    return role.role, role.model, window, _shown(role.usd_in), _shown(role.usd_out), role.problem or "ready"


def _key_text(state: model_settings.ProviderState) -> str:
    if catalogue.PROVIDERS[state.provider].runs_program:
        return "logs in by itself"
    if not state.variables:
        return "needs none"
    names = " or ".join(state.variables)
    if state.has_key:
        return f"set ({names})"
    return f"missing: set {names}" if state.needs_key else f"none set ({names}), needs none"


def _shown(price: float | None) -> str:
    return "unknown" if price is None else f"{price:,.2f}"
