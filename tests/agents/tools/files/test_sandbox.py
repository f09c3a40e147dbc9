"""Nothing leaves the vault: not by a path, a link, a swap between check and use, or a thing that is no file."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from bookwright.agents.tools.files.sandbox import Sandbox
from bookwright.agents.tools.registry import ToolRegistry
from bookwright.models.errors import ToolFailure
from tests.agents.tools.workspaces import SECRET, code, lay

TRIES = 1_000
"""Some of them meet a swap at moments that no test names; what is checked by name and then opened, `opening` finds."""

_OPENING: dict[str, Callable[[], object]] = {}
"""What is to happen right before a name is opened."""


def renaming(*names: tuple[str, str]) -> str:
    """Code that gives names to files in turn."""
    return f"for a, b in {names!r}: os.rename(a, b)"


@contextmanager
def opening(name: str, swap: Callable[[], object]) -> Iterator[None]:
    """Have something happen once, right before this process first opens a name; it must have by the end."""
    _listen()
    _OPENING[name] = swap
    try:
        yield
        assert name not in _OPENING
    finally:
        _OPENING.pop(name, None)


@cache
def _listen() -> None:
    """Hear of all that this process opens, for as long as it lives: nothing takes an audit hook off."""

    def hear(event: str, values: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(values[0], str) and (swap := _OPENING.pop(values[0], None)):
            swap()

    sys.addaudithook(hear)


@contextmanager
def meanwhile(root: Path, code: str) -> Iterator[None]:
    """Run code over and over in a folder, in a process of its own, so that it happens at any moment."""
    source = f"import os\nos.chdir({str(root)!r})\nprint(flush=True)\nwhile True:\n {code}"
    process = subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    try:
        yield
        assert process.poll() is None
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    "path", ["in/one.md", "inside/one.md", "chapters/../chapters/./one.md", "in/../chapters/one.md"]
)
def test_links_and_steps_up_within_the_vault_are_followed(root: Path, registry: ToolRegistry, path: str) -> None:
    lay(root, {"chapters/one.md": "here"})
    (root / "in").symlink_to("chapters")
    (root / "inside").symlink_to(root / "chapters")

    response = registry.call("Read", {"path": path})

    assert response.data["content"] == "   1 | here"
    assert response.context["path_resolved"] == "chapters/one.md"


@pytest.mark.parametrize("target", ["..", "../secret.txt", "/", "chapters/../../secret.txt", "{root}/../secret.txt"])
def test_no_link_leads_out(root: Path, registry: ToolRegistry, target: str) -> None:
    (root / "chapters").mkdir()
    (root / "link").symlink_to(target.replace("{root}", str(root)))

    for path in ("link", "link/secret.txt"):
        assert code(registry.call("Read", {"path": path})) == "ACCESS_DENIED"
        assert code(registry.call("Write", {"path": path, "content": "x"})) == "ACCESS_DENIED"

    assert (root.parent / "secret.txt").read_text() == SECRET


def test_a_folder_beside_the_vault_with_the_same_beginning_is_outside(root: Path, registry: ToolRegistry) -> None:
    lay(root.parent, {"vault-2/a.md": SECRET})
    (root / "link").symlink_to(f"{root}-2")

    assert code(registry.call("Read", {"path": "link/a.md"})) == "ACCESS_DENIED"


@pytest.mark.parametrize(
    ("tool", "params"),
    [
        ("Read", {"path": "real/a.md"}),
        ("LS", {"path": "real"}),
        ("Grep", {"pattern": "SECRET|own"}),
        ("Glob", {"pattern": "**/*"}),
    ],
)
def test_a_folder_that_becomes_a_link_right_before_it_is_opened_is_not_entered(
    root: Path, registry: ToolRegistry, tool: str, params: dict[str, str]
) -> None:
    lay(root.parent, {"away/a.md": SECRET, f"away/{SECRET}": ""})
    lay(root, {"real/a.md": "own"})

    def swap() -> None:
        (root / "real").rename(root / "x")
        (root / "real").symlink_to("../away")

    with opening("real", swap):
        response = registry.call(tool, params)

    assert SECRET not in response.to_json()


def test_a_file_that_becomes_a_link_right_before_it_is_opened_is_not_read(root: Path, registry: ToolRegistry) -> None:
    lay(root, {"a.md": "own"})

    def swap() -> None:
        (root / "a.md").unlink()
        (root / "a.md").symlink_to("../secret.txt")

    with opening("a.md", swap):
        response = registry.call("Read", {"path": "a.md"})

    assert code(response) == "ACCESS_DENIED"
    assert SECRET not in response.to_json()


def test_a_folder_that_is_swapped_for_a_link_is_never_gone_through(root: Path, registry: ToolRegistry) -> None:
    lay(root.parent, {"away/a.md": SECRET})
    lay(root, {"real/a.md": "own"})
    (root / "out").symlink_to(root.parent / "away")

    with meanwhile(root, renaming(("real", "x"), ("out", "real"), ("real", "out"), ("x", "real"))):
        answers = [registry.call("Read", {"path": "real/a.md"}) for _ in range(TRIES)]
        answers += [registry.call("LS", {"path": "real"}) for _ in range(TRIES // 2)]
        answers += [registry.call("Grep", {"pattern": "SECRET|own"}) for _ in range(5)]

    assert not [answer for answer in answers if SECRET in answer.to_json()]
    assert sum(answer.status != "error" for answer in answers) > 50


def test_nothing_is_written_through_a_link_that_turns_outwards(root: Path, registry: ToolRegistry) -> None:
    lay(root.parent, {"away/keep": ""})
    lay(root, {"real/keep": ""})
    (root / "door").symlink_to("real")
    turning = "for to in ('real', '../away'): os.symlink(to, 'next'); os.replace('next', 'door')"

    with meanwhile(root, turning):
        answers = [registry.call("Write", {"path": "door/b.md", "content": "x"}) for _ in range(TRIES)]

    assert {answer.status.value for answer in answers} == {"success", "error"}
    assert os.listdir(root.parent / "away") == ["keep"]
    assert sorted(os.listdir(root / "real")) == ["b.md", "keep"]


def test_a_file_that_is_swapped_for_a_link_is_never_read_through(root: Path, registry: ToolRegistry) -> None:
    lay(root, {"a.md": "own"})
    (root / "out").symlink_to(root.parent / "secret.txt")

    with meanwhile(root, renaming(("a.md", "x"), ("out", "a.md"), ("a.md", "out"), ("x", "a.md"))):
        answers = [registry.call("Read", {"path": "a.md"}) for _ in range(TRIES)]

    assert not [answer for answer in answers if SECRET in answer.to_json()]
    assert "success" in {answer.status.value for answer in answers}


def test_a_change_by_somebody_else_is_a_conflict(root: Path) -> None:
    lay(root, {"a.md": "old"})
    vault = Sandbox(root)

    with vault.place("a.md") as place:
        lay(root, {"a.md": "by somebody else"})
        with pytest.raises(ToolFailure) as failure:
            vault.replace("a.md", place, b"new")

    assert failure.value.code == "CONFLICT"
    assert (root / "a.md").read_text() == "by somebody else"
    assert os.listdir(root) == ["a.md"]


def test_a_pipe_and_a_device_are_refused_at_once(root: Path, registry: ToolRegistry) -> None:
    os.mkfifo(root / "pipe")

    assert code(registry.call("Read", {"path": "pipe"})) == "INVALID_PARAM"
    assert code(registry.call("Grep", {"pattern": "x", "path": "pipe"})) == "INVALID_PARAM"
    assert code(registry.call("Write", {"path": "pipe", "content": "x"})) == "INVALID_PARAM"
    assert registry.call("Grep", {"pattern": "x"}).status == "success"


def test_a_file_that_becomes_a_pipe_is_not_waited_for(root: Path, registry: ToolRegistry) -> None:
    lay(root, {"a.md": "own"})
    os.mkfifo(root / "pipe")

    with meanwhile(root, renaming(("a.md", "x"), ("pipe", "a.md"), ("a.md", "pipe"), ("x", "a.md"))):
        codes = {code(registry.call("Read", {"path": "a.md"})) for _ in range(TRIES)}

    assert codes <= {"", "NOT_FOUND", "INVALID_PARAM", "ACCESS_DENIED"}


@pytest.mark.parametrize(
    "name", ["NUL", "con.md", "Com1", "lpt9.txt", "aux .md", "COM¹", "a:b", "a\\b", "a.", "b ", "a\tb"]
)
def test_names_that_not_every_system_holds_are_not_made(root: Path, registry: ToolRegistry, name: str) -> None:
    assert code(registry.call("Write", {"path": f"notes/{name}", "content": "x"})) == "INVALID_PARAM"
    assert os.listdir(root) == []


@pytest.mark.parametrize("name", ["console.md", "nullable", "common", "com10", "第一章.md", "a b.md", "y" * 255])
def test_names_that_only_look_like_devices_are_made(root: Path, registry: ToolRegistry, name: str) -> None:
    assert registry.call("Write", {"path": name, "content": "x"}).status == "success"
    assert os.listdir(root) == [name]


def test_descriptors_are_all_closed_again(root: Path, registry: ToolRegistry) -> None:
    lay(root, {"a/b/c.md": "light\n", "d.md": "light\n"})
    (root / "loop").symlink_to("loop")
    calls = [
        ("LS", {}), ("LS", {"path": "none"}), ("Glob", {"pattern": "**/*", "limit": 1}), ("Grep", {"pattern": "light"}),
        ("Read", {"path": "a/b/c.md"}), ("Read", {"path": "loop"}), ("Read", {"path": "a"}),
        ("Write", {"path": "a/b/e.md", "content": "x"}), ("Write", {"path": "a/b", "content": "x"}),
    ]  # fmt: skip
    before = len(os.listdir("/dev/fd"))

    for name, params in calls * 3:
        registry.call(name, params)

    assert len(os.listdir("/dev/fd")) == before
