"""Tells the author, by webhook or command, that a book waits, rests or is finished; a failure never stops the book."""

import json
import logging
import queue
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from urllib.parse import urlsplit

from bookwright.failpoints import Failpoint
from bookwright.models.book import Book, BookState
from bookwright.models.errors import StorageError
from bookwright.models.gate import Gate
from bookwright.storage.engine.database import Database
from bookwright.storage.repositories.gates import GateRepository
from bookwright.tls import system_tls

logger = logging.getLogger(__name__)

DEADLINE_SECONDS = 10.0
"""For one try, from the connection to the status line, and for the command."""

Hosts = tuple[str, ...] | None
"""Whom a webhook may belong to; None for anybody."""

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


def tell_rest(book: Book, hosts: Hosts, command: Sequence[str]) -> None:
    """Tell the book's webhook and the author's command that a book is finished, or rests and why."""
    news = rest_of(book)
    url = book.brief.webhook
    if url and allowed(url, hosts) and (failure := _post(url, news, DEADLINE_SECONDS)):
        logger.warning("the webhook at %s was not told: %s", _shown(url), failure)
    run_command(command, news)


def run_command(command: Sequence[str], news: Mapping[str, object]) -> None:
    """Run the author's command with the news: a line as its last argument, and all of it as JSON on its stdin."""
    if not command:
        return
    try:
        subprocess.run(
            [*command, line_of(news)], input=json.dumps(news, ensure_ascii=False), encoding="utf-8", check=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=DEADLINE_SECONDS,
        )  # fmt: skip
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        logger.warning("notify_command %r failed: %s", command[0], error)


def line_of(news: Mapping[str, object]) -> str:
    """Say the news in one line."""
    what = {
        "gate_waiting": f"waits for your decision: {news.get('kind')}", "book_finished": "is finished",
        "book_rests": f"rests: {news.get('reason')}",
    }[str(news["event"])]  # fmt: skip
    return " ".join(f"{news['title']} {what}".split()).replace("\0", "")


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


def rest_of(book: Book) -> dict[str, object]:
    """What is told of a book that is finished or rests."""
    is_finished = book.state is BookState.FINISHED
    return {
        "event": "book_finished" if is_finished else "book_rests", "book": book.id, "title": book.title,
        "reason": book.reason, "advice": book.advice, "has_failed": book.has_failed, "usd": book.dollars,
        "show": f"bookwright {'read' if is_finished else 'status'} {book.id}",
    }  # fmt: skip


def _post(url: str, news: dict[str, object], deadline: float) -> str:
    """Post it, and once more if that fails; return what went wrong at last, or nothing."""
    failure = _within(url, news, deadline)
    if failure:
        time.sleep(_WAIT_SECONDS)
        failure = _within(url, news, deadline)
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
        import httpx2  # few books have a webhook

        with httpx2.stream(
            "POST", url, json=news, timeout=deadline, follow_redirects=False, verify=system_tls()
        ) as response:
            return "" if response.is_success else f"it answered {response.status_code}"
    except Exception as error:  # whatever a strange server does: a thread has no further out, and a book goes on
        return f"{type(error).__name__}: {error}"[:300]


def _shown(url: str) -> str:
    """The server alone: a path or a query may hold a key."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname}" + (f":{parts.port}" if parts.port else "")
