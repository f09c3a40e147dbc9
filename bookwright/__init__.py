"""Bookwright writes whole books, one durable step at a time."""

import os
from importlib import import_module
from typing import Any

__version__ = "0.1.0"

NO_CALLS_OUT = {
    "DO_NOT_TRACK": "1",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "ANONYMIZED_TELEMETRY": "False",
    "HF_HUB_DISABLE_TELEMETRY": "1",
}
"""Telemetry of Prefect, Chroma and the hub of models is off, whatever was set."""

if os.path.islink(os.path.join(__path__[0], "flows")):
    __path__.insert(0, os.path.dirname(__path__[0]))  # sources: modules go by the paths that editors and debuggers know
# Here and nowhere else: Prefect looks when it is imported, and before any module of ours this one is.
os.environ.update(NO_CALLS_OUT)

_FROM = {
    "Library": "app.python_api",
    "LibraryBook": "app.library_book",
    "Brief": "models.brief",
    "Budget": "models.brief",
    "Book": "models.book",
    "BookEstimate": "app.estimates.rehearsal",
    "Event": "models.talk.event",
    "BookwrightError": "models.errors",
    "BookPaused": "models.errors",
    "GateWaiting": "models.errors",
}
"""The names that are for other programs, and where each is found: docs/python.md."""

__all__ = list(_FROM)  # types are in the stub beside this


def __getattr__(name: str) -> Any:
    """Import a public name when it is asked for: the command line needs few of them."""
    if name not in _FROM:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_FROM[name]}"), name)
