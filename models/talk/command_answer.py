"""How a model answers with a command: flat, and made the typed one by code."""

from typing import Annotated, get_args

from pydantic import Field, TypeAdapter, ValidationError

from bookwright.models.frozen import FrozenModel
from bookwright.models.talk.command import Command

VERBS: tuple[str, ...] = tuple(
    verb for command in get_args(Command) for verb in get_args(command.model_fields["verb"].annotation)
)
"""The closed list by name."""

_COMMANDS: TypeAdapter[Command] = TypeAdapter(Annotated[Command, Field(discriminator="verb")])


class Argument(FrozenModel):
    """One value of a command."""

    name: str
    value: str


class CommandAnswer(FrozenModel):
    """How a model answers: flat, so that every provider and a weak model's grammar can hold it to its shape."""

    quote: str
    """The author's words that the command rests on, as they stand there; empty only with `unclear`."""
    verb: str = Field(json_schema_extra={"enum": list(VERBS)})
    """One of `VERBS`; a reply that names none is read all the same, so that it can be told what is wrong."""
    arguments: tuple[Argument, ...] = ()

    @property
    def command(self) -> Command:
        """The one command that it names; `ValueError` tells the model which value does not fit, or that it is none."""
        named = {argument.name: argument.value for argument in self.arguments if argument.value.strip()}
        try:
            return _COMMANDS.validate_python({**named, "verb": self.verb})
        except ValidationError as error:
            faults = [
                f"{'.'.join(map(str, item['loc'])) or 'verb'}: {item['msg'].removeprefix('Value error, ')}"
                for item in error.errors(include_url=False, include_input=False)[:4]
            ]
            raise ValueError("; ".join(faults)[:600]) from None
