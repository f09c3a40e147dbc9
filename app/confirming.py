"""Bills that are confirmed by their hash before anything is paid: what was shown is what is done."""

import hashlib
import json
from abc import ABC, abstractmethod
from typing import ClassVar

from bookwright.models.errors import InvalidInput


def hash_of(*told: object) -> str:
    """Return the hash of what a person is shown: other words, another state or another price have another one."""
    return hashlib.sha256(json.dumps(told, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


class Confirmable(ABC):
    """What is done only after a person has confirmed its bill, by the hash of what they were shown."""

    subject: ClassVar[str]
    """Begins the message where it is another by now."""

    @abstractmethod
    def shown(self) -> tuple[object, ...]:
        """Return what a person is shown of it."""

    @property
    def hash(self) -> str:
        """What stands for what is shown: other words or another price have another one."""
        return hash_of(*self.shown())

    def check(self, confirmed: str) -> None:
        """Make sure that this is what was confirmed.

        Raises:
            InvalidInput: It is another by now.
        """
        if confirmed != self.hash:
            raise InvalidInput(f"{self.subject} has changed since its bill was shown; look at it again.")
