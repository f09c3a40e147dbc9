"""Rehearsing a book: the real engine over an author that is no model, in a data folder that is thrown away."""

import math
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory

from bookwright.agents.backends import catalogue, endpoints
from bookwright.agents.backends.protocol import FailureListener, Listener, Request
from bookwright.agents.backends.schema import parts_of
from bookwright.agents.backends.service import ModelService
from bookwright.agents.backends.spending.budget import BudgetLedger
from bookwright.agents.backends.spending.prices import PrefixCache
from bookwright.agents.backends.windows import found_window, with_windows
from bookwright.app.access import library, unheard
from bookwright.app.estimates.bill import Bill, Tally, priced, tally
from bookwright.app.estimates.last_stages import with_end
from bookwright.flows.activities.told_books import is_plotted
from bookwright.flows.book_models import check_reach, model_of, names_of, profile_of
from bookwright.flows.deps import Deps, RunObserver
from bookwright.flows.intake.world import WorldSetting, read_setting
from bookwright.flows.library import find_or_create
from bookwright.flows.open_book import RunConfig, hold_book
from bookwright.flows.run_book import run_book
from bookwright.flows.stopping import Limits
from bookwright.flows.tracing import untraced
from bookwright.models.amount import MICROS
from bookwright.models.brief import Brief
from bookwright.models.errors import BookPaused, MissingKey, MissingWeights
from bookwright.models.gate import Unattended
from bookwright.models.settings import Settings
from bookwright.models.step import Reply
from bookwright.models.tree.task import TaskNode
from bookwright.models.wording import dollars
from bookwright.storage.stores import BookStorage

Tell = Callable[[str], None]
"""Hears, in a line, how far a rehearsal is."""

LOW, HIGH = "rehearsal:exact", "rehearsal:miss"

SAMPLE_LENGTH = 30_000
"""What is rehearsed of a longer book; its cost for each word is flat, so the rest is scaled. What a blueprint keeps for
the end is rehearsed on it, too."""

LONGEST_WALKED = SAMPLE_LENGTH * 3 // 2
"""What is rehearsed to its end: a sample would save little."""

_EMBEDDED, _OWN_SERVER, _REMOTE = (1_000.0, 50.0, 0.0), (1_000.0, 20.0, 0.5), (10_000.0, 60.0, 2.0)
"""Tokens read and written in a second, and seconds until a model begins."""


def _seconds_of(bill: Bill, model: str) -> float:
    """Guess how many seconds the calls of a bill take."""
    provider = catalogue.split_name(model)[0]
    pace = _EMBEDDED if provider.name == "embedded" else _OWN_SERVER if provider.is_free else _REMOTE
    read, written, wait = pace
    return bill.calls * wait + bill.input_tokens / read + bill.output_tokens / written


@dataclass(frozen=True)
class RoleEstimate:
    """What one role takes."""

    role: str
    model: str
    low: Bill
    high: Bill


@dataclass(frozen=True)
class BookEstimate:
    """What a book takes."""

    length: int
    unit: str
    profile: str
    rehearsed: int
    """What the rehearsal wrote of the length; what lies beyond was scaled."""
    nodes: int
    units: int
    roles: tuple[RoleEstimate, ...]
    total: RoleEstimate
    seconds: tuple[float, float]
    """Roughly how long all calls take one after another, low and high."""
    short: tuple[str, ...] = ()
    """The caps that the high figures pass, in words: the book would rest there."""
    is_rehearsal: bool = True


def estimate_book(brief: Brief, settings: Settings, tell: Tell = unheard) -> BookEstimate:
    """Rehearse a book twice and price it by the models that would really be asked; `tell` hears how far that is.

    Raises:
        UnknownModel: A role's model is unknown. A missing key is no hindrance: nobody is asked for a word.
        InvalidBrief: The book cannot come to its length in its profile.
    """
    for name in names_of(brief, settings):
        with suppress(MissingKey, MissingWeights):
            endpoints.check_model(name, settings)
    check_reach(brief, settings)
    settings = with_windows(names_of(brief, settings), settings)
    rehearsed = rehearsed_brief(brief, settings)
    setting = None
    if brief.world:
        with library(settings) as database:
            setting = read_setting(brief, database, settings)[1]
    low, high = (_walk(rehearsed, settings, mode, tell, setting) for mode in (LOW, HIGH))
    return estimate_of(brief, brief.length, low, high, settings)


def rehearsed_brief(brief: Brief, settings: Settings) -> Brief:
    """Return a brief as it is rehearsed: in the profile that the real models have, without a cap or anybody to ask."""
    profile = profile_of(brief, settings).name.value
    alone: Brief = brief.changed(profile=profile, budget={}, gates=(), unattended=Unattended.ACCEPT, webhook="")
    return alone


def estimate_of(brief: Brief, length: int, low: Tally, high: Tally, settings: Settings) -> BookEstimate:
    """Price two walks of so much of a book by the models that would really be asked."""
    profile = profile_of(brief, settings).name.value
    roles = tuple(_role(role, low, high, brief, settings) for role in sorted(low.roles.keys() | high.roles.keys()))
    total = RoleEstimate("all", "", sum((r.low for r in roles), Bill()), sum((r.high for r in roles), Bill()))
    return BookEstimate(
        length, brief.length_unit, profile, low.written, low.nodes, low.units, roles, total,
        (sum(_seconds_of(r.low, r.model) for r in roles), sum(_seconds_of(r.high, r.model) for r in roles)),
        tuple(_short_caps(total.high, brief, settings)),
    )  # fmt: skip


