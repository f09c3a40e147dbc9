"""What a reader who has only the printed pages can tell of them, and what an editor orders because of it."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from bookwright.models.frozen import FrozenModel

Said = Annotated[str, StringConstraints(strip_whitespace=True, max_length=900)]
Quoted = Annotated[str, StringConstraints(strip_whitespace=True, max_length=400)]


class Person(FrozenModel):
    """Somebody in the pages, as a reader understands them."""

    name: Quoted
    is_who: Said = ""
    wants: Said = ""


class Trouble(FrozenModel):
    """A place where a reader stumbled."""

    quote: Quoted
    """Words of the text, up to 25."""
    trouble: Said


class Shape(FrozenModel):
    """How a text went, in a few words each: what the next texts can be kept apart from."""

    fought: Quoted = ""
    """What was fought over, and by which means."""
    gained: Quoted = ""
    """Who left with what."""
    talk: Quoted = ""
    """How much of it was talk, and of what kind."""
    span: Quoted = ""
    """The time that it covers."""
    nearness: Quoted = ""
    """How near one stood to whom."""
    ended: Quoted = ""
    """On what it ended: a deed, a thing seen, a line of talk, a thought."""

    @property
    def line(self) -> str:
        """The shape in one line; empty if nothing is known."""
        return "; ".join(filter(None, (self.fought, self.gained, self.talk, self.span, self.nearness, self.ended)))


class Returning(FrozenModel):
    """A thing, gesture or turn of phrase that could come back."""

    thing: Quoted
    sentence: Quoted
    """Word for word, as it stands."""


class Retelling(FrozenModel):
    """The answer of a cold reader: the pages told again from memory, and where they failed."""

    people: Annotated[tuple[Person, ...], Field(max_length=16)] = ()
    happened: Annotated[str, StringConstraints(strip_whitespace=True, max_length=4000)]
    why: Said = ""
    at_stake: Said = ""
    not_understood: Annotated[tuple[Trouble, ...], Field(max_length=10)] = ()
    dull: Annotated[tuple[Trouble, ...], Field(max_length=6)] = ()
    impossible: Annotated[tuple[Trouble, ...], Field(max_length=6)] = ()
    damaged: Annotated[tuple[Trouble, ...], Field(max_length=8)] = ()
    alive: Annotated[tuple[Quoted, ...], Field(max_length=6)] = ()
    shape: Shape = Shape()
    returning: Annotated[tuple[Returning, ...], Field(max_length=5)] = ()


class RepairOrder(FrozenModel):
    """One thing to be put right, and where."""

    quote: Quoted = ""
    """Words of the text, up to 25; empty for what only the next unit can make good."""
    trouble: Said
    order: Said
    """What to do, in a sentence that can be carried out on the page."""
    severity: Literal["critical", "warning", "info"] = "warning"
    where: Literal["here", "next"] = "here"

    @property
    def line(self) -> str:
        """The order as it is carried out."""
        place = f"“{self.quote}”: " if self.quote else ""
        return f"{place}{self.trouble} → {self.order}"

    @property
    def cure(self) -> str:
        """The order without its reason."""
        return f"“{self.quote}” → {self.order}" if self.quote else self.order


class RepairOrders(FrozenModel):
    """The answer of the editor who holds a retelling against what readers should have understood."""

    reasoning: Annotated[str, StringConstraints(strip_whitespace=True, max_length=2000)] = ""
    orders: Annotated[tuple[RepairOrder, ...], Field(max_length=12)] = ()

    @property
    def here(self) -> tuple[RepairOrder, ...]:
        """What is to be carried out in this text."""
        return tuple(order for order in self.orders if order.where == "here")

    @property
    def handed_on(self) -> tuple[RepairOrder, ...]:
        """What the next unit has to make good."""
        return tuple(order for order in self.orders if order.where == "next")

    @property
    def as_text(self) -> str:
        """The orders, a line each."""
        return "\n".join(f"- {order.line}" for order in self.orders)
