"""Secrets come out where they are to, threads are planted and paid: ordered, checked, and ordered again."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from bookwright.agents.backends.protocol import Request
from bookwright.agents.context.builder import ContextBuilder
from bookwright.exports.report.threads_and_secrets import register_lines, secrets_of
from bookwright.flows import walk_steps
from bookwright.flows.deps import Deps
from bookwright.models.codex.entries import TellingType
from bookwright.models.codex.extraction import CHECKS, ConsistencyReport
from bookwright.models.codex.foreshadowing import ThreadEventType, ThreadStatus
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.tree.decision import Decision
from bookwright.models.tree.level import Level
from bookwright.models.tree.place import Place
from bookwright.models.tree.plan import PlanNode, TaskType
from bookwright.storage.index.knowledge import KnowledgeIndex
from bookwright.storage.index.passages import Passage
from tests.flows.walking import begin
from tests.relay.scripted import (
    CALM,
    DESIGNED,
    FILLER,
    LENGTH,
    SECRET,
    asked,
    by_label,
    chapters,
    data,
    design,
    extracted,
    script,
    statuses,
    thread,
    told,
    write,
)
from tests.support.fakes import ScriptedBackend

OUT = "She was the daughter of the man who forged the notes."


class NothingFound:
    """An index that knows of no passage: the registers come from the database alone."""

    def search(self, *_: Any, **__: Any) -> list[Passage]:
        """Find nothing."""
        return []


def seeing(deps: Deps) -> Deps:
    """The same walk with prompts that show the book."""
    contexts = ContextBuilder(
        deps.storage, cast(KnowledgeIndex, NothingFound()), deps.profile, deps.desk.locale, deps.desk.count_tokens
    )
    return replace(deps, desk=replace(deps.desk, contexts=contexts))


def whole(request: Request) -> str:
    return "\n".join(request.prompt.blocks)


def written(backend: ScriptedBackend, label: str) -> str:
    """What the writer of a chapter was shown."""
    return whole(asked(backend, "draft", label)[0])


def briefed(backend: ScriptedBackend, label: str) -> str:
    """What whoever made a chapter's brief was shown."""
    return whole(asked(backend, "brief", label)[0])


def designed(threads: list[dict[str, Any]], revealed_at: int = 100) -> str:
    """What the designs lay down: one secret, and threads."""
    secret = DESIGNED["secrets"][0] | {"revealed_at": revealed_at, "forbidden_keywords": []}
    return json.dumps({"entries": DESIGNED["entries"], "secrets": [secret], "threads": threads})


def revealing(quote: str) -> str:
    """An extraction that finds the secret told, with the words."""
    return json.dumps(json.loads(extracted()) | {"reveals": [{"secret": "1", "quote": quote}]})


def alerts(deps: Deps, number: int) -> str:
    found = ConsistencyReport.model_validate_json(data(deps, number, DocumentKind.CONSISTENCY))
    return "\n".join(found.alerts)


def test_a_planting_that_was_missed_is_ordered_again_until_it_is_done(shelf: Callable[..., Deps]) -> None:
    texts = {"1.3": told("Somebody rang the bell twice.")}
    backend = script(
        refine=by_label(texts, CALM), extract_design=designed([thread("bell", 0, 80) | {"reinforced_at": []}])
    )
    deps = seeing(shelf(backend))
    design(deps)

    write(deps, 1, 2, 3)

    orders = ["Let this be seen for the first time" in written(backend, label) for label in ("1.2", "1.3", "1.4")]
    assert orders == [True, True, False]
    assert "it is seen for the first time" in briefed(backend, "1.3")
    assert statuses(deps)["bell"] is ThreadStatus.PLANTED


