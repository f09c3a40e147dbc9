"""Keys and settings in `.env` files: the environment wins, then the working folder's, then the data folder's.

Source: S1-039.
"""

import re
from collections.abc import MutableMapping
from pathlib import Path

NAME = ".env"
_OURS = re.compile(r"BOOKWRIGHT_\w+|[A-Z0-9]+_API_KEY|[A-Z0-9]+_BASE_URL|SLIMA_AGENTS_MODEL|ENABLE_LEGACY_ADAPTER")
"""What is taken from such a file; it can set no search path and nothing else of the system's."""


def take_in(folder: Path, environment: MutableMapping[str, str]) -> None:
    """Add what the `.env` of a folder says to an environment that does not say it yet.

    Nothing is done where there is no such file, or none that can be read as text.
    """
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