def _short_caps(most: Bill, brief: Brief, settings: Settings) -> Iterator[str]:
    """Name the caps that a book at its dearest passes; of the studio's, those that it would pass alone."""
    spent = most.input_tokens + most.output_tokens
    for whose, usd, held in (
        ("the book's budget", brief.budget.usd, brief.budget.tokens),
        ("the studio's cap", settings.studio_usd, settings.studio_tokens),
    ):
        if usd is not None and (most.cost_micros or 0) > usd * MICROS:
            yield f"{whose} of {dollars(usd)} is less than it may cost; it would rest there"
        if held is not None and spent > held:
            yield f"{whose} of {held:,} tokens is less than it may take; it would rest there"


def _role(role: str, low: Tally, high: Tally, brief: Brief, settings: Settings) -> RoleEstimate:
    name = model_of(role, brief, settings)
    least = priced(low.roles.get(role, Bill()), name, settings, least=True)
    most = priced(high.roles.get(role, Bill()), name, settings)
    return RoleEstimate(role, name, least, most.at_least(least))


def _walk(brief: Brief, settings: Settings, mode: str, tell: Tell, setting: WorldSetting | None) -> Tally:
    """Write the book, or its beginning, with the rehearsal author and count."""
    with rehearsal(brief, brief.length, settings, mode, tell) as around:
        book = find_or_create(around.database, brief.changed(models={"default": mode}), setting=setting)
        storage = BookStorage(around.database, book.id, brief.language)
        acts = 1 if brief.length <= LONGEST_WALKED else _acts_to_walk(storage, around)
        is_whole = brief.length <= acts * LONGEST_WALKED
        limits = Limits() if is_whole else Limits(words_today=acts * SAMPLE_LENGTH)
        return _tally_of(storage, replace(around, limits=limits))


def _acts_to_walk(storage: BookStorage, around: RunConfig) -> int:
    """How many times the usual sample shows what a word costs: told prompts have all pages of their act before them.

    A book that is told without acts is walked whole; of one with acts the second is the first that has others before.
    """
    with hold_book(storage.book, around, way_on="the same command") as deps:
        with deps.stores() as stores:
            root = stores.nodes.root()
        return 2 if is_plotted(root, deps) else 1


@contextmanager
def rehearsal(brief: Brief, length: int, settings: Settings, mode: str, tell: Tell) -> Iterator[RunConfig]:
    """Give a place to rehearse in: a data folder that is thrown away, and an author who sees what the models can."""
    window = min(found_window(name, settings).tokens for name in names_of(brief, settings))
    with TemporaryDirectory(prefix="bookwright-rehearsal-") as folder:
        alone = settings.model_copy(update={
            "home": Path(folder), "database_url": "", "chroma_url": "", "embedding": "hashing", "model": mode,
            "models": {}, "windows": {mode: window}, "free_megabytes": 0, "studio_usd": None, "studio_tokens": None,
            "keep_vault": False, "notify_command": (),
        })  # fmt: skip
        if (own := settings.home / "blueprints").is_dir():
            copytree(own, alone.home / "blueprints")
        with closing(ModelService(alone)) as models, library(alone) as database:
            telling = _Telling(tell, f"the {'low' if mode == LOW else 'high'} figure", length)
            yield RunConfig(alone, database, _Cached(models), telling, tracing=untraced)


def _tally_of(storage: BookStorage, around: RunConfig) -> Tally:
    """Run the book and count, whether it was finished or its sample was."""
    try:
        run_book(storage.book, around)
    except BookPaused:
        found = tally(storage)
        if found.written < (around.limits.words_today or math.inf):
            raise  # it rests for another reason
        with storage.read() as stores:
            length = stores.nodes.root().length or 1
        return with_end(found, storage, around, length)
    return tally(storage)


@dataclass(frozen=True)
class _Cached:
    """The stand-in's service; its replies say what a provider's cache would have served of their prompts."""

    inner: ModelService
    cache: PrefixCache = field(default_factory=PrefixCache)

    def ask(
        self, request: Request, budget: BudgetLedger | None, listener: Listener, on_failure: FailureListener
    ) -> Reply:
        """Complete a prompt."""
        reply = self.inner.ask(request, budget, listener, on_failure)
        served = self.cache.share_of(parts_of(request), reply.usage.input_tokens)
        return reply.model_copy(update={"usage": reply.usage.model_copy(update={"cached_tokens": served})})


@dataclass(frozen=True)
class _Telling(RunObserver):
    """An observer that tells how far the rehearsal is, and nothing else."""

    tell: Tell
    figure: str
    length: int

    def finished(self, unit: TaskNode, deps: Deps) -> None:
        """Tell how much is written."""
        with deps.stores() as stores:
            self.tell(f"rehearsing for {self.figure}: {stores.nodes.root().written:,} of {self.length:,}")
