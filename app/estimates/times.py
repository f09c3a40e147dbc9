"""How long a book's calls take, one after another: roughly, by how fast models of a kind write."""

from bookwright.agents.backends import catalogue
from bookwright.app.orders.bill import Bill

_READ, _WRITTEN, _WAIT = "read", "written", "wait"
_EMBEDDED = {_READ: 1_000.0, _WRITTEN: 50.0, _WAIT: 0.0}
_OWN_SERVER = {_READ: 1_000.0, _WRITTEN: 20.0, _WAIT: 0.5}
_REMOTE = {_READ: 10_000.0, _WRITTEN: 60.0, _WAIT: 2.0}
"""Tokens read and written in a second, and seconds until a model begins."""


def seconds_of(bill: Bill, model: str) -> float:
    """Guess how many seconds the calls of a bill take."""
    provider = catalogue.split_name(model)[0]
    pace = _EMBEDDED if provider.name == "embedded" else _OWN_SERVER if provider.is_free else _REMOTE
    return bill.calls * pace[_WAIT] + bill.input_tokens / pace[_READ] + bill.output_tokens / pace[_WRITTEN]
