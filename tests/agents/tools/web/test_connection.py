"""Which addresses are the public web's, and HTTPS to a checked one.

The name goes into the handshake, and the certificate has to be the name's.
"""

import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address, ip_address
from pathlib import Path
from threading import Event, Thread

import httpcore2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from hypothesis import given
from hypothesis import strategies as st

from bookwright.agents.tools.fetch_page import FetchPage
from bookwright.agents.tools.registry import ToolRegistry
from bookwright.agents.tools.web.connection import Address, Network, is_public, system_addresses

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


NAME = "secure.example"
ADDRESS = ip_address("93.184.216.34")
REPLY = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 4\r\nConnection: close\r\n\r\nsafe"


@contextmanager
def secure_server(folder: Path, names_asked: list[str | None]) -> Iterator[tuple[int, Path]]:
    """A server with a certificate for `NAME`; yields its port and the certificate."""
    certificate, key = _certificate(folder)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    context.sni_callback = lambda _, name, __: names_asked.append(name)
    with _listening(context) as port:
        yield port, certificate


@pytest.mark.parametrize(("host", "is_trusted"), [(NAME, True), ("other.example", False)])
def test_the_certificate_has_to_be_that_of_the_name(tmp_path: Path, host: str, is_trusted: bool) -> None:
    names_asked: list[str | None] = []
    with secure_server(tmp_path, names_asked) as (port, certificate):
        wire = Network(
            lambda *_: (ADDRESS,), _leading_to(port), lambda: ssl.create_default_context(cafile=str(certificate))
        )

        response = ToolRegistry([FetchPage(wire)]).call("fetch_page", {"url": f"https://{host}/"})

    assert names_asked == [host]
    assert (response.status == "success") is is_trusted
    assert is_trusted or (response.error is not None and response.error.code == "NETWORK_ERROR")


def test_a_certificate_that_nobody_vouches_for_is_refused(tmp_path: Path) -> None:
    with secure_server(tmp_path, []) as (port, _):
        wire = Network(lambda *_: (ADDRESS,), _leading_to(port))

        response = ToolRegistry([FetchPage(wire)]).call("fetch_page", {"url": f"https://{NAME}/"})

    assert response.error is not None
    assert response.error.code == "NETWORK_ERROR"


def _leading_to(port: int) -> Callable[[Address, int, float], httpcore2.NetworkStream]:
    def connect(address: Address, asked: int, seconds: float) -> httpcore2.NetworkStream:
        assert (address, asked) == (ADDRESS, 443)
        return httpcore2.SyncBackend().connect_tcp("127.0.0.1", port, timeout=seconds, socket_options=())

    return connect


@contextmanager
def _listening(context: ssl.SSLContext) -> Iterator[int]:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = Thread(target=_serve_one, args=(listener, context), daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        thread.join()


def _serve_one(listener: object, context: ssl.SSLContext) -> None:
    plain, _ = listener.accept()  # type: ignore[attr-defined]
    try:
        with context.wrap_socket(plain, server_side=True) as secured:
            secured.recv(65_536)
            secured.sendall(REPLY)
    except OSError:
        plain.close()  # the client did not trust the certificate


def _certificate(folder: Path) -> tuple[Path, Path]:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, NAME)])
    now = datetime.now(UTC)
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(NAME)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / "certificate.pem").write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(private)
    return folder / "certificate.pem", folder / "key.pem"
