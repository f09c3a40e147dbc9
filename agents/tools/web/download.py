"""Gets what stands at an address, within bounds of size, time and redirects, whatever the server does."""

import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from http import HTTPStatus

import httpcore2
import httpx2

from bookwright import __version__
from bookwright.agents.tools.web.connection import CheckedBackend, Network, NetworkReach, RequestDeadline
from bookwright.models.errors import ToolFailure
from bookwright.models.talk.tool import ErrorCode

_REDIRECTS = (301, 302, 303, 307, 308)
_GZIP = 16 + zlib.MAX_WBITS
_USER_AGENT = f"Bookwright/{__version__} (a reader for authors)"


@dataclass(frozen=True)
class DownloadBounds:
    """How much a download may take."""

    size: int = 5_000_000
    """Bytes, both as they travel and unpacked."""
    seconds: float = 30
    """For all of it: names, redirects, headers, body."""
    idle_seconds: float = 15
    redirects: int = 5
    url: int = 2_000
    """Characters of an address."""


class Truncation(StrEnum):
    """Why not all of a body was taken."""

    SIZE = "it is longer than what is read of a page"
    TIME = "the server was too slow"
    CONNECTION = "the connection broke"
    DAMAGED = "the data are damaged"


@dataclass(frozen=True)
class Body:
    """What was read."""

    content: bytes
    cut: Truncation | None = None


class ServerAnswer:
    """A server's answer whose body is still to be read."""

    def __init__(self, url: str, response: httpcore2.Response, bounds: DownloadBounds) -> None:
        self.url = url
        """Where it was found, after all redirects."""
        self.status = response.status
        self._response = response
        self._bounds = bounds

    def header(self, name: str) -> str:
        """Return a header by its name in lower case; empty where it is not sent."""
        wanted = name.encode("ascii")
        return next((value.decode("latin-1") for key, value in self._response.headers if key.lower() == wanted), "")

    def read(self) -> Body:
        """Read the body as far as the bounds allow.

        Raises:
            ToolFailure: API_ERROR for an encoding that was not asked for.
        """
        encoding = self.header("content-encoding").strip().lower()
        if encoding not in ("", "identity", "gzip", "x-gzip"):
            message = "The server packs its answer in a way that was not asked for."
            raise ToolFailure(ErrorCode.API_ERROR, message, "Try another source.")
        content = bytearray()
        cut = self._fill(content, zlib.decompressobj(_GZIP) if encoding.endswith("gzip") else None)
        return Body(bytes(content), cut)

    def _fill(self, content: bytearray, unpack: "zlib._Decompress | None") -> Truncation | None:
        try:
            for chunk in self._response.iter_stream():
                left = self._bounds.size - len(content)
                # One byte more than fits tells a full measure from too much; it bounds what a bomb unpacks to.
                content += unpack.decompress(chunk, left + 1) if unpack else chunk[: left + 1]
                if len(content) > self._bounds.size:
                    del content[self._bounds.size :]
                    return Truncation.SIZE
        except httpcore2.TimeoutException:
            return Truncation.TIME
        except (httpcore2.NetworkError, httpcore2.ProtocolError):
            return Truncation.CONNECTION
        except zlib.error:
            return Truncation.DAMAGED
        return Truncation.CONNECTION if unpack and content and not unpack.eof else None


