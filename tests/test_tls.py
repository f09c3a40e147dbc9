"""The certificates that connections are checked against."""

import ssl

from bookwright.tls import system_tls


def test_one_context_that_checks_names_and_certificates_serves_all_clients() -> None:
    first, second = system_tls(), system_tls()

    assert first is second
    assert (first.check_hostname, first.verify_mode) == (True, ssl.CERT_REQUIRED)
