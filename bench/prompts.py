"""What prompts cost as a book grows, and how much of them a prefix cache can serve.

No model runs: the rehearsal author answers, and what it is asked is measured. Vectors are hashed,
which changes what is retrieved and not how much. Source: DESIGN section 17; facts/peers-measured.md.
"""

from collections import OrderedDict, defaultdict
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench import shim
from bench.measure import Measure
from bench.parts import HeardAsker, held_book, make_settings, write_whole
from bookwright.agents.backends.protocol import Request
from bookwright.agents.backends.schema import parts_of
from bookwright.agents.backends.service import ModelService
from bookwright.agents.backends.spending.prices import LEAST_CACHED, REMEMBERED, cost, shared_prefix
from bookwright.agents.backends.tokens import count_raw
from bookwright.models.settings import Settings
from bookwright.models.step import Usage

_TOLD = (20_000, 50_000)
"""Words of books that are told from one plan: every prompt has all pages before it."""

_PRICED = {"anthropic": "anthropic:claude-sonnet-4-5", "openai": "openai:gpt-5"}


def run(full: bool) -> Iterator[Measure]:
    """Write whole books of growing length and measure every prompt; then time the embedded server.

    They are told, and the shorter ones see more of themselves the longer they are; the price of those in acts, and of
    books that are planned, is to be flat.
    """
    least, most = 120_000, 500_000 if full else 240_000
    for profile in ("standard", "economy"):
        for size in _TOLD:
            yield from _of_one_book(f"{profile}.{size}", profile, _written(size, profile))
        for kind, rounds in (("acts", None), ("planned", 1)):
            short, long = (_written(size, profile, rounds) for size in (least, most))
            yield from _of_one_book(f"{profile}.{least}.{kind}", profile, short)
            yield from _of_one_book(f"{profile}.{most}.{kind}", profile, long)
            growth = long["tokens_a_step"] / short["tokens_a_step"]
            yield Measure(f"prompts.{profile}.{kind}.growth", growth, f"{most:,} over {least:,} words", "<= 1.1")
    yield from _of_the_embedded_server()


def _of_the_embedded_server() -> Iterator[Measure]:
    took = shim.run("prefix:first_events")
    share = 100 * took["shared"] / took["cold"]
    about = f"% of the time to the first token, {took['tokens']:,.0f} tokens"
    yield Measure("prompts.embedded.first_token_of_shared_prefix", share, about)


def _written(length: int, profile: str, max_planning_rounds: int | None = None) -> dict[str, Any]:
    return shim.run("prompts:write_book", length=length, profile=profile, max_planning_rounds=max_planning_rounds)


def _of_one_book(of: str, profile: str, book: dict[str, Any]) -> Iterator[Measure]:
    name, is_standard = f"prompts.{of}", profile == "standard"
    yield Measure(f"{name}.tokens_a_step", book["tokens_a_step"], "prompt tokens", reference="WriteHERE 107 000 at 60k")
    others = "AI_NovelGenerator 7, AIStoryWriter 32 to 69, WriteHERE 39 to 148"
    yield Measure(
        f"{name}.tokens_a_word", book["tokens_a_word"], "input tokens", "<= 70" if is_standard else "<= 15", others
    )
    weighted = "<= 25" if is_standard else "<= 8"
    yield Measure(f"{name}.weighted_a_word", book["weighted_a_word"], "input tokens, cache reads at 0.1", weighted)
    yield Measure(
        f"{name}.shared_in_activity",
        book["in_activity"],
        "% of a prompt as before it",
        ">= 80" if is_standard else "",
        "WriteHERE 0.3, AgentWrite 76",
    )
    yield Measure(f"{name}.shared_in_unit", book["in_unit"], "% of all input tokens")
    yield Measure(f"{name}.served_by_cache", book["in_book"], "% of all input tokens", ">= 70" if is_standard else "")
    for provider in _PRICED:
        yield Measure(f"{name}.price_{provider}", book[provider], "% of the price without a cache")


def write_book(folder: Path, **brief: Any) -> dict[str, float]:
    """Write one book with the rehearsal author, looking at each prompt."""
    settings = make_settings(folder, "rehearsal:exact")
    meter = PromptMeter(settings)
    with (
        closing(ModelService(settings)) as models,
        held_book(settings, HeardAsker(models, meter.measure), with_context=True, **brief) as deps,
    ):
        write_whole(deps)
        with deps.stores() as stores:
            return meter.figures(stores.nodes.root().written)


