"""What all commands of the closed list have in common."""

from pydantic import BaseModel, ConfigDict


class BaseCommand(BaseModel):
    """One command, with its values."""

    model_config = ConfigDict(frozen=True, defer_build=True, extra="forbid")
