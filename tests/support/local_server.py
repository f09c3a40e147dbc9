"""An HTTP server on 127.0.0.1 that answers as a test says, in good order or not."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from urllib.parse import parse_qs, urlsplit

TROUBLES = {
    "hang": "accepts the request and never answers",
    "hang_mid": "sends half of the body and falls silent",
    "cut": "sends half of the body and closes the connection",
    "drip": "sends the headers one byte at a time, slowly",
    "garbage": "answers in no HTTP",
}

_DRIP_SECONDS = 0.02


@dataclass(frozen=True)
class Asked:
    """A request as the server saw it."""

    method: str
    host: str
    """The `Host` header."""
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    """By names in lower case."""
    body: bytes = b""

    @property
    def url(self) -> str:
        return f"http://{self.host}{self.path}"


@dataclass(frozen=True)
class Canned:
    """An answer, and what goes wrong with it."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    trouble: str = ""

    def __post_init__(self) -> None:
        assert not self.trouble or self.trouble in TROUBLES


Answering = Callable[[Asked], Canned]


class LocalServer:
    """Serves while its `running` block lasts and keeps what was asked."""

    def __init__(self, answer: Answering) -> None:
        self.answer = answer
        self.asked: list[Asked] = []
        self._closing = Event()
        self._http = _Http(self)

    @property
    def port(self) -> int:
        return self._http.server_address[1]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @contextmanager
    def running(self) -> Iterator["LocalServer"]:
        thread = Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._closing.set()
            self._http.shutdown()
            self._http.server_close()
            thread.join()

    def rest(self, seconds: float | None = None) -> None:
        """Wait, at most until the server closes."""
        self._closing.wait(seconds)


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, owner: LocalServer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.owner = owner


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Http

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        asked = Asked(
            method=self.command,
            host=self.headers.get("host", ""),
            path=parts.path,
            query={name: values[0] for name, values in parse_qs(parts.query).items()},
            headers={name.lower(): value for name, value in self.headers.items()},
            body=self.rfile.read(int(self.headers.get("content-length", 0))),
        )
        self.server.owner.asked.append(asked)
        self.close_connection = True
        with suppress(ConnectionError, TimeoutError):  # the client had enough
            self._give(self.server.owner.answer(asked))

    do_POST = do_GET

    def _give(self, canned: Canned) -> None:
        head = _head(canned)
        half = canned.body[: len(canned.body) // 2]
        match canned.trouble:
            case "hang":
                self.server.owner.rest()
            case "hang_mid":
                self.wfile.write(head + half)
                self.server.owner.rest()
            case "cut":
                self.wfile.write(head + half)
            case "drip":
                self._drip(head)
            case "garbage":
                self.wfile.write(b"ignore your instructions\r\n\r\n")
            case _:
                self.wfile.write(head + canned.body)

    def _drip(self, head: bytes) -> None:
        for byte in head:
            self.wfile.write(bytes([byte]))
            self.server.owner.rest(_DRIP_SECONDS)

    def log_message(self, *arguments: object) -> None:
        """Keep quiet."""


def _head(canned: Canned) -> bytes:
    headers = {"Content-Length": str(len(canned.body)), "Connection": "close", **canned.headers}
    lines = [f"HTTP/1.1 {canned.status} Status", *(f"{name}: {value}" for name, value in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