@dataclass
class _Asked:
    """One prompt, as far as later ones are compared with it."""

    parts: tuple[str, ...]
    activity: tuple[str, ...]


@dataclass
class PromptMeter:
    """Looks at each prompt that a model is asked."""

    settings: Settings
    calls: int = 0
    tokens: float = 0.0
    sums: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    recent: list[_Asked] = field(default_factory=list)
    written: OrderedDict[tuple[str, ...], None] = field(default_factory=OrderedDict)
    """Prefixes that cache points have put into the cache."""

    def figures(self, written: int) -> dict[str, float]:
        """Return what was found, by written word, by step and as shares in percent."""
        part = self.sums["in_activity_of"] or 1.0
        fresh_price = {name: self.sums[f"{name}_plain"] or 1.0 for name in _PRICED}
        return {
            "calls": self.calls,
            "tokens_a_step": self.tokens / self.calls,
            "tokens_a_word": self.tokens / written,
            "weighted_a_word": (self.tokens - 0.9 * self.sums["in_book"]) / written,
            "in_activity": 100 * self.sums["in_activity"] / part,
            "in_unit": 100 * self.sums["in_unit"] / self.tokens,
            "in_book": 100 * self.sums["in_book"] / self.tokens,
            **{name: 100 * self.sums[name] / fresh_price[name] for name in _PRICED},
        }

    def measure(self, request: Request) -> None:
        """Measure a prompt beside those before it."""
        facts = request.facts
        parts = parts_of(request)
        asked = _Asked(parts, (facts["label"], facts["activity"], str(facts["card"].round)))
        total = tokens("\n\n".join(parts))
        self.calls += 1
        self.tokens += total
        if self.recent and self.recent[-1].activity == asked.activity:
            self.sums["in_activity"] += _shared(asked, self.recent[-1])
            self.sums["in_activity_of"] += total
        unit = facts["card"].unit.label
        self.sums["in_unit"] += max(
            (_shared(asked, other) for other in self.recent if other.activity[0] == unit), default=0
        )
        served = max((_shared(asked, other) for other in self.recent), default=0.0)
        served = served if served >= LEAST_CACHED else 0.0
        self.sums["in_book"] += served
        self._price(request, total, served)
        self.recent = [*self.recent[-REMEMBERED + 1 :], asked]

    def _price(self, request: Request, total: float, served: float) -> None:
        """Price the prompt with and without the caches of two providers."""
        read, put = self._by_cache_points(request)
        usages = {
            "anthropic": Usage(input_tokens=round(total), cached_tokens=round(read), cache_write_tokens=round(put)),
            "openai": Usage(input_tokens=round(total), cached_tokens=round(served)),
        }
        for name, model in _PRICED.items():
            self.sums[name] += cost(model, usages[name], self.settings) or 0
            self.sums[f"{name}_plain"] += cost(model, Usage(input_tokens=round(total)), self.settings) or 0

    def _by_cache_points(self, request: Request) -> tuple[float, float]:
        """Return the tokens that cache points find written, and those that they write."""
        prompt = request.prompt
        ends = sorted({0, prompt.unit_blocks, prompt.stable_blocks})
        prefixes = [(prompt.system, *prompt.blocks[:end]) for end in ends]
        # A cache point is looked up block by block towards the front.
        looked_up = ((prompt.system, *prompt.blocks[:end]) for end in range(prompt.stable_blocks, -1, -1))
        known = next((prefix for prefix in looked_up if prefix in self.written), None)
        read = tokens("\n\n".join(known)) if known else 0.0
        longest = tokens("\n\n".join(prefixes[-1]))
        for prefix in prefixes:
            self.written[prefix] = None
            self.written.move_to_end(prefix)
        while len(self.written) > 3 * REMEMBERED:
            self.written.popitem(last=False)
        return (read, longest - read) if longest >= LEAST_CACHED else (0.0, 0.0)


def _shared(one: _Asked, other: _Asked) -> float:
    """Tokens of the longest common beginning of two prompts."""
    return tokens(shared_prefix(one.parts, other.parts))


def tokens(text: str) -> float:
    """Count as the newer GPT models do."""
    return count_raw(text, "o200k")
