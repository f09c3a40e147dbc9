"""`doctor --ask`: a configured model is asked two tiny questions, and shows what it can do and what that cost."""

import json
from collections.abc import Iterator

import pytest

from tests.support.fake_provider import FakeProvider

MODELS = ("openai:gpt-4.1", "anthropic:claude-sonnet-4-6")


@pytest.fixture
def provider(home, monkeypatch) -> Iterator[FakeProvider]:
    with FakeProvider() as fake:
        for name, address in (("OPENAI", fake.url), ("ANTHROPIC", fake.root)):
            monkeypatch.setenv(f"{name}_API_KEY", "key-that-is-shown-nowhere")
            monkeypatch.setenv(f"{name}_BASE_URL", address)
        yield fake


@pytest.mark.parametrize("model", MODELS)
def test_what_a_model_can_do_is_shown_with_what_it_cost(cli, provider, model):
    told = cli("doctor", "--ask", model)

    assert told.code == 0, told.err
    assert [line.split()[0] for line in told.out.splitlines()] == [
        "answers", "streams", "schema", "caching", "tools", "window", "price", "this",
    ]  # fmt: skip
    assert "key-that-is-shown-nowhere" not in told.out + told.err
    assert len(provider.ledger) == 2


@pytest.mark.parametrize("model", MODELS)
def test_the_same_as_facts(cli, provider, model):
    facts = json.loads(cli("doctor", "--ask", model, "--json").out)

    assert (facts["model"], facts["calls"], facts["is_usable"], facts["problem"]) == (model, 2, True, "")
    assert facts["cost_micros"] > 0
    assert facts["window"] > 100_000
    assert {own["name"]: own["is_there"] for own in facts["abilities"]}["schema"]


def test_a_model_that_keeps_to_no_schema_is_told_apart(cli, provider):
    provider.script = {0: "wrong_schema"}

    told = cli("doctor", "--ask", MODELS[0], "--json")

    assert told.code == 1
    assert not json.loads(told.out)["is_usable"]


def test_a_model_that_is_down_is_told_with_why(cli, provider, monkeypatch):
    monkeypatch.setenv("BOOKWRIGHT_MAX_ATTEMPTS", "1")
    provider.script = {0: "503"}

    told = cli("doctor", "--ask", MODELS[0], "--json")

    assert told.code == 1
    assert "had an error of its own" in json.loads(told.out)["problem"]


@pytest.mark.parametrize(("name", "why"), [("nobody", "provider:model"), ("openai:gpt-4.1", "OPENAI_API_KEY")])
def test_what_cannot_be_asked_is_refused_before_anything_is_sent(cli, home, name, why):
    told = cli("doctor", "--ask", name)

    assert told.code == 2
    assert why in told.err


def test_its_price_is_that_of_short_prompts_as_the_list_of_models_has_it(cli, provider, monkeypatch):
    model = "openai:gpt-6.1-terra"  # asks twice as much for a token of a long prompt
    monkeypatch.setenv("BOOKWRIGHT_MODEL", model)

    listed = json.loads(cli("models", "--json").out)["roles"][0]
    asked = json.loads(cli("doctor", "--ask", model, "--json").out)

    assert (asked["usd_in"], asked["usd_out"]) == (listed["usd_in"], listed["usd_out"])
