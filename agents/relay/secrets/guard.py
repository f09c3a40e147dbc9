"""The guard of every prompt that writes prose: takes withheld text out of it and records that it did."""

from collections.abc import Iterable
from copy import copy
from functools import cache

from bookwright.agents.relay.leaks.folding import letters_of
from bookwright.agents.relay.secrets.holders import Holders
from bookwright.agents.relay.secrets.matching import Disclosure, Matcher, Withholding
from bookwright.agents.relay.secrets.public import NOTHING_PUBLIC, Public
from bookwright.models.document import CodexUse
from bookwright.models.errors import FatalContextError


class Guard(Matcher):
    """A matcher for one unit's writer that remembers for which records of the codex it took something out."""

    def __init__(
        self, withheld: Withholding, public: Public = NOTHING_PUBLIC, holders: Holders | None = None
    ) -> None:  # fmt: skip
        """Make a guard; `holders` is the codex that withholds it."""
        super().__init__(withheld, public)
        self._holders = holders
        self._cut: dict[str, None] = {}
        self._shown: tuple[str, ...] = ()

    @classmethod
    @cache
    def idle(cls) -> "Guard":
        """Return a guard that finds nothing; all share it, as there is nothing that it could remember."""
        return cls(Withholding())

    def beside(self, prose: Iterable[str]) -> "Guard":
        """Return the guard of prompts in which some prose stands as its writer wrote it: its words are no find there.

        What was made from a prompt that held nothing secret tells nothing, so no draft is ever cut.
        """
        other = copy(self)
        other._shown = tuple(map(letters_of, prose))
        return other

    def violations(self, text: str) -> tuple[Disclosure, ...]:
        """Return the places of a text that give away what is withheld, first to last; empty for a clean text."""
        found = super().violations(text)
        return tuple(one for one in found if not self._is_shown(one)) if found and self._shown else found

    def _is_shown(self, found: Disclosure) -> bool:
        letters = letters_of(found.excerpt)
        return any(letters in shown for shown in self._shown)

    @property
    def use(self) -> CodexUse | None:
        """What the codex was so far to the text that is made under this guard; None where there is no codex."""
        return self._holders.use(self._cut) if self._holders else None

    def note(self, *excerpts: str) -> None:
        """Take down that something was taken out or refused for those words."""
        self._cut |= dict.fromkeys(excerpts)

    def require(self, texts: Iterable[str], name: str) -> None:
        """Stop if a prompt, given by its parts, still holds something withheld; `name` is its step's.

        Raises:
            FatalContextError: It does. The message does not repeat it.
        """
        if any(self.violations(text) for text in texts):
            raise FatalContextError(
                f"the prompt of {name} holds something that is secret there, and nothing was sent",
                "`bookwright secrets list` shows what is in force; a template edited by hand, or a title, may quote it",
            )
