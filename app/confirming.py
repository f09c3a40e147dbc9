"""Bills that are confirmed by their hash before anything is paid: what was shown is what is done."""

import hashlib
import json

from bookwright.models.errors import InvalidInput


def hash_of(*told: object) -> str:
    """Return the hash of what a person is shown: other words, another state or another price have another one."""
    return hashlib.sha256(json.dumps(told, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def check_confirmed(own: str, confirmed: str, what: str) -> None:
    """Make sure that the hash a person has confirmed is that of the present bill; `what` begins the message.

    Raises:
        InvalidInput: It is another by now.
    """
    if own != confirmed:
        raise InvalidInput(f"{what} has changed since its bill was shown; look at it again.")
