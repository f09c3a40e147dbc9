"""Vaults to try tools on."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.protocol import every_tool
from bookwright.agents.tools.builtin import file_tools
from bookwright.agents.tools.files.sandbox import Sandbox
from bookwright.agents.tools.overflow import Overflow
from bookwright.agents.tools.registry import ToolRegistry

SECRET = "THE-SECRET"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """An empty vault with a secret beside it."""
    (tmp_path / "secret.txt").write_text(SECRET)
    made = tmp_path / "vault"
    made.mkdir()
    return made


@pytest.fixture
def vault(root: Path) -> Sandbox:
    return Sandbox(root)


@pytest.fixture
def registry(vault: Sandbox) -> ToolRegistry:
    return ToolRegistry(file_tools(vault), Overflow(vault))


@pytest.fixture(scope="package")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hostile")


@pytest.fixture(scope="package")
def every(home: Path) -> Iterator[ToolRegistry]:
    with every_tool(home) as registry:
        yield registry


def lay(root: Path, files: dict[str, str | bytes]) -> None:
    """Write files below a folder."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def code(response: Any) -> str:
    """The error's code; empty where there is none."""
    return response.error.code.value if response.error else ""
