"""How a model is reached: its provider's address, key or program; and whether it can be asked for at all.

What a provider says is put into messages without its key.
"""

import os
import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from bookwright.agents.backends.catalogue import Dialect, Provider, split_name
from bookwright.agents.backends.spending import prices
from bookwright.models.errors import InvalidSetting, MissingKey, MissingProgram, RequestRejected, UnknownModel
from bookwright.models.settings import Settings
from bookwright.models.text.hints import did_you_mean
from bookwright.models.text.plain import plain

_MOST_CHARACTERS = 300
_KEY = re.compile(r"\b(sk|key|pk)-[\w*-]{6,}")


@dataclass(frozen=True)
class Endpoint:
    """A model with all that is needed to reach it."""

    provider: Provider
    model: str
    base_url: str
    api_key: str = field(repr=False)

    @property
    def is_loopback(self) -> bool:
        """Whether it stands on this machine, where no proxy leads."""
        return urlsplit(self.base_url).hostname in ("127.0.0.1", "localhost", "::1")


def program_path(settings: Settings) -> str:
    """Find the program of the provider that runs one; nothing is started.

    Raises:
        MissingProgram: It is not here; the message says how to get it.
    """
    if found := shutil.which(os.path.expanduser(settings.claude_path)):
        return found
    raise MissingProgram(
        f"claude-cli runs the program {settings.claude_path!r}, which is not here: install Claude Code "
        "(npm install -g @anthropic-ai/claude-code), log in by running `claude` once, "
        "or say where it lies with claude_path in config.toml"
    )


def base_url(provider: Provider, settings: Settings) -> str:
    """Tell where a provider is reached.

    Raises:
        InvalidSetting: No address is set, or it is none.
    """
    wanted = settings.llm_base_url if provider.name == "compatible" else ""
    found = (wanted or _first_set(provider.url_variables) or provider.base_url).rstrip("/")
    variable = provider.url_variables[0]
    if not found:
        raise InvalidSetting(f"{provider.name} has no address: set {variable}, such as http://127.0.0.1:8080/v1")
    parts = urlsplit(found)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InvalidSetting(f"the address of {provider.name} must begin with http:// or https://, not {found!r}")
    return found


def api_key(provider: Provider) -> str:
    """Return the provider's key from the environment; empty where it needs none and has none.

    Raises:
        MissingKey: It needs one and there is none, or what is set cannot be one.
    """
    key = _first_set(provider.key_variables)
    variables = " or ".join(provider.key_variables)
    if not key and provider.needs_key:
        raise MissingKey(f"{provider.name} needs an API key: set {variables}, or choose another model")
    if not key.isascii() or any(char.isspace() for char in key):
        raise MissingKey(f"{variables} holds characters that no API key has; copy the key again")
    return key


def find_endpoint(name: str, settings: Settings) -> Endpoint:
    """Look up all that is needed to reach a remote model.

    Raises:
        UnknownModel, MissingKey, InvalidSetting: It cannot be reached as things are set.
    """
    provider, model = split_name(name)
    return Endpoint(provider, model, base_url(provider, settings), api_key(provider))


def check_model(name: str, settings: Settings) -> None:
    """Make sure, without a network, that a model can be asked for.

    Raises:
        UnknownModel: The provider or the model is unknown; the message says what to do.
        MissingWeights: It is built in, and not installed.
        MissingKey: The provider needs a key.
        MissingProgram: The provider runs a program that is not here.
        InvalidSetting: The provider's address is missing or wrong.
    """
    provider, model = split_name(name)
    if provider.runs_program:
        program_path(settings)
        return
    if provider.dialect is Dialect.OWN:
        if name == "embedded:smollm2":
            from bookwright.agents.backends.local import packaged  # only who asks it looks for it

            packaged.find(settings)
        if provider.name == "rehearsal":
            _check_rehearsal(name)
        if model.endswith(".gguf") and not Path(model).expanduser().is_file():
            raise UnknownModel(f"no model file is at {model!r}")
        return
    _check_known(name, provider, model, settings)
    api_key(provider)


def _check_rehearsal(name: str) -> None:
    from bookwright.agents.backends.rehearsal.step import mode_of  # no other model needs a rehearsal's vocabulary

    try:
        mode_of(name)
    except RequestRejected as error:
        raise UnknownModel(str(error)) from None


def _check_known(name: str, provider: Provider, model: str, settings: Settings) -> None:
    """Make sure that a model's provider is known to have it, as far as anything here can tell."""
    is_own_address = base_url(provider, settings) != provider.base_url  # a gateway may serve anything
    if is_own_address or name in settings.prices or prices.listed(provider.price_lists, model):
        return
    names = prices.listed_names(provider.price_lists)
    if not names or provider.name == "openrouter":
        return
    hint = did_you_mean(model, names, ".", lambda near: f"{provider.name}:{near}")
    raise UnknownModel(
        f"{provider.name} is not known to have a model {model!r}{hint} "
        f'If it is new, give its price in config.toml under [prices."{name}"]'
    )


def _first_set(variables: tuple[str, ...]) -> str:
    return next((value for name in variables if (value := os.environ.get(name, "").strip())), "")


def on_one_line(text: str, secret: str = "") -> str:
    """Put a provider's words on one line of at most 300 characters, without `secret` or anything like a key."""
    if secret:
        text = text.replace(secret, "...")
    text = _KEY.sub("...", " ".join(plain(text).split()))
    return text if len(text) <= _MOST_CHARACTERS else text[:_MOST_CHARACTERS] + " ..."
