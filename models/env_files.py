"""Keys and settings in `.env` files: the environment wins, then the working folder's, then the data folder's.

A key may stand in a file of its own, which a variable that ends in `_FILE` names: so containers and systemd do it.
Source: S1-039.
"""

import re
from collections.abc import MutableMapping
from pathlib import Path

from bookwright.models.errors import InvalidSetting

NAME = ".env"
_OURS = re.compile(
    r"BOOKWRIGHT_\w+|[A-Z0-9]+_API_KEY(?:_FILE)?|[A-Z0-9]+_BASE_URL|OTEL_(?:EXPORTER_OTLP|SERVICE|RESOURCE|TRACES)_\w+"
    r"|SLIMA_AGENTS_MODEL|ENABLE_LEGACY_ADAPTER"
)
"""What is taken from such a file; it can set no search path and nothing else of the system's."""

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
    path = folder / NAME
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
