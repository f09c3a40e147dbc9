"""A source outside the book: the page that findings rest on."""

from datetime import date

from pydantic import BaseModel, ConfigDict


class Source(BaseModel):
    """A page that findings rest on."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    title: str
    address: str
    accessed: date
    """The day on which it was read, by universal time."""
