"""The login of a data folder's Prefect server: made at its first start, in a file that its owner alone can read."""

import os
import secrets
from pathlib import Path

from bookwright.models.errors import InvalidSetting
from bookwright.models.settings import Settings
from bookwright.storage.files.privacy import write_once

_VARIABLE = "PREFECT_SERVER_API_AUTH_STRING"
_USER = "bookwright"
_BYTES = 32


def login_file(settings: Settings) -> Path:
    """Where the login lies: one line, `user:password`, which is also what the UI asks for."""
    return settings.home / "prefect" / "login"


def make_login(settings: Settings) -> str:
    """Return the login of this data folder's servers, making one if there is none; a person's own setting wins."""
    file = login_file(settings)
    made = known_login(settings) or write_once(file, f"{_USER}:{secrets.token_urlsafe(_BYTES)}")
    if not made:
        raise InvalidSetting(f"{str(file)!r} holds no login; remove it, and the next start makes one")
    return made


def known_login(settings: Settings) -> str:
    """Return the login if there is one; empty, and nothing made, if there is not."""
    try:
        return os.environ.get(_VARIABLE) or login_file(settings).read_text(encoding="utf-8").strip()
    except OSError:
        return ""
