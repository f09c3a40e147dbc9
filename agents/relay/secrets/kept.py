"""The one rule for what is withheld at a place of a book: from its writer, and from its readers.

A text below level 2 is not for the writer, one below level 3 not for the page; what forbids words forbids
them as long as it is kept. Whoever filters, guards, reviews or compares asks here. Source: DESIGN section 10,
items 0, 2 and 4; DETAILS "Visibility levels".
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from bookwright.agents.relay.codex_texts import CodexText, is_unknown, secret_and_payoff_texts, section_texts
from bookwright.agents.relay.history.codex_then import CodexReader
from bookwright.agents.relay.secrets.forbidden_words import ForbiddenKeywords, collect_forbidden
from bookwright.agents.relay.secrets.matching import Withholding
from bookwright.agents.relay.secrets.public import NOTHING_PUBLIC, Public
from bookwright.models.codex.entries import Secret, Visibility, folded
from bookwright.models.codex.foreshadowing import Foreshadowing, ThreadStatus
from bookwright.models.codex.sight import SeenEntry
from bookwright.models.story_time.times import StoryTime
from bookwright.models.tree.place import ReadingOrder


@dataclass(frozen=True)
class Kept:
    """A codex at one place, every text of it with its level."""

    sections: tuple[tuple[SeenEntry, tuple[CodexText, ...]], ...] = ()
    """Entries with their sections."""
    others: tuple[CodexText, ...] = ()
    """Secrets, and payoffs of threads."""
    everywhere: tuple[str, ...] = ()
    """What the author forbids in the whole book."""
    seeds: tuple[str, ...] = ()
    """What threads plant: readers are meant to see it."""
    public: Public = NOTHING_PUBLIC
    """What is held against nobody there, where that was asked."""

    @cached_property
    def pieces(self) -> tuple[CodexText, ...]:
        """Every text, those of secrets and threads first."""
        return (*self.others, *(piece for _, own in self.sections for piece in own))

    @cached_property
    def keywords(self) -> ForbiddenKeywords:
        """All that is forbidden there, with what forbids it."""
        return collect_forbidden(self.pieces, self.everywhere)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """All that is forbidden there, whatever forbids it."""
        return self.keywords.all

    @cached_property
    def withheld(self) -> Withholding:
        """What is kept from the writer; a name by which everybody may be called is no secret about them."""
        held = [piece for piece in self.pieces if piece.level < Visibility.KNOW]
        shown = (piece.text for piece in self.pieces if piece.level >= Visibility.KNOW and piece.text)
        unknown = [seen.entry for seen, own in self.sections if is_unknown(seen, own)]
        hidden = {folded(name) for entry in unknown for name in (entry.id, *entry.names)}
        about = (piece.about for piece in self.pieces if piece.about)
        names = dict.fromkeys([*(name for seen, _ in self.sections for name in seen.entry.names), *about])
        words = [word for piece in held for word in piece.forbidden] + [name for own in unknown for name in own.names]
        return Withholding(
            texts=tuple(piece.text for piece in held if piece.text),
            words=tuple(dict.fromkeys(words)),
            known=(*shown, *self.seeds, *(name for name in names if folded(name) not in hidden)),
            allowed=tuple(dict.fromkeys(words for piece in self.pieces for words in piece.allowed if words)),
        )

    @cached_property
    def off_page(self) -> tuple[CodexText, ...]:
        """What readers are not to know yet: secrets, and payoffs of threads."""
        return tuple(piece for piece in self.others if _is_off_page(piece))

    @cached_property
    def secrets(self) -> tuple[Secret, ...]:
        """The same in the form of secrets."""
        return tuple(map(_as_secret, self.off_page))

    @cached_property
    def off_page_sections(self) -> tuple[tuple[str, CodexText], ...]:
        """Sections that may not be told, each with the name of its entry."""
        return tuple((seen.entry.name, piece) for seen, own in self.sections for piece in own if _is_off_page(piece))

    @cached_property
    def settings(self) -> tuple[str, ...]:
        """Their texts."""
        return tuple(piece.text for _, piece in self.off_page_sections)

    @property
    def is_hiding(self) -> bool:
        """Whether anything is kept that a model could find in other words than its own."""
        return bool(self.secrets or self.settings)


def kept_at(codex: CodexReader, at: str, words: Iterable[str] = (), story_now: StoryTime | None = None) -> Kept:
    """Return what a codex keeps back in the unit `at`; `words` are forbidden everywhere."""
    return kept_of(
        codex.seen_at(at, story_now), codex.secrets(), codex.threads(), at, codex.reading_order(), words
    )  # fmt: skip


def kept_of(
    seen: Iterable[SeenEntry], secrets: Iterable[Secret], threads: Iterable[Foreshadowing], at: str,
    reading: ReadingOrder, words: Iterable[str] = (),
) -> Kept:  # fmt: skip
    """Return the same of records that were read already."""
    threads = list(threads)
    return Kept(
        sections=tuple((entry, tuple(section_texts(entry))) for entry in seen if not entry.is_later),
        others=tuple(secret_and_payoff_texts(secrets, threads, at, reading)),
        everywhere=tuple(words),
        seeds=tuple(
            thread.seed.content
            for thread in threads
            if thread.seed.content and thread.status is not ThreadStatus.ABANDONED
        ),
    )


def _is_off_page(piece: CodexText) -> bool:
    return piece.level < Visibility.USE and bool(piece.text.strip())


def _as_secret(piece: CodexText) -> Secret:
    return Secret(
        id=piece.id, content=piece.text, visibility=piece.level, forbidden_keywords=piece.forbidden,
        allowed_expressions=piece.allowed, related_entity=piece.about,
    )  # fmt: skip