def test_a_secret_is_ordered_where_it_comes_out_checked_and_ordered_again(shelf: Callable[..., Deps]) -> None:
    texts, found = {"1.4": told(OUT)}, {"1.3": revealing(FILLER), "1.4": revealing(OUT)}
    backend = script(
        refine=by_label(texts, CALM), extract=by_label(found, extracted()), extract_design=designed([], revealed_at=35)
    )
    deps = seeing(shelf(backend))
    design(deps)

    write(deps, 1, 2, 3, 4)

    orders = ["It comes out here" in written(backend, label) for label in ("1.2", "1.3", "1.4", "1.5")]
    assert orders == [False, True, True, False]
    assert SECRET not in written(backend, "1.2")
    assert f"Readers know by now: {SECRET}" in written(backend, "1.5")
    assert not any("told here" in written(backend, label) for label in ("1.2", "1.3", "1.4", "1.5"))
    assert "To be done here" not in briefed(backend, "1.2")
    assert "**To be done here:** it comes out" in briefed(backend, "1.3")
    assert "for an earlier chapter was to and did not" in briefed(backend, "1.4")
    assert "Readers know it, since in 1.4" in briefed(backend, "1.5")
    due = [asked(backend, "extract", f"1.{number}")[0].facts["card"].due_secrets for number in range(2, 6)]
    assert due == [(), (f"1: {SECRET}",), (f"1: {SECRET}",), ()]
    assert "'secret-1' was to come out (35%) and has not; the next chapter is told to" in alerts(deps, 2)
    assert "secret-1" not in alerts(deps, 3)
    with deps.stores() as stores:
        (secret,) = stores.codex.secrets()
        (report,) = secrets_of(stores)
        assert register_lines(stores) == ("secret secret-1: came out in chapter 3",)
    assert [(str(event.place), event.type, event.expression) for event in secret.events] == [
        ("1.3", TellingType.MISSED, FILLER), ("1.4", TellingType.TOLD, OUT),
    ]  # fmt: skip
    assert (report.told, report.ending) == (3, "told")


def test_a_payoff_is_an_order_and_no_reminder_stands_beside_it(shelf: Callable[..., Deps]) -> None:
    texts = {"1.2": told("She turned the ring in her hand."), "1.5": told("So that was what the ring had been.")}
    found = {"1.5": extracted(("ring", "reveal", "So that was what the ring had been"))}
    lines = [thread("ring", 0, 55) | {"reinforced_at": [20]}]
    backend = script(refine=by_label(texts, CALM), extract=by_label(found, extracted()), extract_design=designed(lines))
    deps = seeing(shelf(backend))
    design(deps)

    write(deps, 1, 2, 3, 4, 5)

    paid = ["Here it gets its answer" in written(backend, f"1.{number}") for number in range(2, 7)]
    assert paid == [False, False, True, True, False]
    assert "Let this be seen again" not in written(backend, "1.4")
    assert "What the ring had been for all along." in written(backend, "1.4")
    assert "it is paid off" in briefed(backend, "1.5")
    assert statuses(deps)["ring"] is ThreadStatus.REVEALED
    assert "is due here (55%)" in alerts(deps, 3)
    with deps.stores() as stores:
        assert "thread ring: planted in chapter 1, paid off in chapter 4" in register_lines(stores)


def test_what_was_never_planted_is_shown_and_answered_where_it_is_to_be_paid(shelf: Callable[..., Deps]) -> None:
    texts = {"1.4": told("A ring lay there, and it had been for her.")}
    found = {"1.4": extracted(("ring", "reveal", "it had been for her"))}
    lines = [thread("ring", 0, 55) | {"reinforced_at": []}]
    backend = script(refine=by_label(texts, CALM), extract=by_label(found, extracted()), extract_design=designed(lines))
    deps = seeing(shelf(backend))
    design(deps)

    write(deps, 1, 2, 3)

    assert "Let this be seen early on: the ring on the sill" in written(backend, "1.4")
    with deps.stores() as stores:
        (ring,) = stores.codex.threads()
    assert [event.type for event in ring.timeline.events] == [ThreadEventType.PLANT, ThreadEventType.REVEAL]


def test_of_a_chapter_in_parts_one_is_told_each_thing(shelf: Callable[..., Deps]) -> None:
    lines = [thread("bell", 0, 20) | {"reinforced_at": []}, thread("coat", 0, 80) | {"reinforced_at": []}]
    backend = script(extract_design=designed(lines, revealed_at=10))
    deps = seeing(shelf(backend))
    design(deps)
    with deps.storage.write() as stores:
        goals = ("Ada walks.", "She hangs up the coat.", "She sleeps.")
        plans = [PlanNode(task_type=TaskType.WRITE, title=f"Scene {n}", goal=g) for n, g in enumerate(goals)]
        parent = stores.nodes.get(chapters(deps)[0].key)
        parts = stores.nodes.add(parent, plans, level=Level.SCENE.value, length=20, unit_index=lambda i: i + 1)

    for part in parts:
        walk_steps.write(part, deps)

    shown = [written(backend, part.label) for part in parts]
    assert ["the coat on the sill" in text for text in shown] == [False, True, False], "the goal names it"
    assert ["Let this be seen early on: the bell" in text for text in shown] == [False, False, True]
    assert ["It comes out here" in text for text in shown] == [False, False, True], "else the last tells it"
    assert "It may be told by now; another part has to tell it." in briefed(backend, parts[0].label)


