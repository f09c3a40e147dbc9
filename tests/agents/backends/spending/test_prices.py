"""What calls cost, by list, by the settings, and where nobody knows; what a cache is believed to serve of a prompt."""

from collections.abc import Callable
from datetime import UTC, datetime

from bookwright.agents.backends.spending import prices
from bookwright.agents.backends.spending.prices import REMEMBERED, PrefixCache, shared_prefix
from bookwright.models.settings import Settings
from bookwright.models.step import Usage

USAGE = Usage(input_tokens=10_000, cached_tokens=4_000, output_tokens=1_000)
SONNET = "anthropic:claude-sonnet-5-5"


def test_the_list_prices_fresh_cached_and_written_tokens(settings: Settings) -> None:
    # 6,000 at $2, 4,000 at $0.10 and 1,000 at $10 for a million
    assert prices.cost(SONNET, USAGE, settings) == 12_000 + 400 + 10_000


def test_the_settings_price_wins(make_settings: Callable[..., Settings]) -> None:
    settings = make_settings(prices={SONNET: {"input": 1, "output": 3, "cached": 0.5}})

    assert prices.cost(SONNET, USAGE, settings) == 6_000 + 2_000 + 3_000


def test_cached_tokens_cost_what_fresh_ones_do_unless_said(make_settings: Callable[..., Settings]) -> None:
    settings = make_settings(prices={SONNET: {"input": 1, "output": 3}})

    assert prices.cost(SONNET, USAGE, settings) == 10_000 + 3_000


def test_fractions_are_rounded_up(make_settings: Callable[..., Settings]) -> None:
    settings = make_settings(prices={"qwen:x": {"input": 0.3, "output": 0}})

    assert prices.cost("qwen:x", Usage(input_tokens=1), settings) == 1


def test_local_models_are_free(settings: Settings) -> None:
    for model in ("embedded:smollm2", "rehearsal:any", "ollama:llama3", "vllm:x", "llamacpp:x"):
        assert prices.cost(model, USAGE, settings) == 0


def test_an_unknown_price_is_none(settings: Settings) -> None:
    for model in ("qwen:qwen3-max", "compatible:x", "openai:brand-new", "scripted:x"):
        assert prices.cost(model, USAGE, settings) is None


def test_a_long_prompt_is_priced_by_its_tier(settings: Settings) -> None:
    short, long = (
        prices.cost("anthropic:claude-haiku-5-5", Usage(input_tokens=n), settings) for n in (100_000, 200_000)
    )

    assert (short, long) == (10_000, 100_000)


def test_the_price_is_that_of_the_requests_time(settings: Settings) -> None:
    name = "deepseek:deepseek-v4-pro"
    before, now = datetime(2026, 5, 1, tzinfo=UTC), datetime(2026, 11, 20, tzinfo=UTC)

    assert prices.cost(name, USAGE, settings, before) != prices.cost(name, USAGE, settings, now)


def test_the_worst_case_is_no_less_than_any_outcome(settings: Settings) -> None:
    worst = prices.worst_cost(SONNET, 10_000, 1_000, settings)
    written = prices.cost(SONNET, Usage(input_tokens=10_000, cache_write_tokens=10_000, output_tokens=1_000), settings)

    assert worst is not None
    assert written is not None
    assert worst >= written


def test_zhipu_is_priced_by_its_own_list(settings: Settings) -> None:
    assert prices.cost("zhipu:GLM-4.7", USAGE, settings)


SYSTEM = "You write a book. " * 400
PAGES = "It rained on the harbour. " * 400


def test_a_prompt_is_served_as_far_as_an_earlier_one_began_so() -> None:
    cache = PrefixCache()

    shares = [cache.share_of((SYSTEM, PAGES, question), 6_000) for question in ("Who is here?", "Who is there?")]

    assert shares[0] == 0
    assert 5_990 < shares[1] < 6_000


def test_what_stands_behind_a_difference_is_not_served() -> None:
    cache = PrefixCache()
    cache.share_of((SYSTEM, "Chapter 1", PAGES), 6_000)

    share = cache.share_of((SYSTEM, "Chapter 2", PAGES), 6_000)

    assert share == 6_000 * len(shared_prefix((SYSTEM, "Chapter 1"), (SYSTEM, "Chapter 2"))) // len(
        SYSTEM + "Chapter 2" + PAGES
    )


def test_a_beginning_that_no_provider_keeps_and_a_prompt_that_is_forgotten_serve_nothing() -> None:
    cache = PrefixCache()
    small = [cache.share_of(("You write.", PAGES[:900], end), 200) for end in "ab"]
    cache.share_of((SYSTEM, PAGES), 6_000)
    for number in range(REMEMBERED):
        cache.share_of((f"{number} is another prompt.",), 10)

    assert small == [0, 0]
    assert cache.share_of((SYSTEM, PAGES), 6_000) == 0
