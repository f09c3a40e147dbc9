"""The offline price list of genai-prices: which models it knows. Loaded when first asked (0.1 s)."""

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo


@lru_cache(maxsize=256)
def find(lists: tuple[str, ...], model: str) -> "ModelInfo | None":
    """Look a model up in the lists of these providers, in order; None where no list has it."""
    if not lists:
        return None
    from genai_prices.data_snapshot import get_snapshot

    for name in lists:
        try:
            return get_snapshot().find_provider_model(model, None, name, None)[1]
        except LookupError:
            continue
    return None


def names(lists: tuple[str, ...]) -> list[str]:
    """Name all models of these lists."""
    if not lists:
        return []
    from genai_prices.data_snapshot import get_snapshot

    return [model.id for provider in get_snapshot().providers if provider.id in lists for model in provider.models]
