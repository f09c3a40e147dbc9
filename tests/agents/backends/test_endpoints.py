"""Which models can be asked, and what a person reads when one cannot."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bookwright.agents.backends import endpoints
from bookwright.agents.backends.catalogue import PROVIDERS
from bookwright.models.errors import BookwrightError, InvalidSetting, MissingKey, UnknownModel
from bookwright.models.settings import Settings

_VARIABLES = [v for p in PROVIDERS.values() for v in (*p.key_variables, *p.url_variables)]


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No provider's key or address is set."""
    for name in _VARIABLES:
        monkeypatch.delenv(name, raising=False)


def refusal(name: str, settings: Settings) -> BookwrightError:
    with pytest.raises(BookwrightError) as caught:
        endpoints.check_model(name, settings)
    return caught.value


def test_a_misspelt_provider_is_named_with_the_nearest_one(settings: Settings) -> None:
    error = refusal("anthropc:claude-sonnet-5-5", settings)

    assert isinstance(error, UnknownModel)
    assert "'anthropic'" in str(error)
    assert error.exit_code == 2


def test_a_name_without_a_provider_is_refused(settings: Settings) -> None:
    assert isinstance(refusal("gpt-4.1", settings), UnknownModel)


@pytest.mark.parametrize(
    ("model", "variable"),
    [
        ("anthropic:claude-sonnet-5-5", "ANTHROPIC_API_KEY"),
        ("openai:gpt-4.1", "OPENAI_API_KEY"),
        ("deepseek:deepseek-v4-pro", "DEEPSEEK_API_KEY"),
        ("qwen:qwen3-max", "DASHSCOPE_API_KEY"),
        ("zhipu:GLM-4.7", "GLM_API_KEY or ZHIPU_API_KEY"),
        ("openrouter:qwen/qwen3-max", "OPENROUTER_API_KEY"),
    ],
)
def test_a_missing_key_is_named(model: str, variable: str, settings: Settings) -> None:
    error = refusal(model, settings)

    assert isinstance(error, MissingKey)
    assert f"set {variable}" in str(error)


def test_an_empty_key_is_a_missing_key(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "  ")

    assert isinstance(refusal("openai:gpt-4.1", settings), MissingKey)


def test_a_key_that_no_header_can_carry_is_refused(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "schlüssel")

    assert isinstance(refusal("openai:gpt-4.1", settings), MissingKey)


def test_the_second_key_variable_serves_as_well(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ZHIPU_API_KEY", "abc")

    endpoints.check_model("zhipu:GLM-4.7", settings)

    assert endpoints.find_endpoint("zhipu:GLM-4.7", settings).api_key == "abc"


@pytest.mark.parametrize("model", ["ollama:llama3", "vllm:any", "llamacpp:any", "embedded:smollm2", "rehearsal:exact"])
def test_local_models_need_no_key(model: str, settings: Settings) -> None:
    endpoints.check_model(model, settings)

    assert isinstance(refusal("openai:gpt-4.1", settings), MissingKey)


def test_a_misspelt_model_is_named_with_the_nearest_one(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "abc")

    error = refusal("anthropic:claude-sonet-5-5", settings)

    assert "did you mean anthropic:claude-sonnet-5-5?" in str(error)


def test_a_model_with_a_price_in_the_settings_is_known(
    make_settings: Callable[..., Settings], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "abc")
    priced = make_settings(prices={"openai:brand-new": {"input": 1, "output": 2}})

    endpoints.check_model("openai:brand-new", priced)

    assert isinstance(refusal("openai:brand-new", make_settings()), UnknownModel)


def test_a_gateway_may_serve_any_model(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "abc")
    without = refusal("openai:brand-new", settings)
    monkeypatch.setenv("OPENAI_BASE_URL", "https://gateway.example/v1")

    endpoints.check_model("openai:brand-new", settings)

    assert isinstance(without, UnknownModel)


def test_a_compatible_server_needs_an_address(settings: Settings) -> None:
    error = refusal("compatible:any", settings)

    assert isinstance(error, InvalidSetting)
    assert "LLM_BASE_URL" in str(error)


def test_the_settings_address_wins_over_the_environments(
    make_settings: Callable[..., Settings], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLM_BASE_URL", "http://elsewhere/v1")
    settings = make_settings(llm_base_url="http://here:1/v1/")

    assert endpoints.find_endpoint("compatible:any", settings).base_url == "http://here:1/v1"


@pytest.mark.parametrize("address", ["localhost:8080", "ftp://host/v1", "http://"])
def test_an_address_that_is_none_is_refused(address: str, make_settings: Callable[..., Settings]) -> None:
    assert isinstance(refusal("compatible:any", make_settings(llm_base_url=address)), InvalidSetting)


def test_a_compatible_server_never_gets_the_openai_key(
    make_settings: Callable[..., Settings], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")

    assert endpoints.find_endpoint("compatible:any", make_settings(llm_base_url="http://here/v1")).api_key == ""


def test_an_endpoint_does_not_show_its_key(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "very-secret")

    assert "very-secret" not in repr(endpoints.find_endpoint("openai:gpt-4.1", settings))


def test_a_model_file_must_be_there(settings: Settings, tmp_path: Path) -> None:
    file = tmp_path / "own.gguf"

    assert isinstance(refusal(f"embedded:{file}", settings), UnknownModel)
    file.touch()
    endpoints.check_model(f"embedded:{file}", settings)
