"""What the process around the prose costs: requests, share of output that is printed, unused room, repeated lines.

One book for each length and profile; the rehearsal author answers, so requests and prompts are those of a real
book and answers have the length that is asked for, not a real model's. Vectors are hashed. Source: issue 13.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench import shim
from bench.measure import Measure
from bench.parts import HeardAsker, held_book, make_settings, write_whole
from bench.prompt_budget import probed
from bench.prompts import PromptMeter, tokens
from bookwright.agents.backends.protocol import Request
from bookwright.agents.backends.service import ModelService
from bookwright.app.status.progress import EVERY_STEP
from bookwright.models.document import DocumentKind
from bookwright.models.profile import ProfileName
from bookwright.models.step import Activity
from bookwright.storage.steps.queries import StepLine
from bookwright.storage.stores import Stores

LENGTHS = (3_000, 8_000, 20_000, 50_000)
PROFILES = (ProfileName.ECONOMY.value, ProfileName.STANDARD.value, ProfileName.FINE.value)

LEAST_LINE = 40
"""Characters below which a line may well stand twice, such as a heading."""

_MOST_REQUESTS = {("standard", 3_000): 25}
"""Source: issue 13, "As much process as the work bears"."""


@dataclass(frozen=True)
class Cell(Measure):
    """One book's figures; the one that is measured is its requests."""

    figures: dict[str, Any] = field(default_factory=dict)

    def as_line(self) -> str:
        """The record for a person, with the figures behind it but for the long ones."""
        shown = (f"{name} {value:,.3g}" for name, value in self.figures.items() if isinstance(value, int | float))
        return f"{super().as_line()}\n    {', '.join(shown)}"


def run(full: bool, lengths: Sequence[int] = (), profiles: Sequence[str] = ()) -> Iterator[Measure]:
    """Write one book for each of the lengths and profiles, all of them where none is named."""
    for length in lengths or LENGTHS:
        for profile in profiles or PROFILES:
            figures = shim.run("process:write_book", length=length, profile=profile)
            most = _MOST_REQUESTS.get((profile, length))
            target = f"<= {most}" if most else ""
            yield Cell(f"process.{profile}.{length}", figures["requests"], "requests", target, figures=figures)


def write_book(folder: Path, length: int, profile: str, **brief: Any) -> dict[str, Any]:
    """Write one book with the rehearsal author and look through what is on record of it."""
    settings = make_settings(folder, "rehearsal:exact")
    models = ModelService(settings)
    with held_book(settings, models, with_context=True, length=length, profile=profile, **brief) as held:
        probe, meter = probed(held), PromptMeter(settings)
        rooms: list[tuple[int, int]] = []

        def note(request: Request) -> None:
            meter.measure(request)
            rooms.append(probe.room_of(request.facts["label"], request.facts["activity"]))

        deps = probe.watched(held, HeardAsker(models, note))
        write_whole(deps)
        with deps.stores() as stores:
            found = figures_of(stores, meter, rooms)
    models.close()
    return found


def figures_of(stores: Stores, meter: PromptMeter, rooms: Sequence[tuple[int, int]]) -> dict[str, Any]:
    """Return one book's figures, from its journal and its finished text.

    `rooms` are, of each request, the tokens of its budget, and those that were left out for want of room.
    """
    steps = list(stores.steps.lines(limit=EVERY_STEP))
    prompts = [stores.steps.prompt(step.id) for step in steps]
    leaves = [unit.key for unit in stores.nodes.leaves()]
    printed = sum(tokens(text.text) for text in stores.documents.of_nodes(leaves, DocumentKind.PROSE))
    answered = sum(tokens(stores.steps.reply(step.id)) for step in steps)
    written = max(stores.nodes.root().written, 1)
    paid = meter.figures(written)
    repeated = [repeated_lines(prompt) for prompt in prompts]
    empty, unused = room_left(prompts, rooms)
    return {
        "requests": len(steps),
        "requests_before_prose": before_prose(steps),
        "written": written,
        "units": len(leaves),
        "tokens_a_word": round(paid["tokens_a_word"], 2),
        "weighted_a_word": round(paid["weighted_a_word"], 2),
        "output_tokens": round(answered),
        "prose_share": round(100 * printed / max(answered, 1), 2),
        "empty_room": round(empty, 2),
        "unused_room": round(unused, 2),
        "repeated_lines": round(sum(repeated) / max(len(repeated), 1), 3),
        "most_repeated_lines": max(repeated, default=0),
        "by_activity": dict(Counter(step.activity for step in steps).most_common()),
        "by_step": dict(Counter(f"{step.activity}/{step.step.partition('.')[0]}" for step in steps).most_common()),
    }


def before_prose(steps: Sequence[StepLine]) -> int:
    """Return how many requests came before the first one that asked for prose."""
    drafts = (
        place for place, step in enumerate(steps)
        if step.activity == Activity.WRITE.value and step.step.startswith("draft")
    )  # fmt: skip
    return next(drafts, len(steps))


def room_left(prompts: Sequence[Sequence[str]], rooms: Sequence[tuple[int, int]]) -> tuple[float, float]:
    """Return what of all budgets stayed empty, in percent, and what stayed so though it had room for what was left out.

    Each request is recorded, in the order in which it came. Prompts without a budget of their own, such as those
    that hold one text to judge, are left out.
    """
    whole = empty = unused = 0.0
    for prompt, (budget, missing) in zip(prompts, rooms, strict=True):
        left = max(budget - tokens("\n\n".join(prompt)), 0) if budget else 0
        whole, empty, unused = whole + budget, empty + left, unused + min(left, missing)
    return 100 * empty / max(whole, 1), 100 * unused / max(whole, 1)


def repeated_lines(prompt: Iterable[str]) -> int:
    """Return how many lines of a prompt stand in it more than once; short ones do not count."""
    lines = Counter(line.strip() for block in prompt for line in block.splitlines())
    return sum(often > 1 for line, often in lines.items() if len(line) >= LEAST_LINE)
