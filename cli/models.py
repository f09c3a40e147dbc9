"""`models`: which model each role asks, which providers can be reached, what they cost; and `models get`."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Annotated

import typer
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from bookwright.agents.backends import catalogue, endpoints, prices
from bookwright.agents.backends.windows import Window, found_window
from bookwright.cli.options import AsJson
from bookwright.cli.output import make_console, plain_table, print_json, print_text
from bookwright.models.errors import InvalidInput, MissingKey, UnknownModel
from bookwright.models.model_name import ROLES
from bookwright.models.settings import Settings, load_settings
from bookwright.models.step import Usage
from bookwright.storage.database import make_home

app = typer.Typer(help="Which model each role asks, and what it costs.", invoke_without_command=True)

_SAMPLE_TOKENS = 1_000


@dataclass(frozen=True)
class RoleModel:
    """What one role asks outside any book."""

    role: str
    model: str
    context_window: int
    """Tokens of prompt and answer."""
    window_source: str
    """Who says so: `set` in the settings, `asked` of its server, `known` by its name, or `assumed`."""
    usd_in: float | None
    """US dollars for a million tokens of prompt; None where no price is known."""
    usd_out: float | None
    problem: str
    """Why it cannot be asked as things are set; empty if it can."""


@dataclass(frozen=True)
class ProviderState:
    """Whether a provider can be used here. Keys themselves are never shown."""

    provider: str
    variables: tuple[str, ...]
    has_key: bool
    needs_key: bool
    is_free: bool
    address: str


@app.callback()
def models(context: typer.Context, as_json: AsJson = False) -> None:
    """Show the roles and what each resolves to, and the providers."""
    if context.invoked_subcommand:
        return
    settings = load_settings()
    windows = windows_of((settings.models.get(role) or settings.model for role in ROLES), settings)
    roles = [role_model(role, settings, windows) for role in ROLES]
    providers = [provider_state(provider, settings) for provider in catalogue.PROVIDERS.values()]
    if as_json:
        print_json({"roles": list(map(asdict, roles)), "providers": list(map(asdict, providers))})
        return
    console = make_console()
    console.print(_role_table(roles))
    console.print()
    console.print(_provider_table(providers))


@app.command("get")
def get(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Such as qwen2.5-7b; a wrong name lists them.")],
    as_json: AsJson = False,
) -> None:
    """Download larger weights for the embedded model; an interrupted download goes on."""
    from bookwright.agents.backends import weights  # brings an HTTP client, for this verb alone

    settings = load_settings()
    size = weights.find(name).size
    make_home(settings)
    columns = (TextColumn(name), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=make_console(stderr=True)) as bar:
        task = bar.add_task(name, total=size)
        path = weights.get(name, settings, lambda done, total: bar.update(task, completed=done, total=total))
    if as_json:
        print_json({"name": name, "model": f"embedded:{name}", "file": str(path)})
    else:
        print_text(f"{path}\nuse it with --model embedded:{name}")


def windows_of(names: Iterable[str], settings: Settings) -> dict[str, Window]:
    """Tell how much models take, asking their servers where nothing here knows it; unknown models are left out."""
    found = {}
    for name in dict.fromkeys(names):
        with suppress(UnknownModel):
            found[name] = found_window(name, settings)
    return found


def role_model(role: str, settings: Settings, windows: Mapping[str, Window]) -> RoleModel:
    """Tell what a role asks where no brief says otherwise."""
    name = settings.models.get(role) or settings.model
    problem = problem_of(name, settings)
    window = windows.get(name)
    tokens, source = (window.tokens, window.source.value) if window else (0, "")
    return RoleModel(
        role, name, tokens, source, _price(name, Usage(input_tokens=_SAMPLE_TOKENS), settings),
        _price(name, Usage(output_tokens=_SAMPLE_TOKENS), settings), problem,
    )  # fmt: skip


def problem_of(name: str, settings: Settings) -> str:
    """Say why a model cannot be asked as things are set; empty if it can."""
    try:
        endpoints.check_model(name, settings)
    except InvalidInput as error:
        return str(error)
    return ""


def provider_state(provider: catalogue.Provider, settings: Settings) -> ProviderState:
    """Tell whether a provider has its key and where it is reached."""
    try:
        has_key = bool(endpoints.api_key(provider))
    except MissingKey:
        has_key = False
    return ProviderState(
        provider=provider.name, variables=provider.key_variables, has_key=has_key, needs_key=provider.needs_key,
        is_free=provider.is_free, address=_address(provider, settings),
    )  # fmt: skip


def _address(provider: catalogue.Provider, settings: Settings) -> str:
    if provider.runs_program:
        try:
            return endpoints.program_path(settings)
        except InvalidInput:
            return f"the program {settings.claude_path!r}, which is not here"
    if provider.dialect is catalogue.Dialect.OWN:
        return "in process"
    try:
        return endpoints.base_url(provider, settings)
    except InvalidInput:
        return ""


def _price(name: str, usage: Usage, settings: Settings) -> float | None:
    """US dollars for a million tokens, which is millionths for one."""
    micros = prices.cost(name, usage, settings)
    return None if micros is None else micros / _SAMPLE_TOKENS


def _role_table(roles: list[RoleModel]) -> object:
    columns = ("window", "$/M in", "$/M out")
    table = plain_table("role", "model", *columns, "state", right=columns, folds=("model", "state"))
    for role in roles:
        table.add_row(
            role.role, role.model, f"{role.context_window:,} {role.window_source}".strip(),
            _shown(role.usd_in), _shown(role.usd_out), role.problem or "ready",
        )  # fmt: skip
    return table


def _provider_table(providers: list[ProviderState]) -> object:
    table = plain_table("provider", "key", "address", folds=("key", "address"))
    for state in providers:
        table.add_row(state.provider, _key_text(state), state.address or "no address set")
    return table


def _key_text(state: ProviderState) -> str:
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
