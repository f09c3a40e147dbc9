"""A file's seal: a sum over itself, by which it can be told that nobody has changed it since it was rendered."""

import hashlib
import re

_SEAL = re.compile(rb"(?<=seal: )[0-9a-f]{16}(?![0-9a-f])")
OPEN = "seal: 0000000000000000"
"""What a page says where its seal goes."""


def sealed(text: str) -> bytes:
    """Return a page as it is written to the disk; it holds `OPEN` once, before any word that is not ours."""
    content = text.encode("utf-8", "replace")
    return content.replace(OPEN.encode(), f"seal: {_sum(content)}".encode(), 1)


def seal_of(content: bytes) -> str:
    """Return a file's seal if it holds: if the file reads as it was rendered, by whichever version of the book."""
    found = _SEAL.search(content)
    if found is None:
        return ""
    bare = content[: found.start()] + b"0" * 16 + content[found.end() :]
    seal = found.group().decode()
    return seal if seal == _sum(bare) else ""


def is_untouched(content: bytes) -> bool:
    """Tell whether a file's seal holds."""
    return bool(seal_of(content))


def _sum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]
