"""Which model each role asks outside any book, what it costs, and which providers can be reached."""

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from bookwright.agents.backends import catalogue, endpoints
from bookwright.agents.backends.spending import prices
from bookwright.agents.backends.windows import ContextWindow, found_window
from bookwright.models.errors import InvalidInput, MissingKey, UnknownModel
from bookwright.models.model_name import full_name
from bookwright.models.settings import Settings
from bookwright.models.step import Usage

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


def windows_of(names: Iterable[str], settings: Settings) -> dict[str, ContextWindow]:
    """Tell how much models take, asking their servers where nothing here knows it; unknown models are left out."""
    found = {}
    for name in dict.fromkeys(names):
        with suppress(UnknownModel):
            found[name] = found_window(name, settings)
    return found


def role_model(role: str, settings: Settings, windows: Mapping[str, ContextWindow]) -> RoleModel:
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


def known_model(name: str) -> str:
    """Return the full name of a model, such as `openai:gpt-5.6-luna`.

    Raises:
        UnknownModel: Nothing is called that.
    """
    try:
        return full_name(name, os.environ)
    except ValueError as error:
        raise UnknownModel(str(error)) from None


def has_key(provider: catalogue.Provider) -> bool:
    """Tell whether a provider that takes a key has one here."""
    try:
        return bool(endpoints.api_key(provider))
    except MissingKey:
        return False


def provider_state(provider: catalogue.Provider, settings: Settings) -> ProviderState:
    """Tell whether a provider has its key and where it is reached."""
    return ProviderState(
        provider.name, provider.key_variables, has_key(provider), provider.needs_key, provider.is_free,
        _address(provider, settings),
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
