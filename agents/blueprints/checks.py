"""The checks of code that a blueprint may name."""

from collections.abc import Callable, Iterable

from bookwright.agents.blueprints import fair_play, forms
from bookwright.agents.blueprints.fair_play import Limits
from bookwright.agents.blueprints.ground import BookGround
from bookwright.models.blueprint import CheckUse
from bookwright.models.faults import CheckResult

CHECKS: dict[str, tuple[Callable[[BookGround, Limits], CheckResult], frozenset[str]]] = {
    "clues_before_reveal": (fair_play.clues_before_reveal, frozenset()),
    "red_herrings_answered": (fair_play.red_herrings_answered, frozenset()),
    "clues_per_chapter": (fair_play.clues_per_chapter, frozenset({"most"})),
    "hooks_paid": (fair_play.hooks_paid, frozenset({"within"})),
    "chapter_lengths": (forms.chapter_lengths, frozenset({"least", "most"})),
    "entry_lengths": (forms.entry_lengths, frozenset({"least", "most"})),
    "references": (forms.references, frozenset({"least", "most"})),
    "cross_references": (forms.cross_references, frozenset({"least"})),
    "names_known": (forms.names_known, frozenset()),
}
"""Each with the limits that it knows."""


def checked(uses: Iterable[CheckUse], ground: BookGround) -> tuple[CheckResult, ...]:
    """Return what each check comes to, in the order in which the blueprint names them."""
    return tuple(CHECKS[use.check][0](ground, use.limits) for use in uses)
