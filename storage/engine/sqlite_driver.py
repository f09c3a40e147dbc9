"""Which SQLite is used: the interpreter's own, or a newer one."""

import importlib
import sqlite3
from typing import Any

SAFE_SQLITE = (3, 51, 3)
"""The first SQLite without the WAL-reset fault that can corrupt under two writers."""


def sqlite_driver() -> Any:
    """The DB-API module to use: the interpreter's own where it is safe, else the newer wheel."""
    if sqlite3.sqlite_version_info >= SAFE_SQLITE:
        return sqlite3
    try:
        return importlib.import_module("pysqlite3.dbapi2")
    except ImportError:
        return sqlite3  # not on every platform; `doctor` names the fault
