"""Which addresses belong to the public web, and how a name becomes addresses."""

import socket
from collections.abc import Callable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from queue import Empty, SimpleQueue
from threading import Thread

Address = IPv4Address | IPv6Address

Resolve = Callable[[str, float], tuple[Address, ...]]
"""Returns the addresses of a host name within so many seconds; raises `OSError` where there are none."""

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
