"""The figures of an installation as Prometheus reads them: where its books stand, and what its calls have come to.

They are read from the database when somebody asks for them, so that workers count nothing, whichever host they are on,
and one that dies takes no figure along. No title, no text and no name of a book is among them.
"""

from collections import Counter as Tally
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Lock

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest, start_http_server
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from bookwright.app.status.books import queued_books
from bookwright.app.watching.library import WatchedLibrary
from bookwright.models.amount import MICROS
from bookwright.models.errors import InvalidSetting
from bookwright.models.settings import Settings, load_settings
from bookwright.models.step import CODE, Failure
from bookwright.storage.engine.database import Database
from bookwright.storage.monitoring import CallFigures, calls_after, newest_step, statuses, written_in_all
from bookwright.storage.repositories.gates import waiting_gates
from bookwright.storage.studio import Studio

_HOST = "127.0.0.1"
_STANDINGS = ("writing", "stopping", "paused", "queued", "waiting", "finished", "interrupted")
_SECONDS = (0.5, 1, 2, 5, 10, 20, 40, 80, 160, 320, 640)
_SETTLED_SECONDS = 2.0


class StudioFigures(Collector):
    """Reads the figures anew at each scrape; its counters begin at 0 with it, as those of any process do."""

    def __init__(
        self,
        database: Database,
        settings: Settings,
        *,
        is_whole: bool = False,
        settled_seconds: float = _SETTLED_SECONDS,
    ) -> None:
        """Begin to count from now on; with `is_whole`, from the first call that is on record."""
        self._database = database
        self._home, self._cap_usd = settings.home, settings.studio_usd
        self._config = _made_at(settings.home)
        self._settled_seconds = settled_seconds
        self._queued = partial(queued_books, settings) if is_whole else WatchedLibrary(settings).queued
        self._lock = Lock()
        self._registry = own = CollectorRegistry()
        named = ("model",)
        self._books = Gauge("bookwright_books", "Books, by where they stand", ("standing",), registry=own)
        self._gates = Gauge("bookwright_gates_waiting", "Gates that wait for a human", registry=own)
        self._written = Gauge("bookwright_written_length", "Words or characters of prose, all books", registry=own)
        self._spent = Gauge("bookwright_spent_dollars", "What all books have cost", registry=own)
        self._cap = Gauge("bookwright_studio_cap_dollars", "The studio's cap, 0 for none", registry=own)
        self._calls = Counter("bookwright_calls", "Recorded calls", ("model", "role", "outcome"), registry=own)
        self._tokens = Counter("bookwright_tokens", "Tokens", ("model", "kind"), registry=own)
        self._cost = Counter("bookwright_cost_dollars", "What calls cost", named, registry=own)
        self._unpriced = Counter("bookwright_unpriced_calls", "Calls without a known price", named, registry=own)
        self._seconds = Histogram(
            "bookwright_call_seconds", "How long calls took", named, registry=own, buckets=_SECONDS
        )
        self._first = Histogram(
            "bookwright_first_event_seconds", "How long calls took to begin", named, registry=own, buckets=_SECONDS
        )
        with database.read() as connection:
            self._last = 0 if is_whole else newest_step(connection)

    def collect(self) -> Iterator[Metric]:
        """Read what is new, and yield every figure."""
        with self._lock:
            self._read()
            yield from list(self._registry.collect())

    def text(self) -> str:
        """Return what a scrape gets."""
        return generate_latest(self).decode()

    def _read(self) -> None:
        queued = self._queued()
        with self._database.read() as connection:
            known = [replace(one, is_queued=one.id in queued) for one in statuses(connection) if not one.is_archived]
            standings = Tally(one.standing for one in known)
            self._gates.set(len(waiting_gates(connection)))
            self._written.set(written_in_all(connection))
            self._spent.set(Studio(connection).standing().spent.cost / MICROS)
            while new := calls_after(connection, self._last, self._settled_seconds):
                self._last = new[-1].id
                for call in new:
                    self._count(call)
        self._cap.set(self._cap_now() or 0)
        for standing in {*_STANDINGS, *standings}:
            self._books.labels(standing).set(standings[standing])

    def _cap_now(self) -> float | None:
        """Return the cap; as `config.toml` says it now where somebody has changed that file."""
        if (made := _made_at(self._home)) != self._config:
            with suppress(InvalidSetting):  # half written, or wrong: what stood before holds, and the next scrape looks
                self._cap_usd = load_settings(home=self._home).studio_usd
                self._config = made
        return self._cap_usd

    def _count(self, call: CallFigures) -> None:
        if call.model == CODE:
            return
        outcome = "result" if call.failure is None else Failure(call.failure).value
        self._calls.labels(call.model, call.role, outcome).inc()
        for kind in ("input", "cached", "output"):
            self._tokens.labels(call.model, kind).inc(getattr(call, f"{kind}_tokens"))
        self._cost.labels(call.model).inc((call.cost or 0) / MICROS)
        self._unpriced.labels(call.model).inc(call.cost is None)
        self._seconds.labels(call.model).observe(call.duration_millis / 1_000)
        if call.first_event_millis is not None:
            self._first.labels(call.model).observe(call.first_event_millis / 1_000)


def _made_at(home: Path) -> int:
    """When the settings' file was written last, in nanoseconds; 0 where there is none."""
    file = home / "config.toml"
    return file.stat().st_mtime_ns if file.exists() else 0


@contextmanager
def served(figures: StudioFigures, port: int) -> Iterator[str]:
    """Serve the figures on this machine's loopback while the block lasts; yields their address.

    Raises:
        InvalidSetting: Something listens there already.
    """
    registry = CollectorRegistry()
    registry.register(figures)
    try:
        server, thread = start_http_server(port, _HOST, registry)
    except OSError as error:
        raise InvalidSetting(
            f"figures cannot be served on port {port}: {error.strerror}; choose another one"
        ) from error
    try:
        yield f"http://{_HOST}:{server.server_port}/metrics"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
