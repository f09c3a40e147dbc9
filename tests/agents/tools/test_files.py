"""`LS`, `Glob`, `Grep`, `ReadTool` and `Write` find, show and write what they say, within their limits."""

import os
from pathlib import Path
from typing import Any

import pytest

from bookwright.agents.tools.files.glob import Glob
from bookwright.agents.tools.files.grep import Grep
from bookwright.agents.tools.files.ls import LS
from bookwright.agents.tools.files.read import ReadTool
from bookwright.agents.tools.files.sandbox import TEMPORARY, Sandbox
from bookwright.agents.tools.registry import ToolRegistry
from bookwright.agents.tools.validate import validate
from bookwright.models.talk.tool import ToolResponse
from tests.agents.tools.workspaces import code, lay


def call(registry: ToolRegistry, name: str, **params: Any) -> ToolResponse:
    response = registry.call(name, params)
    assert validate(name, response) == []
    return response


def test_folders_come_first_and_pages_follow_each_other(root: Path, registry: ToolRegistry) -> None:
    lay(root, {"b.md": "", "a.md": "", "z/x.md": "", ".hidden": "", "build/x": "", "c.bak": ""})
    (root / "link").symlink_to("a.md")

    first = call(registry, "LS", limit=2, ignore=["*.bak"])
    rest = call(registry, "LS", offset=2, ignore=["*.bak"])

    assert first.status == "partial"
    assert first.data["entries"] == [{"path": "z", "type": "dir"}, {"path": "a.md", "type": "file"}]
    assert first.data["next_offset"] == 2
    assert rest.status == "success"
    assert rest.data["entries"] == [{"path": "b.md", "type": "file"}, {"path": "link", "type": "link"}]
    assert code(call(registry, "LS", offset=9)) == "INVALID_PARAM"
    assert {"path": ".hidden", "type": "file"} in call(registry, "LS", include_hidden=True).data["entries"]


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*.md", ["a.md"]),
        ("**/*.md", ["a.md", "x/b.md", "x/y/c.md"]),
        ("x/**", ["x/b.md", "x/y/c.md", "x/y/d.txt"]),
        ("x/*/*.{md,txt}", ["x/y/c.md", "x/y/d.txt"]),
        ("**/[bc].md", ["x/b.md", "x/y/c.md"]),
        ("?.md", ["a.md"]),
        ("A.md", []),
        ("**/y/**/c.md", ["x/y/c.md"]),
    ],
)
def test_a_star_stays_in_its_folder_and_two_cross(
    root: Path, registry: ToolRegistry, pattern: str, found: list[str]
) -> None:
    lay(root, {"a.md": "", "x/b.md": "", "x/y/c.md": "", "x/y/d.txt": "", ".git/e.md": "", "dist/f.md": ""})

    response = call(registry, "Glob", pattern=pattern)

    assert response.status == "success"
    assert response.data["paths"] == found


def test_what_is_still_being_written_is_never_found(root: Path, registry: ToolRegistry) -> None:
    lay(root, {f"{TEMPORARY}1f.tmp": "", ".hidden": ""})

    assert call(registry, "Glob", pattern="*", include_hidden=True).data["paths"] == [".hidden"]


def test_ignored_and_hidden_files_are_found_when_asked_for(root: Path, registry: ToolRegistry) -> None:
    lay(root, {"dist/f.md": "", ".g.md": ""})

    assert call(registry, "Glob", pattern="**/*.md", include_ignored=True).data["paths"] == ["dist/f.md"]
    assert call(registry, "Glob", pattern="**/*.md", include_hidden=True).data["paths"] == [".g.md"]


def test_a_bound_makes_an_answer_partial_or_an_error(root: Path, vault: Sandbox) -> None:
    lay(root, {f"{number:02}.md": "light\n" for number in range(20)})

    some = Glob(vault, bounds=(5, 60.0)).answer({"pattern": "*.md"})
    none = Glob(vault, bounds=(5, 0.0)).answer({"pattern": "*.md"})

    assert (some.status, len(some.data["paths"]), some.data["truncated"]) == ("partial", 5, True)
    assert code(none) == "TIMEOUT"
    assert LS(vault, bounds=(5, 60.0)).answer({}).status == "partial"
    assert code(Grep(vault, bounds=(5, 0.0)).answer({"pattern": "light"})) == "TIMEOUT"
    assert code(ReadTool(vault, seconds=0.0).answer({"path": "00.md", "start_line": 2})) == "TIMEOUT"


