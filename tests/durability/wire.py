"""A wire to Postgres that loses one COMMIT, or the answer to it, and hangs up."""

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from threading import Event, Lock, Thread

import psycopg

from bookwright.failpoints import Failpoint
from tests.support.postgres import PostgresServer

_COMMIT = b"COMMIT\0"
"""How both the statement and the server's answer to it end."""

_SECONDS = 60


class Loss(StrEnum):
    """What becomes of a COMMIT; the client sees the same broken connection each time."""

    REQUEST = "it never arrives"
    REPLY = "it is done and the answer is lost"
    LATE = "it is done only when the client has come back and waits for the row"


@dataclass
class Wire:
    """Forwards both ways; the `count`-th commit of a failpoint is lost."""

    server: PostgresServer
    log: Path
    """The failpoints' log, by which a COMMIT is known."""
    point: Failpoint
    loss: Loss
    count: int = 1
    port: int = 0
    losses: int = 0
    _choosing: Lock = field(default_factory=Lock)

    def url(self, database: str) -> str:
        """The address of a database by way of this wire."""
        return f"postgresql://postgres@127.0.0.1:{self.port}/{database}"

    def accept(self, listener: socket.socket) -> None:
        """Serve until the listener is closed."""
        with suppress(OSError):
            while True:
                client, _ = listener.accept()
                server = socket.create_connection(("127.0.0.1", self.server.port))
                is_lost = Event()
                Thread(target=self._carry_requests, args=(client, server, is_lost), daemon=True).start()
                Thread(target=_carry_replies, args=(client, server, is_lost), daemon=True).start()

    def _carry_requests(self, client: socket.socket, server: socket.socket, is_lost: Event) -> None:
        with suppress(OSError):
            while data := client.recv(65536):
                if _COMMIT in data and self._is_chosen():
                    if self.loss is Loss.REQUEST:
                        break
                    is_lost.set()
                    if self.loss is Loss.LATE:
                        _hang_up(client)
                        self._await_the_client()
                    server.sendall(data)
                    return  # who carries the replies hangs up once it is done
                server.sendall(data)
        _hang_up(client)
        _hang_up(server)

    def _is_chosen(self) -> bool:
        with self._choosing:
            passed = self.log.read_text().split() if self.log.exists() else []
            place = f"before:{self.point}"
            is_chosen = not self.losses and passed[-1:] == [place] and passed.count(place) == self.count
            self.losses += is_chosen
            return is_chosen

    def _await_the_client(self) -> None:
        waits = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        deadline = time.monotonic() + _SECONDS
        with psycopg.connect(self.server.url(), autocommit=True) as connection:
            while connection.execute(waits).fetchone() == (0,) and time.monotonic() < deadline:
                time.sleep(0.005)


@contextmanager
def wire(server: PostgresServer, log: Path, point: Failpoint, loss: Loss, count: int = 1) -> Iterator[Wire]:
    """Lay a wire on a free port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        laid = Wire(server, log, point, loss, count, port=listener.getsockname()[1])
        Thread(target=laid.accept, args=(listener,), daemon=True).start()
        yield laid
        listener.shutdown(socket.SHUT_RDWR)


def _carry_replies(client: socket.socket, server: socket.socket, is_lost: Event) -> None:
    with suppress(OSError):
        while data := server.recv(65536):
            if not is_lost.is_set():
                client.sendall(data)
            elif _COMMIT in data:
                break
    _hang_up(client)
    _hang_up(server)


def _hang_up(end: socket.socket) -> None:
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()
