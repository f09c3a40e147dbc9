"""Which model each role asks outside any book, what is there to choose from, and where the choice is remembered."""

import os
import tomllib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli_w

from bookwright.agents.backends import catalogue, endpoints
from bookwright.agents.backends.spending import prices
from bookwright.agents.backends.windows import ContextWindow, found_window
from bookwright.exports.files import write_whole
from bookwright.models.errors import InvalidInput, MissingKey, UnknownModel
from bookwright.models.model_name import DEFAULT, full_name
from bookwright.models.settings import Settings
from bookwright.models.step import Usage

_SAMPLE_TOKENS = 1_000
_SUGGESTED = {
    "anthropic": "anthropic:claude-sonnet-5-5", "openai": "openai:gpt-6.1-terra",
    "deepseek": "deepseek:deepseek-v4-pro",
}  # fmt: skip
"""What a person with that key is likely to want."""


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
    return RoleModel(role, name, tokens, source, *usd_per_million(name, settings), problem)


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


def usd_per_million(name: str, settings: Settings) -> tuple[float | None, float | None]:
    """US dollars for a million tokens of short prompts, and of answers; None where no price is known."""

    def dollars(usage: Usage) -> float | None:
        micros = prices.cost(name, usage, settings)
        return None if micros is None else micros / _SAMPLE_TOKENS

    return dollars(Usage(input_tokens=_SAMPLE_TOKENS)), dollars(Usage(output_tokens=_SAMPLE_TOKENS))


@dataclass(frozen=True)
class SetUp:
    """What there is to choose from here."""

    file: Path
    model: str
    """What writes now."""
    keys: tuple[str, ...]
    """Providers that have a key."""
    suggested: str
    """A model that could be asked here; the built-in one where there is no key."""


def look_around(settings: Settings) -> SetUp:
    """Tell what is set up, and what could be."""
    keys = tuple(name for name, provider in catalogue.PROVIDERS.items() if provider.needs_key and has_key(provider))
    suggested = next((model for name, model in _SUGGESTED.items() if name in keys), DEFAULT)
    return SetUp(settings.home / "config.toml", settings.model, keys, suggested)


def remember(settings: Settings, model: str | None, notify: tuple[str, ...] | None = None) -> dict[str, Any]:
    """Write choices to `config.toml`, where all else stays as it is, and return what stands there now.

    Raises:
        UnknownModel: The model has no provider that is known.
        InvalidInput: The file is no TOML; nothing was written.
        UnwritableFolder: It cannot be written.
    """
    file = settings.home / "config.toml"
    try:
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        values = tomllib.loads(text)
    except (ValueError, OSError) as error:
        raise InvalidInput(f"{str(file)!r} cannot be read: {error}") from None
    if model is not None:
        values["model"] = known_model(model)
        catalogue.split_name(values["model"])
    if notify is not None:
        values["notify_command"] = list(notify)
    write_whole(_kept(text, values), file)
    return values


def _kept(text: str, values: dict[str, Any]) -> str:
    """The file's new text: what was changed is replaced in place, so that comments of the author's stay."""
    lines = text.splitlines()
    head = next((index for index, line in enumerate(lines) if line.lstrip().startswith("[")), len(lines))
    for name in ("model", "notify_command"):
        if name not in values:
            continue
        line = tomli_w.dumps({name: values[name]}, multiline_strings=False).replace("\n    ", "").replace(",\n]", "]")
        at = next((i for i, held in enumerate(lines[:head]) if held.partition("=")[0].strip() == name), None)
        if at is None:
            lines.insert(head, line.strip())
            head += 1
        else:
            lines[at] = line.strip()
    text = "\n".join(lines) + "\n"
    if tomllib.loads(text) != values:  # a value over several lines, say: then the file is written anew
        return tomli_w.dumps(values)
    return text
