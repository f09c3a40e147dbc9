"""Connections that go only where they may: each is made to an address that was checked, never to a name.

A name is resolved once, all its addresses are judged, and the socket is opened to one of those, so
that a name which changes its address between check and connection gains nothing. The request keeps
the name: for `Host`, for TLS and its certificate. This is where every redirect passes, too.
"""

import ssl
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from time import monotonic
from typing import Any

import httpcore2

from bookwright.agents.tools.web.addresses import Address, Resolve, is_public, system_addresses
from bookwright.models.errors import ToolFailure
from bookwright.models.talk.tool import ErrorCode
from bookwright.tls import system_tls

WEB_PORTS = (80, 443)

_TRIED_ADDRESSES = 3

Connect = Callable[[Address, int, float], httpcore2.NetworkStream]
"""Opens a connection to an address and port within so many seconds; raises httpcore's errors."""


class RequestDeadline:
    """A moment by which something has to be done."""

    def __init__(self, seconds: float) -> None:
        self._end = monotonic() + seconds

    def bounds(self, seconds: float | None) -> float:
        """Return the time that a single operation may take.

        Raises:
            httpcore2.ReadTimeout: None is left.
        """
        left = self._end - monotonic()
        if left <= 0:
            raise httpcore2.ReadTimeout("the deadline has passed")
        return left if seconds is None else min(seconds, left)


def system_connect(address: Address, port: int, seconds: float) -> httpcore2.NetworkStream:
    """Open a TCP connection."""
    return httpcore2.SyncBackend().connect_tcp(str(address), port, timeout=seconds, socket_options=())


@dataclass(frozen=True)
class Network:
    """The machine's way to the network.

    Nothing here decides what may be reached, so a test can lay the names of a made-up web to a
    server of its own and still meet every check; no setting changes it.
    """

    resolve: Resolve = system_addresses
    connect: Connect = system_connect
    tls: Callable[[], ssl.SSLContext] = system_tls


@dataclass(frozen=True)
class NetworkReach:
    """What may be reached: the public web on its two ports, and servers that the operator named."""

    named: frozenset[tuple[str, int]] = frozenset()
    """Host and port of servers that may stand anywhere, on this machine too."""

    def require_port(self, host: str, port: int) -> None:
        """Refuse ports that are not the web's.

        Raises:
            ToolFailure: ACCESS_DENIED.
        """
        if port not in WEB_PORTS and (host, port) not in self.named:
            raise _refused(f"Port {port} is not one of the web's ports, 80 and 443.")

    def require(self, host: str, port: int, addresses: Iterable[Address]) -> None:
        """Refuse a host with an address that is not public, even if others of its addresses are.

        Raises:
            ToolFailure: ACCESS_DENIED.
        """
        self.require_port(host, port)
        if (host, port) not in self.named and not all(is_public(address) for address in addresses):
            raise _refused(f"{host!r} is no address of the public web.")


class CheckedBackend(httpcore2.NetworkBackend):
    """Resolves, judges, connects; all within one deadline."""

    def __init__(self, wire: Network, reach: NetworkReach, deadline: RequestDeadline) -> None:
        self._wire = wire
        self._reach = reach
        self._deadline = deadline

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        """Connect to one of the host's addresses, after all of them were found fit.

        Raises:
            ToolFailure: ACCESS_DENIED.
            httpcore2.ConnectError: No address, or none that answers.
        """
        addresses = self._resolve(host, timeout)
        self._reach.require(host, port, addresses)
        for address in addresses[:_TRIED_ADDRESSES]:
            try:
                stream = self._wire.connect(address, port, self._deadline.bounds(timeout))
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
            else:
                return _TimedStream(stream, self._deadline)
        raise failure

    def _resolve(self, host: str, timeout: float | None) -> tuple[Address, ...]:
        try:
            addresses = self._wire.resolve(host.strip("[]"), self._deadline.bounds(timeout))
        except TimeoutError as error:
            raise httpcore2.ConnectTimeout(str(error)) from error
        except OSError as error:
            raise httpcore2.ConnectError("its name is not known") from error
        if not addresses:
            raise httpcore2.ConnectError("its name has no address")
        return addresses


class _TimedStream(httpcore2.NetworkStream):
    """A connection whose every operation ends by the deadline, however little a server sends at a time."""

    def __init__(self, stream: httpcore2.NetworkStream, deadline: RequestDeadline) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, self._deadline.bounds(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._deadline.bounds(timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        secured = self._stream.start_tls(ssl_context, server_hostname, self._deadline.bounds(timeout))
        return _TimedStream(secured, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def _refused(message: str) -> ToolFailure:
    return ToolFailure(ErrorCode.ACCESS_DENIED, message, "Choose a page of the public web, such as one of a search.")
