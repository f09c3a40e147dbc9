"""A stand-in for the program `claude`: it speaks its protocol, and misbehaves on order.

In a test: `with FakeClaude(tmp_path) as claude: ...` and `claude_path=str(claude.path)`. The program that
is put there asks this process over a socket what to do, so that calls are counted and answered here.
The real program is never run; `fake_claude_program.py` is what runs.
"""

import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingUnixStreamServer
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any, Self

from tests.support import fake_author

TROUBLES = {
    "late": "thinks for so many seconds before it says anything (`late:0.5`)",
    "lone": "tells whole messages only",
    "drip": "says a letter now and then, for ever",
    "silent": "says nothing at all",
    "silent_after": "says half and falls silent",
    "deaf": "never reads its prompt, and answers",
    "stubborn": "says half, falls silent and does not end when it is asked to",
    "cut_off": "ends in the middle of a line",
    "crash": "says half, complains and ends with code 3",
    "killed": "says half and is killed",
    "old_option": "does not know an option",
    "garbage": "prints what is no event between its events",
    "odd": "prints events of unheard-of shapes between its events",
    "huge_line": "prints a line of 11 MB before its answer",
    "no_result": "says all of it and ends without a result",
    "empty": "gives an empty result and has said nothing",
    "declined": "stops for refusal",
    "limit": "reaches the limit of the answer, and would go on",
    "endless": "answers without an end",
    "double": "gives two results",
    "lingers": "gives its result and does not end, also when it is asked to",
    "orphan": "leaves a child of its own behind that holds its output, and gives no result",
    "error": "gives a result that is an error (`error:TEXT`), as the program tells of its provider's",
    "broken": "gives a result with a subtype of error (`broken:error_max_turns`) and no text",
    "uncounted": "tells neither tokens nor cost",
    "tools": "uses a tool of its own, and an agent below it, before it answers",
}

_ROOT = Path(__file__).resolve().parents[2]
_ALL_OPTIONS = (
    "--allowedTools --disable-slash-commands --include-partial-messages --model --no-session-persistence "
    "--output-format --print --strict-mcp-config --system-prompt --tools --verbose"
)
_SCHEMA_MARK = "It keeps to this JSON schema:\n"

Author = Callable[[str, dict[str, Any] | None], str]


@dataclass
class Call:
    """One run of the program, as it saw itself."""

    pid: int
    group: int
    arguments: list[str]
    environment: dict[str, str]
    folder: str
    trouble: str
    prompt: str = ""
    """What it read; empty until it has."""


class FakeClaude:
    """The program, and the one it asks."""

    def __init__(
        self,
        folder: Path,
        *,
        author: Author = fake_author.write,
        script: Mapping[int, str] | None = None,
        options: str = _ALL_OPTIONS,
        formats: str = '"text", "json", "stream-json"',
    ) -> None:
        """Set it up.

        Args:
            script: The trouble for a call by its index; -1 stands for every call not named.
            options: What its help names; an older version has fewer.
        """
        self.path = folder / "claude"
        self.author = author
        self.script = dict(script or {})
        self.help = f"Usage: claude [options] [prompt]\nOptions: {options}\n(choices: {formats})\n"
        self.helped = 0
        self.calls: list[Call] = []
        self.left_behind: list[int] = []
        self._sockets = TemporaryDirectory(prefix="bw-")  # its own: a path of a socket must be short
        address = f"{self._sockets.name}/s"
        self._server = _Server(address, self)
        self.path.write_text(
            f"#!{sys.executable} -S\nimport sys\nsys.path.insert(0, {str(_ROOT)!r})\n"
            f"from tests.support.fake_claude_program import main\nmain({address!r})\n"
        )
        self.path.chmod(self.path.stat().st_mode | stat.S_IXUSR)

    def __enter__(self) -> Self:
        Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._sockets.cleanup()
        for pid in [call.pid for call in self.calls] + self.left_behind:
            if runs(pid):
                with suppress(ProcessLookupError):  # it may end by itself meanwhile
                    os.kill(pid, signal.SIGKILL)

    def decide(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Say what a run is to do."""
        if "left" in asked:
            self.left_behind.append(asked["left"])
            return {}
        if "prompt" in asked:
            self.calls[asked["index"]].prompt = asked["prompt"]
            return {"text": self.author(asked["prompt"], _schema(asked["prompt"]))}
        if "--help" in asked["arguments"]:
            self.helped += 1
            return {"help": self.help}
        index = len(self.calls)
        trouble = self.script.get(index, self.script.get(-1, ""))
        self.calls.append(Call(**asked, trouble=trouble))
        return {"index": index, "trouble": trouble}


class _Server(ThreadingUnixStreamServer):
    daemon_threads = True

    def __init__(self, address: str, claude: FakeClaude) -> None:
        self.claude = claude
        super().__init__(address, _Handler)


class _Handler(StreamRequestHandler):
    server: _Server

    def handle(self) -> None:
        answer = self.server.claude.decide(json.loads(self.rfile.readline()))
        self.wfile.write(json.dumps(answer).encode() + b"\n")


def runs(pid: int) -> bool:
    """Tell whether a process is there and not only waiting to be reaped."""
    found = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return found.stdout.strip()[:1] not in ("", "Z")


def _schema(prompt: str) -> dict[str, Any] | None:
    _, mark, rest = prompt.partition(_SCHEMA_MARK)
    return json.loads(rest.splitlines()[0]) if mark else None
