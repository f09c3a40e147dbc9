"""Telling a webhook that a gate waits: one POST of a small JSON, tried twice, that never stops a book."""

import queue
import threading
import time
from contextlib import suppress
from urllib.parse import urlsplit

from bookwright.failpoints import Failpoint
from bookwright.models.book import Book
from bookwright.models.errors import StorageError
from bookwright.models.gate import Gate
from bookwright.storage.engine.database import Database
from bookwright.storage.repositories.gates import GateRepository

DEADLINE_SECONDS = 10.0
"""For one try, from the connection to the status line."""

Hosts = tuple[str, ...] | None
"""Whom a webhook may belong to; None for anybody."""

_TRIES = 2
_WAIT_SECONDS = 0.2


def tell(gate: Gate, book: Book, database: Database, hosts: Hosts = None, deadline: float = DEADLINE_SECONDS) -> Gate:
    """Tell the book's webhook of a gate that it has not heard of; what comes of it is noted at the gate."""
    url = book.brief.webhook
    if not url or gate.told_at is not None:
        return gate
    if allowed(url, hosts):
        failure = _post(url, news_of(gate, book), deadline)
    else:
        failure = "workers tell nobody whose host is not among webhook_hosts in config.toml"
    notice = f"the webhook at {_shown(url)} was not told: {failure}" if failure else ""
    with suppress(StorageError), database.write(Failpoint.TELL_GATE) as connection:
        gates = GateRepository(connection, book.id)
        gates.note_told(gate.id, notice)
        return gates.get(gate.id)
    return gate.model_copy(update={"notice": notice})


def allowed(url: str, hosts: Hosts) -> bool:
    """Whether a webhook may be told: `hosts` name it, with its port or without."""
    parts = urlsplit(url)
    return hosts is None or parts.hostname in hosts or parts.netloc in hosts


def news_of(gate: Gate, book: Book) -> dict[str, object]:
    """What the webhook is sent."""
    return {
        "event": "gate_waiting", "book": book.id, "title": book.title, "gate": gate.id, "kind": gate.kind.value,
        "node": gate.label, "node_title": gate.title, "created_at": gate.created_at,
        "show": f"bookwright gates {book.id} --show", "approve": f"bookwright approve {book.id} {gate.id}",
        "reject": f'bookwright reject {book.id} {gate.id} --note "..."',
    }  # fmt: skip


def _post(url: str, news: dict[str, object], deadline: float) -> str:
    """Post it, and once more if that fails; return what went wrong at last, or nothing."""
    failure = ""
    for number in range(_TRIES):
        if number:
            time.sleep(_WAIT_SECONDS)
        failure = _within(url, news, deadline)
        if not failure:
            return ""
    return failure


def _within(url: str, news: dict[str, object], deadline: float) -> str:
    """One try on a thread of its own: a server may drip its headers for ever, and no timeout of a library ends that."""
    outcome: queue.Queue[str] = queue.Queue()
    threading.Thread(
        target=lambda: outcome.put(_try(url, news, deadline)), name="bookwright-webhook", daemon=True
    ).start()
    try:
        return outcome.get(timeout=deadline)
    except queue.Empty:
        return f"no answer within {deadline:g} s"


def _try(url: str, news: dict[str, object], deadline: float) -> str:
    try:
        import httpx  # few books have a webhook

        with httpx.stream("POST", url, json=news, timeout=deadline, follow_redirects=False) as response:
            return "" if response.is_success else f"it answered {response.status_code}"
    except Exception as error:  # whatever a strange server does: a thread has no further out, and a book goes on
        return f"{type(error).__name__}: {error}"[:300]


def _shown(url: str) -> str:
    """The server alone: a path or a query may hold a key."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname}" + (f":{parts.port}" if parts.port else "")
