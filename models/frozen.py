"""What the models of the domain are built on: values that never change once they are made."""

from pydantic import BaseModel, ConfigDict


class FrozenModel(BaseModel):
    """A value that never changes; its validator is built at its first use, so that a program starts sooner."""

    model_config = ConfigDict(frozen=True, defer_build=True)


class StrictModel(FrozenModel):
    """One that is read from what people write, and refuses every key that it does not know."""

    model_config = ConfigDict(extra="forbid")