def test_a_share_is_placed_anew_when_other_chapters_are_made_than_were_thought(tmp_path: Path) -> None:
    root, deps = begin(tmp_path, script(), length=3_000, max_unit_length=1_000, title="The Lamp")
    near_the_end = Place(share=95)
    numbers = []
    for number, (length, is_last) in enumerate([(1_000, False), (900, False), (500, False), (700, True)], 1):
        with deps.storage.write() as stores:
            plan = PlanNode(task_type=TaskType.WRITE, title="Part", goal="Go on.")
            (unit,) = stores.nodes.add(
                root, [plan], level=Level.CHAPTER.value, length=length, unit_index=number, is_last=is_last
            )
        with deps.stores() as stores:
            reading = stores.codex.reading_order()
            numbers.append((reading.number(near_the_end), reading.is_here(near_the_end, unit.label)))

    assert numbers[0] == (3, False), "three were thought to come"
    assert numbers[2:] == [(4, False), (4, True)]
    deps.storage.database.dispose()


def test_a_book_in_one_piece_keeps_its_register(tmp_path: Path) -> None:
    text = told(OUT, "Somebody rang the bell twice.", "So it rang for her.")
    found = json.dumps({
        "touches": [{"thread": "bell", "did": "reveal", "quote": "So it rang for her"}],
        "reveals": [{"secret": "1", "quote": OUT}],
        "checks": [{"check": check, "result": "passed"} for check in CHECKS],
    })  # fmt: skip
    backend = script(refine=text, extract=found, extract_design=designed([thread("bell", 5, 90)], revealed_at=63))
    root, deps = begin(tmp_path, backend, length=LENGTH, max_unit_length=2 * LENGTH, title="The Lamp")
    deps = seeing(deps)
    with deps.storage.write() as stores:
        plan = PlanNode(task_type=TaskType.DESIGN, title="Who lies", goal="Settle who lies.")
        (task,) = stores.nodes.add(root, [plan], level=Level.BOOK.value, unit=root.key)
        stores.documents.add(NewDocument(node=task.key, kind=DocumentKind.DESIGN, text=f"- {SECRET}"), None)
        stores.nodes.change(root.key, decision=Decision.PROCEED_TO_WRITE.value, planning_round=1, decided_round=1)

    walk_steps.write(deps.fresh(root), deps)
    walk_steps.close(deps.fresh(root), deps)

    assert [len(asked(backend, step)) for step in ("extract_design", "extract")] == [1, 1]
    assert "It comes out here" in written(backend, "1")
    assert "Let this be seen early on: the bell on the sill" in written(backend, "1")
    assert "Let this be seen again" not in written(backend, "1")
    with deps.stores() as stores:
        assert register_lines(stores) == (
            "secret secret-1: came out in chapter 1", "thread bell: planted in chapter 1, paid off in chapter 1",
        )  # fmt: skip
        report = stores.documents.current(root.key, DocumentKind.CONSISTENCY)
        assert report is not None
        assert ConsistencyReport.model_validate_json(stores.documents.data_of(report)).alerts == ()
    deps.storage.database.dispose()


@pytest.mark.parametrize("step", ["draft", "critic", "refine", "plan"])
def test_whoever_writes_prose_is_shown_no_register(shelf: Callable[..., Deps], step: str) -> None:
    backend = script(extract_design=designed([thread("bell", 0, 80)]))
    deps = seeing(shelf(backend))
    design(deps)

    write(deps, 1)

    shown = "\n".join(map(whole, asked(backend, step, "1.2")))
    assert not any(f"<{tag}>" in shown for tag in ("codex", "threads", "secrets"))
    assert all(f"<{tag}>" in briefed(backend, "1.2") for tag in ("codex", "threads", "secrets"))
    assert "What the bell had been for all along." in briefed(backend, "1.2")
