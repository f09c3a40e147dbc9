"""Connections that go only where they may: each is made to an address that was checked, never to a name.

Which addresses belong to the public web stands here, too. A name is resolved once, all its addresses are judged, and
the socket is opened to one of those, so that a name which changes its address between check and connection gains
nothing. The request keeps the name: for `Host`, for TLS and its certificate. Every redirect passes here.
"""

import socket
import ssl
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any

import httpcore2

from bookwright.models.errors import ToolFailure
from bookwright.models.talk.tool import ErrorCode
from bookwright.tls import system_tls

Address = IPv4Address | IPv6Address

_NOT_PUBLIC_4 = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
        "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24",
        "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
        "168.63.129.16/32",  # public by its number, but on Azure it is the host's own service
    )
)  # fmt: skip
"""Source: IANA IPv4 Special-Purpose Address Registry; written out, since `is_global` differs between Pythons."""

_GLOBAL_UNICAST = IPv6Network("2000::/3")
_NOT_PUBLIC_6 = tuple(
    IPv6Network(network)
    for network in (
        "2001::/23",  # protocol assignments, Teredo among them
        "2001:db8::/32", "2002::/16", "3fff::/20",
    )
)  # fmt: skip
"""Source: IANA IPv6 Special-Purpose Address Registry. 6to4 and Teredo carry IPv4 addresses and no web sites."""

_NAT64 = IPv6Network("64:ff9b::/96")
_ISATAP = (0x0000_5EFE, 0x0200_5EFE)
"""What stands before an IPv4 address in the last 64 bits. Source: RFC 5214, section 6.1."""

WEB_PORTS = (80, 443)

_TRIED_ADDRESSES = 3


def is_public(address: Address) -> bool:
    """True for an address of the public web, with the IPv4 address that an IPv6 address carries judged too."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _NOT_PUBLIC_4)
    if address.scope_id is not None:
        return False
    carried = _carried(address)
    if carried is not None and not is_public(carried):
        return False
    if address.ipv4_mapped is not None or address in _NAT64:
        return True
    return address in _GLOBAL_UNICAST and not any(address in network for network in _NOT_PUBLIC_6)


def _looked_up(host: str) -> tuple[Address, ...] | OSError:
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:  # a label that is too long is a UnicodeError
        return error if isinstance(error, OSError) else OSError(str(error))
    return tuple(dict.fromkeys(ip_address(str(place[0])) for _, _, _, _, place in found))


def system_addresses(
    host: str, seconds: float, look_up: Callable[[str], tuple[Address, ...] | OSError] = _looked_up
) -> tuple[Address, ...]:
    """Ask the system's resolver, which knows no deadline of its own; a late answer is dropped.

    It also reads the decimal, octal and hexadecimal forms of an address, as any client would.

    Raises:
        OSError: The name has no address, or none came in time.
    """
    answers: SimpleQueue[tuple[Address, ...] | OSError] = SimpleQueue()
    Thread(target=lambda: answers.put(look_up(host)), daemon=True, name="resolve").start()
    try:
        answer = answers.get(timeout=max(seconds, 0))
    except Empty:
        raise TimeoutError(f"no answer about the name {host!r}") from None
    if isinstance(answer, OSError):
        raise answer
    return answer


def _carried(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address that packets to this one may end at."""
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    number = int(address)
    if address in _NAT64 or (number >> 32) & 0xFFFF_FFFF in _ISATAP:
        return IPv4Address(number & 0xFFFF_FFFF)
    return None


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

    resolve: Callable[[str, float], tuple[Address, ...]] = system_addresses
    """Returns the addresses of a host name within so many seconds; raises `OSError` where there are none."""
    connect: Callable[[Address, int, float], httpcore2.NetworkStream] = system_connect
    """Opens a connection to an address and port within so many seconds; raises httpcore's errors."""
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
