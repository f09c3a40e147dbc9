"""One spelling for addresses that lead to the same page."""

import re
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit

_TRACKING = re.compile(r"utm_\w+|gclid|dclid|fbclid|msclkid|yclid|igshid|mc_[ce]id|_ga|spm", re.IGNORECASE)
_DEFAULT_PORTS = {"http": 80, "https": 443}


def canonical(url: str) -> str:
    """Return the key under which an address is the same as another: without scheme, `www.` and what only tracks.

    It is for comparing, not for fetching. What is no address is its own key.
    """
    try:
        parts = urlsplit(url.strip())
        host = (parts.hostname or "").rstrip(".").removeprefix("www.")
        port = parts.port
    except ValueError:
        return url.strip()
    place = host if port in (None, _DEFAULT_PORTS.get(parts.scheme)) else f"{host}:{port}"
    return f"{place}{parts.path.rstrip('/')}{_query(parts)}"


def _query(parts: SplitResult) -> str:
    kept = [(name, value) for name, value in parse_qsl(parts.query, keep_blank_values=True, max_num_fields=None)]
    told = urlencode([pair for pair in kept if not _TRACKING.fullmatch(pair[0])])
    return f"?{told}" if told else ""
