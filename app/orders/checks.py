"""Whether a book can be written as things are set, asked before anything is created or paid."""

from bookwright.agents.backends.local import weights
from bookwright.agents.backends.spending import prices
from bookwright.app.access import OpenBook
from bookwright.flows.book_models import fitted_profile, kept_windows, model_of
from bookwright.flows.library import check_blueprint, check_models
from bookwright.models.brief import Brief
from bookwright.models.errors import InvalidInput, InvalidSetting
from bookwright.models.model_name import ROLES
from bookwright.models.profile import ProfileName
from bookwright.models.settings import Settings
from bookwright.models.step import Usage
from bookwright.storage.index.embedding import make_embedder


def check_writable(brief: Brief, settings: Settings) -> None:
    """Make sure that a book can be written as things are set, before anything is created or paid.

    Raises:
        InvalidInput: It cannot; the message says what to change.
    """
    check_models(brief, settings)
    if brief.drafts_a_unit > 1 and fitted_profile(brief, settings).name is ProfileName.SMALL:
        raise InvalidSetting("candidates are judged by a model; those of the profile small are too weak for that")
    check_blueprint(brief, settings)
    make_embedder(settings)
    names = list(dict.fromkeys(model_of(role, brief, settings) for role in ROLES))
    for name in names:
        if brief.budget.usd is not None or settings.studio_usd is not None:
            _check_price(name, settings)
    for name in names:  # last, for a file that was found whole is remembered in the data folder
        provider, _, model = name.partition(":")
        if provider == "embedded":
            weights.locate(model, settings)


def check_strong_writer(opened: OpenBook, complaint: str) -> None:
    """Make sure that a book's models can be asked, and do more than those of the smallest profile can.

    Raises:
        InvalidInput: They cannot be asked, or are too weak; the message is then the complaint.
    """
    check_writable(opened.book.brief, opened.settings)
    if fitted_profile(opened.book.brief, kept_windows(opened.book, opened.settings)).name is ProfileName.SMALL:
        raise InvalidInput(complaint)


def _check_price(name: str, settings: Settings) -> None:
    if prices.cost(name, Usage(input_tokens=1, output_tokens=1), settings) is None:
        raise InvalidSetting(
            f"the budget caps money and the price of {name} is unknown; "
            f'give it in config.toml under [prices."{name}"], 0 if it is free'
        )
