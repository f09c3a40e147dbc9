"""Our templates are compiled once for all programs, and anew wherever that is not to be had."""

import sys
from pathlib import Path

import pytest
from jinja2 import DictLoader, Environment

from bookwright.prompts.templates import CompiledTemplates


@pytest.fixture(autouse=True)
def _written(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python keeps what it compiles, as it does unless told otherwise."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)


class _Counting(Environment):
    """Counts what it compiles."""

    compiled = 0

    def _compile(self, source: str, filename: str) -> object:
        self.compiled += 1
        return super()._compile(source, filename)


def rendered(folder: Path, source: str = "Rain on {{ roof }}.") -> tuple[str, int]:
    """What a program with an empty memory renders, and how many templates it compiled for it."""
    program = _Counting(loader=DictLoader({"rain": source}), bytecode_cache=CompiledTemplates(str(folder)))
    return program.get_template("rain").render(roof="slate"), program.compiled


def test_the_next_program_compiles_nothing(tmp_path: Path) -> None:
    """It finds what the first one kept, until the source is another."""
    first, second, edited = rendered(tmp_path), rendered(tmp_path), rendered(tmp_path, "Snow on {{ roof }}.")

    assert (first, second) == (("Rain on slate.", 1), ("Rain on slate.", 0))
    assert edited == ("Snow on slate.", 1)


@pytest.mark.parametrize("left", [0, 10, 40, 120])
def test_a_damaged_file_is_none(left: int, tmp_path: Path) -> None:
    """Cut off anywhere, it is made anew."""
    rendered(tmp_path)
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:left])

    assert rendered(tmp_path) == ("Rain on slate.", 1)
    assert rendered(tmp_path) == ("Rain on slate.", 0)


def test_without_a_folder_to_keep_it_in_all_is_compiled(tmp_path: Path) -> None:
    """As where a program is installed for everybody, by somebody else."""
    assert rendered(tmp_path / "not there") == ("Rain on slate.", 1)


def test_nothing_is_kept_where_python_keeps_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who asks Python for no files of its own gets none of ours."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    assert rendered(tmp_path) == ("Rain on slate.", 1)
    assert not list(tmp_path.iterdir())
