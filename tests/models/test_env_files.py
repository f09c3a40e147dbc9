"""`.env` files: what is taken from them, and what wins over them."""

from pathlib import Path

import pytest

from bookwright.models.errors import InvalidSetting
from bookwright.models.settings import load_env_file, load_secret_files


def test_the_environment_wins_over_the_first_file_and_that_over_the_second(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder, model in ((first, "openai:a"), (second, "openai:b")):
        folder.mkdir()
        (folder / ".env").write_text(f"BOOKWRIGHT_MODEL={model}\nGLM_API_KEY='{model}'\nLLM_BASE_URL={model}\n")
    environment = {"GLM_API_KEY": "mine"}

    load_env_file(first, environment)
    load_env_file(second, environment)

    assert environment == {"GLM_API_KEY": "mine", "BOOKWRIGHT_MODEL": "openai:a", "LLM_BASE_URL": "openai:a"}


def test_nothing_of_the_system_is_taken_from_a_file(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("PATH=/evil\nLD_PRELOAD=x\nPYTHONPATH=x\nDEEPSEEK_API_KEY=\nTAVILY_API_KEY=t\n")
    environment: dict[str, str] = {}

    load_env_file(tmp_path, environment)

    assert environment == {"TAVILY_API_KEY": "t"}


def test_a_file_that_is_no_text_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"\xff\xfe\x00GLM_API_KEY=x")
    environment: dict[str, str] = {}

    load_env_file(tmp_path, environment)

    assert environment == {}


def test_a_key_may_stand_in_a_file_of_its_own(tmp_path: Path) -> None:
    key = tmp_path / "anthropic"
    key.write_text("sk-of-the-file\n")
    environment = {"ANTHROPIC_API_KEY_FILE": str(key), "GLM_API_KEY": "mine", "GLM_API_KEY_FILE": str(key)}

    load_secret_files(environment)

    assert environment["ANTHROPIC_API_KEY"] == "sk-of-the-file"
    assert environment["GLM_API_KEY"] == "mine"


def test_other_names_that_end_alike_are_left_alone(tmp_path: Path) -> None:
    environment = {"PATH_FILE": str(tmp_path / "nothing"), "LOG_FILE": str(tmp_path)}

    load_secret_files(environment)

    assert set(environment) == {"PATH_FILE", "LOG_FILE"}


@pytest.mark.parametrize("content", [None, "", " \n"])
def test_a_key_file_that_holds_nothing_is_named_and_nothing_of_it_shown(tmp_path: Path, content: str | None) -> None:
    file = tmp_path / "key"
    if content is not None:
        file.write_text(content)

    with pytest.raises(InvalidSetting, match=r"OPENAI_API_KEY_FILE names .*key"):
        load_secret_files({"OPENAI_API_KEY_FILE": str(file)})