def test_lines_of_the_newest_file_come_first(root: Path, registry: ToolRegistry) -> None:
    lay(root, {"old.md": "The Light\nnone\nlight", "new.md": "light\r\n", "x/other.txt": "light", "bin": b"\0light"})
    os.utime(root / "old.md", (1, 1))
    os.utime(root / "x/other.txt", (2, 2))

    response = call(registry, "Grep", pattern="LIGHT$")

    assert response.status == "success"
    assert response.data["matches"] == [
        {"file": "new.md", "line": 1, "text": "light"},
        {"file": "x/other.txt", "line": 1, "text": "light"},
        {"file": "old.md", "line": 1, "text": "The Light"},
        {"file": "old.md", "line": 3, "text": "light"},
    ]
    assert [each["line"] for each in call(registry, "Grep", pattern="Light", case_sensitive=True).data["matches"]] == [
        1
    ]
    assert len(call(registry, "Grep", pattern="light", include="*.md").data["matches"]) == 3
    assert len(call(registry, "Grep", pattern="light", path="x").data["matches"]) == 1
    assert len(call(registry, "Grep", pattern="light", path="x/other.txt").data["matches"]) == 1
    assert call(registry, "Grep", pattern="darkness").data["matches"] == []


def test_no_more_than_a_hundred_lines_are_shown(root: Path, registry: ToolRegistry) -> None:
    lay(root, {"a.md": "light\n" * 150})

    response = call(registry, "Grep", pattern="light")

    assert (response.status, len(response.data["matches"]), response.data["truncated"]) == ("partial", 100, True)


def test_of_a_long_line_the_part_around_the_match_is_shown(root: Path, registry: ToolRegistry) -> None:
    lay(root, {"a.md": "雨" * 900 + "灯塔" + "夜" * 900})

    response = call(registry, "Grep", pattern="灯塔")

    [match] = response.data["matches"]
    assert response.status == "partial"
    assert "灯塔" in match["text"]
    assert len(match["text"]) == 202


def test_a_pattern_that_takes_for_ever_is_ended_with_what_was_found(root: Path, vault: Sandbox) -> None:
    lay(root, {"new.md": "aa\n", "old.md": "a" * 60 + "!\n"})
    os.utime(root / "old.md", (1, 1))

    response = Grep(vault, bounds=(100, 0.6), ripgrep="").answer({"pattern": "^(a+)+$"})

    assert response.status == "partial"
    assert [match["file"] for match in response.data["matches"]] == ["new.md"]


def test_ripgrep_is_asked_first_and_python_where_it_cannot(root: Path, vault: Sandbox) -> None:
    lay(root, {"a.md": "one\ntwo light\n", "b.md": "none\n"})
    program = root.parent / "rg"
    program.write_text(
        "#!/bin/sh\n"
        'for last; do case "$last" in /dev/fd/*) [ "$first" ] || first=$last;; *"(?="*) '
        "echo 'no look-around' >&2; exit 2;; esac; done\n"
        "printf '%s\\0002:5:[Omitted]\\n' \"$first\"\n"
    )
    program.chmod(0o755)
    os.utime(root / "b.md", (1, 1))
    grep = Grep(vault, ripgrep=str(program))

    found, fallen_back = grep.answer({"pattern": "light"}), grep.answer({"pattern": "(?=light)"})

    assert (found.status, found.stats["engine"]) == ("success", "ripgrep")
    assert found.data["matches"] == [{"file": "a.md", "line": 2, "text": "two light"}]
    assert (fallen_back.status, fallen_back.stats["engine"]) == ("partial", "python")
    assert fallen_back.data["matches"] == found.data["matches"]
    assert fallen_back.data["fallback_reason"] == "no look-around"
    assert [*validate("Grep", found), *validate("Grep", fallen_back)] == []


def test_a_page_is_numbered_and_says_where_to_go_on(root: Path, registry: ToolRegistry) -> None:
    lay(root, {"a.md": "\ufeffone\r\ntwo\nthree"})

    page = call(registry, "Read", path="a.md", start_line=1, limit=2)
    rest = call(registry, "Read", path="a.md", start_line=3)

    assert page.data == {"content": "   1 | one\n   2 | two", "truncated": True}
    assert "start_line=3" in page.text
    assert page.stats["total_lines"] == 3
    assert (rest.status, rest.data["content"]) == ("success", "   3 | three")


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"start_line": 4}, "INVALID_PARAM"),
        ({"limit": 2001}, "INVALID_PARAM"),
        ({"limit": 2000}, ""),
        ({"path": "none.md"}, "NOT_FOUND"),
        ({"path": "x"}, "IS_DIRECTORY"),
        ({"path": "bin"}, "BINARY_FILE"),
        ({"path": "a.md/b"}, "NOT_FOUND"),
    ],
)
def test_what_cannot_be_read_has_its_code(
    root: Path, registry: ToolRegistry, params: dict[str, Any], expected: str
) -> None:
    lay(root, {"a.md": "1\n2\n3\n", "x/y": "", "bin": b"text\0"})

    assert code(call(registry, "Read", **{"path": "a.md", **params})) == expected


