"""What a document rests on that stands outside the book."""

from collections.abc import Iterable
from datetime import date

from bookwright.models.frozen import FrozenModel


class Source(FrozenModel):
    """A page that findings rest on."""

    title: str
    address: str
    accessed: date
    """The day on which it was read, by universal time."""


class Findings(FrozenModel):
    """Kept as the structure of findings, and of a design for which something was looked up."""

    sources: tuple[Source, ...] = ()
    is_verified: bool = True
    """Something outside the book was searched; False where all of it comes from a model's memory."""

    @classmethod
    def merged(cls, parts: Iterable["Findings"]) -> "Findings":
        """What a document made of several rests on: every page once, in order."""
        known = list(parts)
        return cls(
            sources=distinct(source for part in known for source in part.sources),
            is_verified=any(part.is_verified for part in known),
        )


def distinct(sources: Iterable[Source]) -> tuple[Source, ...]:
    """Each page once, as it was named first."""
    by_address: dict[str, Source] = {}
    for source in sources:
        by_address.setdefault(source.address, source)
    return tuple(by_address.values())
