"""Rehearsing a book: the real engine over an author that is no model, in a data folder that is thrown away."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from bookwright.agents.backends import catalogue, prices
from bookwright.agents.backends.service import ModelService
from bookwright.cli.access import library
from bookwright.cli.output import make_console
from bookwright.flows.deps import Deps
from bookwright.flows.hold import Surroundings, model_of, profile_of
from bookwright.flows.library import find_or_create
from bookwright.flows.run_book import run_book
from bookwright.models.brief import Brief
from bookwright.models.errors import MissingKey
from bookwright.models.level import Level
from bookwright.models.model_name import ROLES
from bookwright.models.settings import Settings
from bookwright.models.step import Activity, Usage
from bookwright.models.task import TaskNode
from bookwright.storage.stores import BookStorage

LOW, HIGH = "rehearsal:exact", "rehearsal:miss"

_THOUGHT_SHARE = 4
"""One part in four of the room that a thinking model is given for thoughts is counted in the high figure."""


@dataclass(frozen=True)
class Bill:
    """What one walk takes."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_micros: int | None = 0
    """Millionths of a US dollar; None where a price is unknown."""

    def __add__(self, other: "Bill") -> "Bill":
        unknown = self.cost_micros is None or other.cost_micros is None
        return Bill(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            None if unknown else (self.cost_micros or 0) + (other.cost_micros or 0),
        )


@dataclass(frozen=True)
class RoleEstimate:
    """What one role takes."""

    role: str
    model: str
    low: Bill
    high: Bill


@dataclass(frozen=True)
class Estimate:
    """What a book takes."""

    length: int
    unit: str
    profile: str
    nodes: int
    units: int
    roles: tuple[RoleEstimate, ...]
    total: RoleEstimate
    is_rehearsal: bool = True


@dataclass(frozen=True)
class _Walked:
    nodes: int
    units: int
    roles: dict[str, Bill]
    """Without prices."""


def estimate_book(brief: Brief, settings: Settings) -> Estimate:
    """Rehearse a book twice and price it by the models that would really be asked.

    Raises:
        UnknownModel: A role's model is unknown. A missing key is no hindrance: nobody is asked.
    """
    for name in dict.fromkeys(model_of(role, brief, settings) for role in ROLES):
        with suppress(MissingKey):
            catalogue.check_model(name, settings)
    profile = profile_of(brief, settings)
    low, high = (_walk(brief.changed(profile=profile.name, budget={}), settings, mode) for mode in (LOW, HIGH))
    roles = tuple(
        RoleEstimate(
            role, name := model_of(role, brief, settings),
            _priced(low.roles.get(role, Bill()), name, settings, with_thoughts=False),
            _priced(high.roles.get(role, Bill()), name, settings, with_thoughts=True),
        )
        for role in sorted(low.roles.keys() | high.roles.keys())
    )  # fmt: skip
    total = RoleEstimate("all", "", sum((r.low for r in roles), Bill()), sum((r.high for r in roles), Bill()))
    return Estimate(brief.length, brief.length_unit, profile.name, low.nodes, low.units, roles, total)


def _walk(brief: Brief, settings: Settings, mode: str) -> _Walked:
    """Write the book with the rehearsal author and count."""
    with TemporaryDirectory(prefix="bookwright-rehearsal-") as folder, _progress(brief, mode) as tell:
        rehearsal = settings.model_copy(
            update={
                "home": Path(folder), "database_url": "", "chroma_url": "", "embedding": "hashing",
                "model": mode, "models": {}, "free_megabytes": 0,
            }
        )  # fmt: skip
        models = ModelService(rehearsal)
        try:
            with library(rehearsal) as database:
                book = find_or_create(database, brief.changed(models={"default": mode}))
                run_book(book.id, Surroundings(rehearsal, database, models, window=_Telling(tell)))
                return _counted(BookStorage(database, book.id, brief.language))
        finally:
            models.close()


def _counted(storage: BookStorage) -> _Walked:
    with storage.read() as stores:
        roles: dict[str, Bill] = {}
        for line in stores.steps.by_role():
            bill = Bill(line.calls, line.input_tokens, line.output_tokens, None)
            roles[line.role] = roles.get(line.role, Bill()) + bill
        return _Walked(stores.nodes.count(), sum(map(stores.nodes.closed_units, Level)), roles)


def _priced(bill: Bill, model: str, settings: Settings, *, with_thoughts: bool) -> Bill:
    """Price a role's calls as so many calls of average size: some prices depend on a prompt's length."""
    if not bill.calls:
        return Bill()
    thoughts = catalogue.thinking_allowance(model) // _THOUGHT_SHARE if with_thoughts else 0
    output = bill.output_tokens + thoughts * bill.calls
    usage = Usage(input_tokens=math.ceil(bill.input_tokens / bill.calls), output_tokens=math.ceil(output / bill.calls))
    each = prices.cost(model, usage, settings)
    return Bill(bill.calls, bill.input_tokens, output, None if each is None else each * bill.calls)


@dataclass(frozen=True)
class _Telling:
    """A window in which only the progress of the rehearsal is seen."""

    tell: Callable[[int], None]

    def run(self, activity: Activity, node: TaskNode, work: Callable[[], None]) -> None:
        """Just do it."""
        work()

    def finished(self, unit: TaskNode, deps: Deps) -> None:
        """Tell how much is written."""
        with deps.stores() as stores:
            self.tell(stores.nodes.root().written)


@contextmanager
def _progress(brief: Brief, mode: str) -> Iterator[Callable[[int], None]]:
    """Show in a terminal how far the rehearsal is."""
    console = make_console(stderr=True)
    title = "the low figure" if mode == LOW else "the high figure"
    with console.status(f"rehearsing for {title}") as status:
        yield lambda written: status.update(f"rehearsing for {title}: {written:,} of {brief.length:,}")
