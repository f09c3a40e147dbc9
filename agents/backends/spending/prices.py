"""What a call costs, in millionths of a US dollar, and what of its prompt a provider's cache serves for less.

The offline price list loads when first asked (0.1 s).
"""

import math
from collections import deque
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING

from bookwright.agents.backends import catalogue
from bookwright.models.amount import MICROS
from bookwright.models.settings import Price, Settings
from bookwright.models.step import Usage

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo, Provider

REMEMBERED = 40
"""Prompts back that a provider's cache still holds: minutes, at the pace of real models."""

LEAST_CACHED = 1_024
"""Tokens below which no provider caches a prefix."""


def cost(name: str, usage: Usage, settings: Settings, at: datetime | None = None) -> int | None:
    """Price what a call consumed, in millionths of a US dollar, rounded up.

    The settings' own prices win; then what runs locally is free; then the price list decides, by
    the prices in force at the time of the request and the tier of its length.

    Returns None where no price is known. `at` is when the request was made; now, if None.
    """
    if override := settings.prices.get(name):
        return math.ceil(_by_override(usage, override))
    provider, model = catalogue.provider_of(name), name.partition(":")[2]
    return 0 if provider.is_free else _by_list(provider.price_lists, model, usage, at or datetime.now(UTC))


def worst_cost(
    name: str, input_tokens: int, output_tokens: int, settings: Settings, at: datetime | None = None
) -> int | None:
    """Price the most that a call can cost: nothing of its prompt cached, all of it written to the cache."""
    writes = input_tokens if catalogue.Feature.CACHE_POINTS in catalogue.provider_of(name).features else 0
    usage = Usage(input_tokens=input_tokens, output_tokens=output_tokens, cache_write_tokens=writes)
    return cost(name, usage, settings, at)


@lru_cache(maxsize=256)
def listed(lists: tuple[str, ...], model: str) -> "tuple[Provider, ModelInfo] | None":
    """Look a model up in the lists of these providers, in order, and say whose has it; None where no list does."""
    if not lists:
        return None
    from genai_prices.data_snapshot import get_snapshot

    for name in lists:
        try:
            return get_snapshot().find_provider_model(model, None, name, None)
        except LookupError:
            continue
    return None


def listed_names(lists: tuple[str, ...]) -> list[str]:
    """Name all models of these lists."""
    if not lists:
        return []
    from genai_prices.data_snapshot import get_snapshot

    return [model.id for provider in get_snapshot().providers if provider.id in lists for model in provider.models]


def _by_override(usage: Usage, price: Price) -> float:
    cached = price.input if price.cached is None else price.cached
    fresh = max(usage.input_tokens - usage.cached_tokens, 0)
    return fresh * price.input + usage.cached_tokens * cached + usage.output_tokens * price.output


def _by_list(lists: tuple[str, ...], model: str, usage: Usage, at: datetime) -> int | None:
    found = listed(lists, model)
    if found is None:
        return None
    from genai_prices import Usage as ListUsage

    counts = ListUsage(
        input_tokens=usage.input_tokens,
        cache_read_tokens=min(usage.cached_tokens, usage.input_tokens),
        cache_write_tokens=min(usage.cache_write_tokens, max(usage.input_tokens - usage.cached_tokens, 0)),
        output_tokens=usage.output_tokens,
    )
    provider, known = found
    return math.ceil(known.calc_price(counts, provider, genai_request_timestamp=at).total_price * MICROS)


class PrefixCache:
    """The prompts that a cache still holds, as their parts."""

    def __init__(self) -> None:
        self._held: deque[tuple[str, ...]] = deque(maxlen=REMEMBERED)

    def share_of(self, parts: tuple[str, ...], tokens: int) -> int:
        """Return how many of a prompt's tokens the cache serves, by its share of the letters; hold the prompt."""
        letters = sum(map(len, parts))
        served = max((len(shared_prefix(parts, held)) for held in self._held), default=0)
        self._held.append(parts)
        share = tokens * served // max(letters, 1)
        return share if share >= LEAST_CACHED else 0


def shared_prefix(one: Sequence[str], other: Sequence[str]) -> str:
    """Return the longest beginning that two prompts have in common."""
    same = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))))
    shared = "\n\n".join(one[:same])
    if same < min(len(one), len(other)):
        pairs = zip(one[same], other[same], strict=False)
        shared += "".join(letter for letter, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return shared
