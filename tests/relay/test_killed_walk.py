"""A walk that is killed in the middle of its reviews ends as if it had not been."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bookwright.agents.backends.protocol import Request
from bookwright.flows.deps import Deps
from bookwright.models.codex.record import RecordKind
from bookwright.models.document import DocumentKind
from bookwright.models.step import Reply
from tests.flows.walking import begin
from tests.relay.scripted import (
    CALM,
    FILLER,
    LEAKY,
    LENGTH,
    by_label,
    chapters,
    data,
    design,
    lay_out,
    prose,
    scored,
    script,
    write,
)
from tests.support.fakes import ScriptedBackend


class Dying(ScriptedBackend):
    """Answers so many requests and no more."""

    left: int = 0

    def ask(self, request: Request, *others: Any) -> Reply:
        """Answer, or let the process end."""
        if not self.left:
            raise KeyboardInterrupt
        self.left -= 1
        return super().ask(request, *others)


def test_a_walk_that_is_killed_before_any_step_ends_as_if_it_had_not_been(tmp_path: Path) -> None:
    better = CALM.replace("clerk", "widow")

    def eventful() -> Dying:
        made = script(refine=by_label({"1.2": LEAKY}, CALM), improve=better)
        made.lines["revise_leak.1"] = [f"@gap 1\n{FILLER}, and the FORGER nodded."]
        made.lines["revise_leak.2"] = [f"@gap 1\n{FILLER}."]
        made.lines["quality"] = [lambda asked: scored(0.9 if "widow" in asked.prompt.blocks[0] else 0.4)]
        return Dying(lines=made.lines)

    def told_of(deps: Deps) -> tuple[object, ...]:
        kinds = (DocumentKind.QUALITY, DocumentKind.LEAK_REVIEW, DocumentKind.CONSISTENCY)
        kept = [data(deps, 1, kind) for kind in kinds]
        with deps.stores() as stores:
            codex = [stored.record for kind in RecordKind for stored in stores.codex.current(kind)]
            return prose(deps, 1), kept, codex, chapters(deps)[0].written

    def live(home: Path, deaths: Iterator[int]) -> tuple[tuple[object, ...], int]:
        answered = 0
        for left in deaths:
            backend = eventful()
            backend.left = left
            root, deps = begin(home, backend, length=5 * LENGTH, max_unit_length=LENGTH, title="The Lamp")
            if not chapters(deps):
                lay_out(root, deps)
            try:
                design(deps)
                write(deps, 1)
                return told_of(deps), answered + len(backend.requests)
            except KeyboardInterrupt:
                answered += len(backend.requests)
            finally:
                with deps.storage.write() as stores:
                    stores.books.change(deps.storage.book, lease_owner=None)
                deps.storage.database.dispose()
        raise AssertionError("it never came to its end")

    whole, calls = live(tmp_path / "whole", iter([99]))
    killed, paid = live(tmp_path / "killed", iter([1] * 99))

    assert killed == whole
    assert paid == calls
