"""Command lines that print JSON, each verb at least once, over a book of three chapters and one that is written."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

Cli = Callable[..., tuple[int, str]]
"""Runs a command and returns its exit code and what it printed."""


class Said(NamedTuple):
    """One line that was typed, and what it printed."""

    verb: str
    """The schema's name: the verb, with its part."""
    typed: str
    code: int
    out: str
    is_lines: bool = False
    """One JSON document a line."""


LINES: tuple[tuple[str, str], ...] = (
    ("version", "version"), ("doctor", "doctor"), ("doctor-ask", "doctor --ask rehearsal:exact"), ("models", "models"),
    ("examples", "examples"), ("init", "init --model rehearsal:exact"), ("db-upgrade", "db upgrade"),
    ("blueprints", "blueprints"), ("estimate", "estimate --premise Ships. --words 600"),
    ("write", "write --premise Ships. --words 600 --no-prefect"),
    ("write", "write --premise Ships. --words 600 --no-prefect"),
    ("progress", "write --premise Boats. --words 600 --no-prefect --json-progress --stream"),
    ("write-waiting", "write --premise Gulls. --words 600 --planning-rounds 1 --gate outline --no-prefect"),
    ("write-waiting", "write --premise Rooks. --words 600 --budget-tokens 1000 --no-prefect"),
    ("gates-show", "gates gulls --show"), ("approve", "approve gulls"),
    ("blueprints-check", "blueprints check {blueprint}"),
    ("status-all", "status"), ("status", "status lamp"), ("tree", "tree lamp --planning"), ("show", "show lamp 1.4"),
    ("show", "show lamp 1.1 --texts"), ("read", "read lamp"), ("log", "log lamp"), ("prompt", "prompt lamp 2"),
    ("report", "report lamp"), ("style", "style lamp"), ("timeline", "timeline lamp"), ("gates", "gates"),
    ("pause", "pause lamp"), ("brief", "brief lamp"), ("brief", "brief lamp --set budget.usd=4"),
    ("codex-add", "codex add lamp Ines --section look=Tall."), ("codex-list", "codex list lamp"),
    ("codex-show", "codex show lamp ines"), ("codex-history", "codex history lamp ines"),
    ("codex-seen", "codex seen lamp 1.1"), ("codex-suggestions", "codex suggestions lamp"),
    ("secrets-add", "secrets add lamp Heir."), ("secrets-list", "secrets list lamp"),
    ("foreshadowing-add", "foreshadowing add lamp Ring"), ("foreshadowing-list", "foreshadowing list lamp"),
    ("foreshadowing-due", "foreshadowing due lamp 1.1"), ("revise", "revise lamp 1.1 --text {text}"),
    ("history", "history lamp 1.1"), ("diff", "diff lamp 1.1"), ("restore-version", "restore lamp 1.1 1"),
    ("stale", "stale lamp"), ("refresh", "refresh lamp --yes"),
    ("export", "export lamp --to md --output {folder}/lamp.md"),
    ("edit-from", "edit lamp --from {folder}/lamp.md"), ("vault", "vault lamp --render"), ("sync", "sync lamp"),
    ("import-look", "import {text} --dry-run --language en"), ("import", "import {text} --rest --yes --language en"),
    ("ask", "ask lamp tree"), ("chat-list", "chat --list"), ("reindex", "reindex lamp"),
    ("prune", "prune lamp --keep-last 1"),
    ("backup", "backup {folder}/backups/"), ("archive", "archive lamp"), ("archive", "unarchive lamp"),
    ("codex-edit", "codex edit lamp ines --name Ina"), ("codex-remove", "codex remove lamp ines"),
    ("secrets-show", "secrets show lamp secret-1"),
    ("foreshadowing-show", "foreshadowing show lamp ring"),
    ("prompt-template", "prompt ships book --template"), ("gates-list", "gates lamp"), ("models", "models"),
    ("candidates", "candidates ships 1 --count 2 --yes"), ("note", "note lamp 1.2 --at hand Darker."),
    ("fork", "fork ships --name storm"), ("branches", "branches ships"), ("revise", "revise storm 1 --text {text}"),
    ("compare", "compare ships storm"), ("merge", "merge storm --into ships --yes"),
    ("codex-edit", "codex restore lamp ines 1"), ("codex-add", "codex add lamp Inez"),
    ("codex-merge", "codex merge lamp ines inez"), ("codex-add", "codex import lamp {codex}"),
    ("secrets-add", "secrets edit lamp secret-1 --content Heiress."),
    ("codex-history", "secrets history lamp secret-1"), ("secrets-add", "secrets restore lamp secret-1 1"),
    ("secrets-add", "secrets import lamp {secrets}"), ("secrets-remove", "secrets remove lamp secret-1"),
    ("foreshadowing-add", "foreshadowing edit lamp ring --title Rings"),
    ("foreshadowing-add", "foreshadowing record lamp ring plant --at 1.1 --words ring"),
    ("codex-history", "foreshadowing history lamp ring"),
    ("foreshadowing-add", "foreshadowing import lamp {foreshadowing}"),
    ("foreshadowing-remove", "foreshadowing remove lamp ring"),
    ("foreshadowing-add", "foreshadowing restore lamp ring 3"), ("write", "resume ships --no-prefect"),
    ("write-waiting", "write --premise Terns. --words 600 --planning-rounds 1 --gate outline --no-prefect"),
    ("approve", "reject terns --note Darker."),
    ("delete", "delete lamp --yes"),
)  # fmt: skip
BLUEPRINT = Path(__file__).parents[2] / "blueprints/mystery"
_BY_LINES = ("log", "progress")


def said_by(cli: Cli, folder: Path) -> Iterator[Said]:
    """Type every line, with --json where it says nothing of its own, and yield what it printed.

    The book `lamp` of `a_book` has to be there.
    """
    told = {
        "codex": 'kind = "character"\nname = "Odo"', "secrets": 'content = "He lied."',
        "foreshadowing": 'title = "A key"',
    }  # fmt: skip
    files = {name: folder / f"{name}.toml" for name in told}
    for name, line in told.items():
        files[name].write_text(f"[[{name}]]\n{line}\n", "utf-8")
    text = folder / "words.txt"
    text.write_text("Chapter 1\n\n" + "Rain fell on the rock and she counted the ships again. " * 20, "utf-8")
    for verb, line in LINES:
        words = line.format(text=text, folder=folder, blueprint=BLUEPRINT, **files).split()
        code, out = cli(*words, *([] if "--json-progress" in words else ["--json"]))
        assert out.strip(), f"`bookwright {line}` printed nothing (exit code {code})"
        yield Said(verb, line, code, out, verb in _BY_LINES)
