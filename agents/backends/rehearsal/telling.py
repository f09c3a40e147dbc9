"""Story text: paragraphs and dialogue of a wanted length, and what a refiner does to them."""

import re
from random import Random

from bookwright.agents.backends.rehearsal.voice import Voice
from bookwright.models.text.binding import MARK, RELEASE
from bookwright.models.text.prose import cut_to, sentences

_ORIGIN = re.compile(r"\A\[[^\n]*\]\n")
"""The line that says whose text follows."""

_DIALOGUE = 0.3
"""Share of paragraphs that are speech."""

_SENTENCE_LENGTH = 15
"""A usual sentence of these grammars, in words or characters."""

_TOUCHED = 0.12
"""Share of paragraphs that a refiner changes."""


def tell(voice: Voice, rng: Random, length: int, opening: tuple[str, ...] = ()) -> str:
    """Write prose of about `length` (the language's unit), beginning with the opening sentences."""
    measure = voice.language.measure
    first = [*opening] or [voice.sentence("told", rng)]
    written = sum(map(measure, first))
    told = [voice.joined(first)]
    while written < length:
        paragraph: list[str] = []
        is_speech = rng.random() < _DIALOGUE
        for _ in range(rng.randint(1, 2) if is_speech else rng.randint(3, 7)):
            sentence = voice.sentence("spoken" if is_speech else "told", rng)
            size = measure(sentence)
            if written + size - length > length - written:  # leaving it out misses by less
                written = length
                break
            paragraph.append(sentence)
            written += size
        if paragraph:
            told.append(voice.joined(paragraph))
    return "\n\n".join(told)


def retell(voice: Voice, rng: Random, draft: str) -> str:
    """Refine a draft: most of it stays letter for letter, some paragraphs gain or lose a sentence.

    The first paragraph stays as it is: it holds what the unit was to tell.
    """
    first, *others = draft.split("\n\n")
    kept = [first]
    for paragraph in others:
        chance = rng.random()
        if chance < _TOUCHED / 2:
            paragraph = voice.joined([paragraph, voice.sentence("told", rng)])
        elif chance < _TOUCHED:
            paragraph = voice.sentence("told", rng)
        kept.append(paragraph)
    return "\n\n".join(kept)


def note(voice: Voice, rng: Random, length: int, opening: str = "", headings: int = 3) -> str:
    """Write a working text of about `length` under some headings; short ones have none."""
    measure = voice.language.measure
    lines = [voice.joined([voice.marker, opening] if opening else [voice.marker])]
    written = measure(lines[0])
    per_heading = max(length // max(headings, 1), 1)
    names = rng.sample(voice.headings, min(headings, len(voice.headings)))
    due = 0 if length >= 60 * headings else length
    while written < length:
        if written >= due and names:
            due += per_heading
            lines.append(f"## {names.pop()}")
        line = voice.joined([voice.sentence("noted", rng) for _ in range(rng.randint(1, 3))])
        lines.append(line)
        written += measure(line)
    return "\n\n".join(lines)


def digest(voice: Voice, texts: list[str], length: int) -> str:
    """Sum texts up in about `length`: of each its first paragraph, then openings from all over it."""
    share = max(length // max(len(texts), 1), 1)
    lines = [line for text in texts for line in _openings(voice, text, share)]
    return "\n\n".join([voice.marker, *lines])


def updated(voice: Voice, present: str, news: list[str], length: int) -> str:
    """Bring a running document up to date: its lines, then what is new; over `length` the oldest go.

    The first line of each news binds, and is released by name when it has to go.
    """
    lines = [line for line in present.split("\n\n") if line.startswith("- ")]
    for text in news:
        new = _openings(voice, _ORIGIN.sub("", text), max(length // 8, 1))
        lines.extend([f"- {MARK} {new[0].removeprefix('- ')}", *new[1:]] if new else [])
    released = []
    excess = sum(map(voice.language.measure, lines)) - length
    while excess > 0 and len(lines) > 1:
        oldest = next((line for line in lines[:-1] if MARK not in line), lines[0])
        lines.remove(oldest)
        excess -= voice.language.measure(oldest)
        if MARK in oldest:
            released.append(f"{RELEASE} {oldest.removeprefix('- ')} -> {voice.marker}")
    return "\n\n".join([voice.marker, *lines, *released])


def _openings(voice: Voice, text: str, length: int) -> list[str]:
    bodies = [part.removeprefix("- ").removeprefix(voice.marker).strip() for part in text.split("\n\n")]
    first, *others = [body for body in bodies if body and not body.startswith("#")] or [""]
    wanted = max(length // _SENTENCE_LENGTH, 1)
    found = [cut_to(first, length, voice.language)]
    left = length - voice.language.measure(found[0])
    for body in others[:: max(len(others) // wanted, 1)]:
        sentence = sentences(body)[0]
        left -= voice.language.measure(sentence)
        if left < 0:
            break
        found.append(sentence)
    return [f"- {line}" for line in found if line]