def test_bytes_that_are_no_text_make_a_page_partial(root: Path, registry: ToolRegistry) -> None:
    lay(root, {"a.md": b"caf\xe9\nplain\n"})

    response = call(registry, "Read", path="a.md")

    assert response.status == "partial"
    assert response.data["content"] == "   1 | caf\N{REPLACEMENT CHARACTER}\n   2 | plain"
    assert "UTF-8" in response.data["fallback_reason"]


def test_a_long_line_and_a_long_page_are_cut_where_they_say(root: Path, registry: ToolRegistry) -> None:
    lay(root, {"line.md": "章" * 200_000, "page.md": ("夜" * 3_000 + "\n") * 50, "empty.md": ""})

    line, page, empty = (call(registry, "Read", path=f"{name}.md") for name in ("line", "page", "empty"))

    assert line.data["content"] == "   1 | " + "章" * 8_000 + "…"
    assert page.data["content"].count("\n") == 2
    assert "start_line=4" in page.text
    assert len(page.to_json().encode()) < 51_200
    assert (empty.status, empty.data["content"]) == ("success", "")


def test_a_file_is_made_with_its_folders_and_then_replaced(root: Path, registry: ToolRegistry) -> None:
    made = call(registry, "Write", path="x/y/a.md", content="one\ntwo\n")
    (root / "x/y/a.md").chmod(0o600)
    changed = call(registry, "Write", path="x/y/a.md", content="one\n2\n")

    assert (made.status, made.data["operation"]) == ("success", "create")
    assert made.data["diff_preview"] == "@@ -0,0 +1,2 @@\n+one\n+two"
    assert changed.data["operation"] == "update"
    assert changed.data["diff_preview"] == "@@ -1,2 +1,2 @@\n one\n-two\n+2"
    assert (root / "x/y/a.md").read_text() == "one\n2\n"
    assert (root / "x/y/a.md").stat().st_mode & 0o777 == 0o600
    assert os.listdir(root / "x/y") == ["a.md"]


def test_a_dry_run_writes_nothing(root: Path, registry: ToolRegistry) -> None:
    lay(root, {"a.md": "one\n"})

    new = call(registry, "Write", path="x/y/b.md", content="b", dry_run=True)
    old = call(registry, "Write", path="a.md", content="two\n", dry_run=True)

    assert [(each.status, each.data["applied"]) for each in (new, old)] == [("partial", False)] * 2
    assert new.context["path_resolved"] == "x/y/b.md"
    assert old.data["diff_preview"] == "@@ -1 +1 @@\n-one\n+two"
    assert os.listdir(root) == ["a.md"]
    assert (root / "a.md").read_text() == "one\n"


@pytest.mark.parametrize(("lines", "size"), [(300, 4), (40, 2_000)])
def test_a_long_preview_is_cut_and_the_file_is_whole(root: Path, registry: ToolRegistry, lines: int, size: int) -> None:
    content = ("x" * size + "\n") * lines

    response = call(registry, "Write", path="a.md", content=content)

    preview = response.data["diff_preview"]
    assert (response.status, response.data["applied"]) == ("partial", True)
    assert preview.count("\n") < 100
    assert len(preview.encode()) <= 10_240
    assert (root / "a.md").read_text() == content


def test_a_change_deep_in_a_file_is_shown_at_its_line(root: Path, registry: ToolRegistry) -> None:
    lines = [f"{number}\n" for number in range(1, 5_001)]
    lay(root, {"a.md": "".join(lines)})
    lines[3_999] = "changed\n"

    response = call(registry, "Write", path="a.md", content="".join(lines))

    assert response.data["diff_preview"].splitlines()[0] == "@@ -3997,7 +3997,7 @@"
    assert "-4000\n+changed" in response.data["diff_preview"]


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"path": "x"}, "IS_DIRECTORY"),
        ({"path": "bin"}, "BINARY_FILE"),
        ({"path": "a/../b.md"}, "ACCESS_DENIED"),
        ({"path": "/tmp/b.md"}, "ACCESS_DENIED"),
        ({"path": ".git/hooks/pre-commit"}, "ACCESS_DENIED"),
        ({"path": "b.md", "content": "\ud800"}, "INVALID_PARAM"),
        ({"path": "b.md", "content": "x" * 1_000_001}, "INVALID_PARAM"),
        ({"path": "章" * 86}, "INVALID_PARAM"),
    ],
)
def test_what_cannot_be_written_has_its_code(
    root: Path, registry: ToolRegistry, params: dict[str, Any], expected: str
) -> None:
    lay(root, {"x/y": "", "bin": b"a\0"})

    assert code(call(registry, "Write", **{"content": "x", **params})) == expected
    assert sorted(os.listdir(root)) == ["bin", "x"]
