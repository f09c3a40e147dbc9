"""HTTPS to a checked address: the name goes into the handshake, and the certificate has to be the name's."""

import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from threading import Thread

import httpcore2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from bookwright.agents.tools.fetch_page import FetchPage
from bookwright.agents.tools.registry import ToolRegistry
from bookwright.agents.tools.web.addresses import Address
from bookwright.agents.tools.web.connection import Network

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
