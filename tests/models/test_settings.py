"""Where settings come from, which of them wins, and what a wrong one is told."""

from pathlib import Path

import pytest

from bookwright.models.errors import InvalidSetting
from bookwright.models.model_name import PROVIDERS
from bookwright.models.settings import load_settings


@pytest.fixture(autouse=True)
def _no_settings_outside(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BOOKWRIGHT_HOME", str(tmp_path))


def test_without_anything_the_defaults_hold(tmp_path: Path) -> None:
    settings = load_settings()

    assert settings.home == tmp_path
    assert settings.database_path == tmp_path / "bookwright.db"
    assert (settings.model, settings.max_repairs, settings.database_url) == ("embedded:smollm2", 2, "")


def test_an_option_wins_over_the_environment_and_that_over_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config.toml").write_text("max_repairs = 1\nmax_attempts = 1\nfree_megabytes = 1\n")
    monkeypatch.setenv("BOOKWRIGHT_MAX_REPAIRS", "3")
    monkeypatch.setenv("BOOKWRIGHT_MAX_ATTEMPTS", "3")

    settings = load_settings(max_attempts=5)

    assert (settings.max_attempts, settings.max_repairs, settings.free_megabytes) == (5, 3, 1)


def test_the_file_is_looked_for_in_the_home_that_was_named(tmp_path: Path) -> None:
    home = tmp_path / "elsewhere"
    home.mkdir()
    (home / "config.toml").write_text('model = "openai:x"\n[models]\nwriter = "openai:y"\n')

    assert load_settings().model == "embedded:smollm2"
    assert load_settings(home=home).model == "openai:x"
    assert load_settings(home=home).models == {"writer": "openai:y"}


def test_an_option_that_is_none_is_not_given() -> None:
    assert load_settings(model=None).model == "embedded:smollm2"


def test_models_and_prices_can_stand_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOOKWRIGHT_MODELS", '{"writer": "openai:x"}')
    monkeypatch.setenv("BOOKWRIGHT_PRICES", '{"openai:x": {"input": 1, "output": 2}}')

    settings = load_settings()

    assert settings.models == {"writer": "openai:x"}
    assert settings.prices["openai:x"].output == 2


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("modle", "openai:x", "unknown setting 'modle'; did you mean 'model'?"),
        ("zzz", 1, "unknown setting 'zzz'"),
        ("model", "gpt", "provider:model"),
        ("database_url", "mysql://x", "sqlite:/// or postgresql://"),
        ("max_attempts", 0, "max_attempts"),
        ("max_repairs", 7, "max_repairs"),
        ("lease_seconds", 0, "lease_seconds"),
        ("free_megabytes", -1, "free_megabytes"),
        ("prices", {"openai:x": {"input": 1}}, "prices.openai:x.output"),
        ("prices", {"antropic:x": {"input": 1, "output": 2}}, "'antropic' is no provider; did you mean 'anthropic'?"),
        ("windows", {"compatible:strong": 4096, "antropic:x": 4096}, "'antropic' is no provider; did you mean"),
        ("windows", {"qwen3:14b": 4096}, "'qwen3' is no provider; did you mean 'qwen'?"),
        ("windows", {"ollama": 4096}, "setting 'windows.ollama': a model is named provider:model"),
        ("claude_tools", {"reseacher": ["WebSearch"]}, "'reseacher' is no role; did you mean 'researcher'?"),
        ("claude_tools", {"default": ["WebSearch"]}, "'default' is no role; roles are planner, judge"),
        ("requests_per_minute", {"anthropc": 5}, "'anthropc' is no provider; did you mean 'anthropic'?"),
        ("requests_per_minute", {"xyzzy": 5}, "'xyzzy' is no provider; providers are anthropic, openai"),
    ],
)
def test_a_wrong_setting_is_told_in_one_line(name: str, value: object, said: str) -> None:
    with pytest.raises(InvalidSetting) as refused:
        load_settings(**{name: value})

    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_known_provider_may_have_a_model_of_any_name() -> None:
    names = [f"{provider}:my/own:model-1" for provider in PROVIDERS]

    settings = load_settings(windows=dict.fromkeys(names, 4_096), requests_per_minute=dict.fromkeys(PROVIDERS, 5))

    assert (list(settings.windows), list(settings.requests_per_minute)) == (names, list(PROVIDERS))
    assert list(load_settings(windows={"gpt-6.1-terra": 4_096}).windows) == ["openai:gpt-6.1-terra"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"modle = 'openai:x'", "unknown setting 'modle'"),
        (b"model = ", "not valid TOML"),
        (b"model = '\xff'", "not valid TOML"),
        (b"max_attempts = 'many'", "max_attempts"),
    ],
)
def test_a_wrong_file_is_told_in_one_line(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "config.toml").write_bytes(content)

    with pytest.raises(InvalidSetting, match=said):
        load_settings()


@pytest.mark.parametrize(
    ("name", "value"), [("MODELS", "writer=openai:x"), ("LEASE_SECONDS", "soon"), ("PRICES__X__INPUT", "1")]
)
def test_a_wrong_value_in_the_environment_is_told(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(f"BOOKWRIGHT_{name}", value)

    with pytest.raises(InvalidSetting, match=name.split("__")[0].lower()):
        load_settings()


def test_the_model_of_the_environment_counts_where_nothing_else_names_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C-16: an option, the configuration, the variable of the sources, the default."""
    monkeypatch.setenv("SLIMA_AGENTS_MODEL", "glm-4.7")
    by_variable = load_settings().model
    (tmp_path / "config.toml").write_text('model = "openai:x"\n')

    assert by_variable == "zhipu:glm-4.7"
    assert load_settings().model == "openai:x"
    assert load_settings(model="deepseek-chat").model == "deepseek:deepseek-chat"
