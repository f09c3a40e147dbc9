"""What connections are secured with."""

import ssl
from functools import cache


@cache
def system_tls() -> ssl.SSLContext:
    """The certificates that this machine trusts, read once for all clients of this process: there are hundreds."""
    import httpx2  # what needs this has imported it

    return httpx2.create_ssl_context()
