"""What a provider's cache is believed to serve of a prompt."""

from bookwright.agents.backends.spending.prefix_cache import REMEMBERED, PrefixCache, shared_prefix

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
