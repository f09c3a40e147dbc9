"""Setting an installation up: which model writes, and where that is remembered."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli_w

from bookwright.agents.backends import catalogue
from bookwright.app.orders.role_models import has_key, known_model
from bookwright.failpoints import Failpoint
from bookwright.models.errors import InvalidInput, UnwritableFolder
from bookwright.models.model_name import DEFAULT
from bookwright.models.settings import Settings
from bookwright.storage.files.file_system import whole

_SUGGESTED = {
    "anthropic": "anthropic:claude-sonnet-5-5", "openai": "openai:gpt-6.1-terra",
    "deepseek": "deepseek:deepseek-v4-pro",
}  # fmt: skip
"""What a person with that key is likely to want."""


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
        values = tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    except (ValueError, OSError) as error:
        raise InvalidInput(f"{str(file)!r} cannot be read: {error}") from None
    if model is not None:
        values["model"] = known_model(model)
        catalogue.split_name(values["model"])
    if notify is not None:
        values["notify_command"] = list(notify)
    try:
        with whole(file, Failpoint.REPLACE_FILE) as unfinished:
            unfinished.write_text(_kept(file, values), encoding="utf-8")
    except OSError as error:
        raise UnwritableFolder(f"{str(file)!r} cannot be written ({error.strerror or error})") from None
    return values


def _kept(file: Path, values: dict[str, Any]) -> str:
    """The file's new text: what was changed is replaced in place, so that comments of the author's stay."""
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
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