class Downloader:
    """Opens addresses, with no cookies, no credentials and no proxy of the environment."""

    def __init__(self, wire: Network, reach: NetworkReach, bounds: DownloadBounds) -> None:
        self._wire = wire
        self._reach = reach
        self._bounds = bounds

    @contextmanager
    def open(self, url: str, accept: str) -> Iterator[ServerAnswer]:
        """Ask for a page, following redirects, each of which is checked as the first address was.

        Raises:
            ToolFailure: ACCESS_DENIED, INVALID_PARAM, NETWORK_ERROR, TIMEOUT or API_ERROR.
        """
        place = self._checked(url)
        deadline = RequestDeadline(self._bounds.seconds)
        backend = CheckedBackend(self._wire, self._reach, deadline)
        with httpcore2.ConnectionPool(ssl_context=self._wire.tls(), network_backend=backend) as pool:
            for _ in range(self._bounds.redirects + 1):
                with closing(self._asked(pool, place, accept)) as response:
                    if response.status not in _REDIRECTS:
                        yield ServerAnswer(str(place), response, self._bounds)
                        return
                    place = self._next(place, response)
        message = f"The page sends on to another address more than {self._bounds.redirects} times."
        raise ToolFailure(ErrorCode.API_ERROR, message, "Try another source.")

    def _asked(self, pool: httpcore2.ConnectionPool, place: httpx2.URL, accept: str) -> httpcore2.Response:
        idle = self._bounds.idle_seconds
        request = httpcore2.Request(
            "GET",
            httpcore2.URL(scheme=place.raw_scheme, host=place.raw_host, port=place.port, target=place.raw_path),
            headers=[
                (b"Host", place.netloc),
                (b"User-Agent", _USER_AGENT.encode()),
                (b"Accept", accept.encode()),
                (b"Accept-Encoding", b"gzip"),
                (b"Connection", b"close"),
            ],
            extensions={"timeout": {"connect": idle, "read": idle, "write": idle, "pool": idle}},
        )
        try:
            return pool.handle_request(request)
        except httpcore2.TimeoutException:
            message = f"{place.host!r} did not answer in time."
            raise ToolFailure(ErrorCode.TIMEOUT, message, "Try another source, or this one later.") from None
        except httpcore2.NetworkError as error:
            raise _unreachable(place, f"cannot be reached ({str(error)[:120]})") from None
        except httpcore2.ProtocolError:  # whose words may be the server's own
            raise _unreachable(place, "does not speak HTTP") from None

    def _next(self, place: httpx2.URL, response: httpcore2.Response) -> httpx2.URL:
        location = next((value for key, value in response.headers if key.lower() == b"location"), b"")
        if not location:
            raise ToolFailure(ErrorCode.API_ERROR, "The page sends on to no address.", "Try another source.")
        try:
            following = place.join(location.decode("utf-8", "replace"))
        except (httpx2.InvalidURL, ValueError):
            raise ToolFailure(
                ErrorCode.API_ERROR, "The page sends on to what is no address.", "Try another source."
            ) from None
        return self._checked(str(following))

    def _checked(self, url: str) -> httpx2.URL:
        try:
            place = httpx2.URL(url.strip())
        except (httpx2.InvalidURL, ValueError):
            raise _unusable("It is no address of the web.") from None
        if len(url) > self._bounds.url:
            raise _unusable(f"An address has at most {self._bounds.url} characters.")
        if place.scheme not in ("http", "https") or not place.host:
            raise _unusable("Only addresses that begin with http:// or https:// and a host are fetched.")
        if place.userinfo:
            raise _unusable("An address with a user name or password in it is not fetched.")
        self._reach.require_port(place.raw_host.decode(), port_of(place))
        return place


def port_of(place: httpx2.URL) -> int:
    """Return the port that a URL means."""
    return place.port if place.port is not None else (443 if place.scheme == "https" else 80)


def phrase(status: int) -> str:
    """Return a status with its name, such as `404 Not Found`."""
    return next((f"{status} {known.phrase}" for known in HTTPStatus if known == status), str(status))


def _unreachable(place: httpx2.URL, why: str) -> ToolFailure:
    return ToolFailure(ErrorCode.NETWORK_ERROR, f"{place.host!r} {why}.", "Check the address, or try another source.")


def _unusable(message: str) -> ToolFailure:
    return ToolFailure(ErrorCode.INVALID_PARAM, message, "Give a whole address, such as https://example.org/page.")
