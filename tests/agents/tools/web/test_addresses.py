"""Which addresses are the public web's."""

from ipaddress import IPv4Address, ip_address
from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookwright.agents.tools.web.addresses import is_public, system_addresses

PUBLIC = ("8.8.8.8", "93.184.216.34", "172.32.0.1", "100.128.0.1", "2606:2800:220:1::1", "64:ff9b::808:808")

NOT_PUBLIC = (
    "0.0.0.0", "10.1.2.3", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.255.254", "169.254.169.254",
    "172.16.0.1", "172.31.255.255", "192.0.0.192", "192.168.1.1", "198.18.0.1", "224.0.0.251", "239.255.255.250",
    "255.255.255.255", "168.63.129.16",
    "::", "::1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1", "fe80::1", "fe80::1%1", "fec0::1",
    "fc00::1", "fd00:ec2::254", "ff02::1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::a00:1",
    "2002:7f00:1::", "2002:a00:1::1", "2001:0:4136:e378::1", "2001:db8::1", "2606:2800::5efe:10.0.0.1",
)  # fmt: skip


@pytest.mark.parametrize("address", PUBLIC)
def test_an_address_of_the_web_is_public(address: str) -> None:
    assert is_public(ip_address(address))


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_an_address_of_any_other_kind_is_not_public(address: str) -> None:
    assert not is_public(ip_address(address))


@given(st.ip_addresses())
def test_what_is_not_global_to_python_is_not_public(address: object) -> None:
    """Python's own list is older and shorter; ours may only be stricter."""
    found = ip_address(str(address))

    assert found.is_global or not is_public(found) or str(found).startswith("64:ff9b::")


@pytest.mark.parametrize("host", ["2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "127.1", "localhost"])
def test_every_form_of_this_machine_resolves_to_what_is_not_public(host: str) -> None:
    found = system_addresses(host, 5)

    assert found
    assert not any(is_public(address) for address in found)


def test_a_plain_address_resolves_to_itself() -> None:
    assert system_addresses("93.184.216.34", 5) == (IPv4Address("93.184.216.34"),)


@pytest.mark.parametrize("host", ["nosuch.invalid", "a" * 300 + ".com", "a..b"])
def test_a_name_that_is_none_is_an_os_error(host: str) -> None:
    with pytest.raises(OSError):
        system_addresses(host, 5)


def test_a_resolver_that_is_too_slow_is_not_waited_for() -> None:
    end = Event()

    def slow(host: str) -> tuple[IPv4Address, ...]:
        end.wait(60)
        return ()

    with pytest.raises(TimeoutError):
        system_addresses("localhost", 0.01, slow)
    end.set()
