"""A word about the model that is built in, before it is asked for more than it can do."""

from bookwright.cli.output import note
from bookwright.models.brief import Brief
from bookwright.models.settings import Settings

_BUILT_IN = "embedded:smollm2"
_LONGEST_SHOWN = 1_500
"""So much shows that the engine works, and takes minutes."""


def warn_of_toy(brief: Brief, settings: Settings) -> None:
    """Say what is to be expected where the built-in model is to write a longer text."""
    from bookwright.flows.book_models import model_of

    if brief.length > _LONGEST_SHOWN and model_of("writer", brief, settings) == _BUILT_IN:
        note(
            f"{_BUILT_IN} is to write {brief.length:,} {brief.length_unit}: it shows that the engine works and does "
            "not write well. Name a model that does with --model, or as `model` in config.toml; `bookwright models` "
            "shows which can be reached"
        )
