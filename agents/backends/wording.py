"""Words of a provider as an error message may show them: on one line, bounded, without keys."""

import re

from bookwright.models.text.plain import plain

_MAX_CHARACTERS = 300
_KEY = re.compile(r"\b(sk|key|pk)-[\w*-]{6,}")


def on_one_line(text: str, secret: str = "") -> str:
    """Put a provider's words on one line of at most 300 characters, without `secret` or anything like a key."""
    if secret:
        text = text.replace(secret, "...")
    text = _KEY.sub("...", " ".join(plain(text).split()))
    return text if len(text) <= _MAX_CHARACTERS else text[:_MAX_CHARACTERS] + " ..."
