"""The offline price list of genai-prices: which models it knows. Loaded when first asked (0.1 s)."""

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo, Provider


@lru_cache(maxsize=256)
def find(lists: tuple[str, ...], model: str) -> "tuple[Provider, ModelInfo] | None":
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


def names(lists: tuple[str, ...]) -> list[str]:
    """Name all models of these lists."""
    if not lists:
        return []
    from genai_prices.data_snapshot import get_snapshot

    return [model.id for provider in get_snapshot().providers if provider.id in lists for model in provider.models]
