"""Where something that was found outside of the book stands."""

from datetime import date

from pydantic import BaseModel, ConfigDict


class Source(BaseModel):
    """A page that findings rest on."""

    model_config = ConfigDict(frozen=True)

    title: str
    address: str
    accessed: date
    """The day on which it was read, by universal time."""
