"""What a blueprint lays down before a page is written: what is kept from readers, what they are shown early."""

from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated

from pydantic import Field, StringConstraints

from bookwright.models.codex.extraction import Name, Told, Word, Words
from bookwright.models.frozen import FrozenModel

Chapter = Annotated[int, Field(ge=1, le=100_000)]

CRITICAL_A_CHAPTER = 2
"""Clues without which nobody could solve it that a chapter may show for the first time. Source: DETAILS, 000."""


class ThreadRole(StrEnum):
    """What a thread does for readers."""

    CLUE = "clue"
    """It leads to the solution."""
    RED_HERRING = "red_herring"
    """It leads away from it, and is answered."""
    HOOK = "hook"
    """It makes them go on, and is paid."""


class Weight(StrEnum):
    """Whether the solution stands without a thread."""

    CRITICAL = "critical"
    MINOR = "minor"


class RegisteredSecret(FrozenModel):
    """What readers are not to know before its chapter."""

    id: Word = ""
    content: Annotated[Told, StringConstraints(min_length=1)]
    about: Word = ""
    """The name of whom it is about."""
    forbidden_keywords: Words = ()
    allowed_expressions: Words = ()
    revealed_in: Chapter


class RegisteredThread(FrozenModel):
    """What readers see before they understand it."""

    id: Word = ""
    title: Name
    role: ThreadRole = ThreadRole.CLUE
    weight: Weight = Weight.MINOR
    seed: Annotated[Told, StringConstraints(min_length=1)]
    """What can be seen, with its innocent use."""
    meaning: Told = ""
    """What it really tells, or how it is answered."""
    secret: Word = ""
    """The id of the secret that it belongs to."""
    characters: Words = ()
    expressions: Words = ()
    """Words by which a page shows it."""
    planted_in: Chapter
    reinforced_in: Annotated[tuple[Chapter, ...], Field(max_length=8)] = ()
    answered_in: Chapter

    @property
    def is_critical_clue(self) -> bool:
        """True for a clue without which nobody could solve it."""
        return self.role is ThreadRole.CLUE and self.weight is Weight.CRITICAL


class Register(FrozenModel):
    """All of it, as a model lays it down."""

    secrets: Annotated[tuple[RegisteredSecret, ...], Field(max_length=12)] = ()
    threads: Annotated[tuple[RegisteredThread, ...], Field(min_length=1, max_length=40)]

    def revealed_in(self, thread: RegisteredThread) -> int:
        """Return the chapter in which what a thread leads to comes out."""
        own = next((secret.revealed_in for secret in self.secrets if secret.id and secret.id == thread.secret), None)
        return thread.answered_in if own is None else min(own, thread.answered_in)

    def held_to(self, chapters: int) -> "Register":
        """Return the register with every place inside a book of so many chapters."""
        secrets = [
            secret.model_copy(update={"revealed_in": min(secret.revealed_in, chapters)}) for secret in self.secrets
        ]
        threads = [
            thread.model_copy(update={
                "planted_in": min(thread.planted_in, chapters), "answered_in": min(thread.answered_in, chapters),
                "reinforced_in": tuple(sorted({min(place, chapters) for place in thread.reinforced_in})),
            })
            for thread in self.threads
        ]  # fmt: skip
        return self.model_copy(update={"secrets": tuple(secrets), "threads": tuple(threads)})

    def late_clues(self) -> list[RegisteredThread]:
        """Return the clues that would be shown no earlier than what they lead to."""
        return [own for own in self.threads if own.role is ThreadRole.CLUE and own.planted_in >= self.revealed_in(own)]

    def crowded(self, most: int = CRITICAL_A_CHAPTER) -> list[int]:
        """Return the chapters that show more critical clues for the first time than one may."""
        return crowded((own.planted_in for own in self.threads if own.is_critical_clue), most)


_FEW = 3
"""Threads that a weak model's book keeps."""


class FewThread(FrozenModel):
    """A thread as a weak model tells of it."""

    title: Name
    seed: Annotated[Told, StringConstraints(min_length=1)]


class FewThreads(FrozenModel):
    """What a weak model can lay down: one secret, and what is seen of it early; code says in which chapters."""

    secret: Annotated[Told, StringConstraints(min_length=1)]
    threads: Annotated[tuple[FewThread, ...], Field(min_length=1, max_length=12)]

    def spread(self, chapters: int) -> Register:
        """Return it as a register: the secret in the last chapter, each thread in an earlier one of its own."""
        secret = RegisteredSecret(id="secret", content=self.secret, revealed_in=chapters)
        kept = self.threads[:_FEW]
        threads = [
            RegisteredThread(
                title=own.title, seed=own.seed, secret=secret.id, answered_in=chapters,
                planted_in=max(min(chapters * place // (len(kept) + 1), chapters - 1), 1),
            )
            for place, own in enumerate(kept, 1)
        ]  # fmt: skip
        return Register(secrets=(secret,), threads=tuple(threads))


def crowded(chapters: Iterable[int], most: int) -> list[int]:
    """Return the chapters that are named more often than `most`, in order."""
    return sorted(chapter for chapter, count in Counter(chapters).items() if count > most)
