"""Parameters of a run are data from strangers: names and numbers of bounded size, never places, addresses or keys."""

from typing import Any

import pytest

from bookwright.flows.parameters import MAX_BYTES, book_of, check_options, check_webhook, read_brief
from bookwright.models.errors import BookwrightError, InvalidBrief, InvalidInput
from bookwright.models.settings import load_settings

BRIEF: dict[str, Any] = {"premise": "A keeper counts ships.", "length": 900}


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        ({"blueprint": "/etc"}, "blueprint in the brief: a worker takes one by its name"),
        ({"blueprint": "../mine"}, "by its name"),
        ({"blueprint": "~/mine:short"}, "by its name"),
        ({"blueprint": "C:\\mine"}, "by its name"),
        ({"models": {"writer": "embedded:/etc/passwd"}}, "by its name"),
        ({"models": {"default": "embedded:models/other.gguf"}}, "by its name"),
        ({"models": {"default": "vllm:../../other"}}, "by its name"),
        ({"models": {"default": "vllm:" + "x" * 300}}, "by its name"),
        ({"models": {"default": "compatible:http://elsewhere/"}}, "by its name"),
        ({"llm_base_url": "http://elsewhere/"}, "unknown key 'llm_base_url'"),
        ({"LLM_BASE_URL": "http://elsewhere/"}, "unknown key 'LLM_BASE_URL'"),
        ({"api_key": "sk-1"}, "unknown key 'api_key'"),
        ({"home": "/etc"}, "unknown key 'home'"),
        ({"outline": "x" * MAX_BYTES}, "as a parameter it may have"),
        ({"premise": "x" * 60_001}, "premise in the brief"),
    ],
)
def test_a_brief_names_no_place_no_address_and_no_key(more: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        read_brief(BRIEF | more)


@pytest.mark.parametrize(
    "more",
    [
        {"blueprint": "mystery"},
        {"blueprint": "web-serial:xianxia"},
        {"models": {"default": "openrouter:anthropic/claude-3.5:beta", "writer": "ollama:qwen3:14b"}},
        {"models": {"default": "embedded:smollm2", "critic": "claude-cli"}},
    ],
)
def test_names_are_taken(more: dict[str, Any]) -> None:
    assert read_brief(BRIEF | more).premise == BRIEF["premise"]


def test_toml_text_is_held_to_the_same() -> None:
    with pytest.raises(InvalidBrief, match="by its name"):
        read_brief('premise = "A keeper."\nlength = 900\nblueprint = "./mine"')
    with pytest.raises(InvalidBrief, match="bytes"):
        read_brief("#" * (MAX_BYTES + 1))


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"book": "../lamp"}, "no book is called"),
        ({"book": "x" * 81}, "no book is called"),
        ({"until": "chapter:" + "9" * 8}, "--until is 'chapter:9999"),
        ({"until": "x" * 100_000}, "--until"),
        ({"words_today": 10_000_001}, "at most 10,000,000"),
        ({"model": "embedded:/etc/passwd"}, "by its name"),
    ],
)
def test_options_are_names_and_bounded_numbers(options: dict[str, Any], complaint: str) -> None:
    none: dict[str, Any] = dict.fromkeys(("book", "until", "words_today", "model"))

    with pytest.raises(InvalidInput, match=complaint):
        check_options(**(none | options))


def test_a_run_that_says_too_much_is_named_after_no_book() -> None:
    assert book_of({"brief": BRIEF | {"blueprint": "/etc"}}) == ""


@pytest.mark.parametrize(
    ("url", "hosts", "is_allowed"),
    [
        ("http://169.254.169.254/latest", (), False),
        ("http://hooks.example/in", (), False),
        ("http://hooks.example/in", ("hooks.example",), True),
        ("http://hooks.example:8080/in", ("hooks.example",), True),
        ("http://hooks.example:8080/in", ("hooks.example:8080",), True),
        ("http://hooks.example.evil/in", ("hooks.example",), False),
        ("http://hooks.example@evil/in", ("hooks.example",), False),
    ],
)
def test_a_webhook_goes_only_where_the_owner_allows(url: str, hosts: tuple[str, ...], is_allowed: bool) -> None:
    brief, settings = read_brief(BRIEF | {"webhook": url}), load_settings(webhook_hosts=hosts)
    refused: BookwrightError | None = None

    try:
        check_webhook(brief, settings)
    except InvalidBrief as error:
        refused = error

    assert (refused is None) is is_allowed
    assert refused is None or "webhook_hosts" in str(refused)
