"""The Relay in the walk: leaks repaired or brought to a human, threads from planting to payoff, scores."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bookwright.agents.backends.protocol import Request
from bookwright.flows import gates, revise, tasks
from bookwright.flows.activities.extract import extract_design
from bookwright.flows.deps import Deps
from bookwright.models.codex import CodexEntry, EntryKind, Section
from bookwright.models.codex_record import Origin, RecordKind
from bookwright.models.document import DocumentKind, DocumentOrigin, NewDocument
from bookwright.models.errors import GateWaiting
from bookwright.models.extraction import CHECKS, ConsistencyReport
from bookwright.models.foreshadowing import EventType, ThreadStatus
from bookwright.models.gate import Decider, GateState
from bookwright.models.leak import LeakReport
from bookwright.models.level import Level
from bookwright.models.plan import PlanNode, TaskType
from bookwright.models.quality import QualityReport
from bookwright.models.ruling import approval, rejection
from bookwright.models.step import Reply
from bookwright.models.task import NodeStatus, TaskNode
from tests.fakes import ScriptedBackend
from tests.flows.walking import begin

SECRET = "Ada is the daughter of the forger of Tarn."
LENGTH = 60
_FILLER = "The tide went out and the clerk wrote the hour down beside the lamp"
CALM = ". ".join([_FILLER] * 4) + "."
LEAKY = f"{_FILLER}. Everyone on the quay knew the forger by his walk. " + ". ".join([_FILLER] * 3) + "."
EVALUATORS = ("leak_review", "quality", "extract", "extract_design")
WRITERS = ("draft", "refine", "revise_leak", "improve", "ordered")


def thread(title: str, planted: int, paid: int) -> dict[str, Any]:
    return {
        "title": title, "seed": f"the {title} on the sill", "payoff": f"What the {title} had been for all along.",
        "expressions": [f"the {title}"], "planted_at": planted, "reinforced_at": [40], "paid_off_at": paid,
    }  # fmt: skip


DESIGNED = {
    "entries": [{"kind": "character", "name": "Ada", "facts": [{"aspect": "trade", "fact": "Keeps the lamp."}]}],
    "secrets": [{
        "id": "birth", "content": SECRET, "importance": "critical", "about": "Ada",
        "forbidden_keywords": ["forger", "Ada", "the", "keeper"], "revealed_at": 100,
    }],
    "threads": [thread("bell", 0, 80), thread("coat", 0, 80), thread("letter", 20, 80), thread("ring", 0, 60)],
}  # fmt: skip


def told(*sentences: str) -> str:
    """A chapter of about the length asked for, with some sentences of its own."""
    missing = LENGTH - sum(len(sentence.split()) for sentence in sentences)
    return " ".join([*sentences, *[f"{_FILLER}."] * round(missing / len(_FILLER.split()))])


def scored(overall: float) -> str:
    names = ("coherence", "pacing", "prose", "character_score", "style", "reader_excitement", "emotional_resonance")
    issue = {"category": "pacing", "severity": "warning", "location": _FILLER, "description": "It stands still."}
    return json.dumps({"issues": [issue], "scores": dict.fromkeys(names, 0.7) | {"overall": overall}})


def extracted(*touches: tuple[str, str, str]) -> str:
    return json.dumps({
        "entries": [{"kind": "character", "name": "Ada", "facts": [{"aspect": "trade", "fact": "Lost the lamp."}]}],
        "touches": [{"thread": who, "did": did, "quote": quote} for who, did, quote in touches],
        "checks": [{"check": check, "result": "passed"} for check in CHECKS],
    })  # fmt: skip


def by_label(texts: dict[str, str], otherwise: str) -> Callable[[Request], str]:
    return lambda request: texts.get(request.facts["label"], otherwise)


def script(**lines: Any) -> ScriptedBackend:
    """A model that writes calm chapters, sees no leak, scores well and extracts nothing, but for what is given."""
    known: dict[str, Any] = {
        "*": CALM, "quality": scored(0.8), "extract": extracted(), "extract_design": json.dumps(DESIGNED),
        **{f"leak_review.{n}": json.dumps({"issues": [], "result": "approved"}) for n in range(1, 9)},
    }  # fmt: skip
    return ScriptedBackend(
        lines={name: line if isinstance(line, list) else [line] for name, line in (known | lines).items()}
    )


def asked(backend: ScriptedBackend, step: str, label: str = "") -> list[Request]:
    """Requests of a step, numbered or not."""
    found = [request for request in backend.requests if request.name.rpartition("/")[2].partition(".")[0] == step]
    return [request for request in found if not label or request.facts["label"] == label]


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Callable[..., Deps]]:
    """Opens a designed book of five chapters, or the same one again after a restart."""
    opened: list[Deps] = []

    def start(backend: ScriptedBackend, **brief: Any) -> Deps:
        for deps in opened:
            with deps.storage.write() as stores:
                stores.books.change(deps.storage.book, lease_owner=None)
            deps.storage.database.dispose()
        root, deps = begin(tmp_path, backend, length=5 * LENGTH, max_unit_length=LENGTH, title="The Lamp", **brief)
        if not opened:
            _lay_out(root, deps)
        opened.append(deps)
        return deps

    yield start
    opened[-1].storage.database.dispose()


def _lay_out(root: TaskNode, deps: Deps) -> None:
    with deps.storage.write() as stores:
        design = PlanNode(task_type=TaskType.DESIGN, title="Who lies", goal="Settle who lies.")
        (task,) = stores.nodes.add(root, [design], level=Level.BOOK.value, unit=root.key)
        stores.documents.add(NewDocument(node=task.key, kind=DocumentKind.DESIGN, text=f"- {SECRET}"), None)
        plans = [PlanNode(task_type=TaskType.WRITE, title=f"Part {n}", goal="Go on.") for n in range(1, 6)]
        stores.nodes.add(root, plans, level=Level.CHAPTER.value, length=LENGTH, unit_index=lambda i: i + 1)


def chapters(deps: Deps) -> list[TaskNode]:
    with deps.stores() as stores:
        return stores.nodes.children(stores.nodes.root().key, TaskType.WRITE)


def design(deps: Deps) -> None:
    with deps.stores() as stores:
        root = stores.nodes.root()
    extract_design(root, deps)


def write(deps: Deps, *numbers: int) -> None:
    """Write and close some chapters, from 1."""
    for number in numbers:
        unit = chapters(deps)[number - 1]
        tasks.write(unit, deps)
        tasks.close(unit, deps)


def data(deps: Deps, number: int, kind: DocumentKind) -> str:
    with deps.stores() as stores:
        found = stores.documents.current(chapters(deps)[number - 1].key, kind)
        return stores.documents.data_of(found) if found else ""


def prose(deps: Deps, number: int) -> str:
    with deps.stores() as stores:
        found = stores.documents.current(chapters(deps)[number - 1].key, DocumentKind.PROSE)
        return found.text if found else ""


def statuses(deps: Deps) -> dict[str, ThreadStatus]:
    with deps.stores() as stores:
        return {own.title: own.status for own in stores.codex.threads()}


def test_the_designs_of_a_book_fill_its_codex_once(shelf: Callable[..., Deps]) -> None:
    backend = script()
    deps = shelf(backend)

    design(deps)
    design(deps)

    assert len(asked(backend, "extract_design")) == 1
    with deps.stores() as stores:
        (secret,) = stores.codex.secrets()
        assert [entry.name for entry in stores.codex.entries()] == ["Ada"]
        assert secret.forbidden_keywords == ("forger",), "no name, no function word, no word of the premise"
    assert set(statuses(deps).values()) == {ThreadStatus.REGISTERED}


def test_three_threads_are_planted_reinforced_and_paid_off_and_a_forgotten_one_is_alerted(
    shelf: Callable[..., Deps],
) -> None:
    texts = {
        "1.2": told(
            "Somebody rang the bell twice.", "Ada hung the coat by the door.", "She turned the ring in her hand."
        ),
        "1.3": told("On the table lay the letter.", "Nobody had touched the coat."),
        "1.4": told("He struck the bell again.", "She read the letter once more.", "It rained."),
        "1.5": told("It was Ada who had hung it there to be counted.", "So it rang for her.", "He had written it."),
    }
    touches = {
        "1.3": extracted(("coat", "reinforce", "Nobody had touched the coat")),
        "1.4": extracted(("bell", "reinforce", "struck the bell"), ("letter", "reinforce", "read the letter")),
        "1.5": extracted(
            ("bell", "reveal", "So it rang for her"), ("coat", "reveal", "hung it there to be counted"),
            ("letter", "reveal", "He had written it"), ("ring", "reveal", "words that stand nowhere"),
        ),
    }  # fmt: skip
    backend = script(refine=by_label(texts, CALM), extract=by_label(touches, extracted()))
    deps = shelf(backend)
    design(deps)

    write(deps, 1, 2, 3, 4, 5)

    ended = statuses(deps)
    assert {title for title, status in ended.items() if status is ThreadStatus.REVEALED} == {"bell", "coat", "letter"}
    assert ended["ring"] is ThreadStatus.PLANTED, "what is quoted and stands nowhere is not believed"
    with deps.stores() as stores:
        bell = next(own for own in stores.codex.threads() if own.title == "bell")
    assert [event.type for event in bell.timeline.events] == [EventType.PLANT, EventType.REINFORCE, EventType.REVEAL]
    last = ConsistencyReport.model_validate_json(data(deps, 5, DocumentKind.CONSISTENCY))
    assert any("ring" in alert and "overdue" in alert for alert in last.alerts)
    assert set(last.results.values()) == {"passed"}


def test_a_leak_that_is_caught_twice_is_repaired_and_the_writer_never_reads_it(shelf: Callable[..., Deps]) -> None:
    backend = script(refine=by_label({"1.3": LEAKY}, CALM))
    backend.lines["revise_leak.1"] = [f"@gap 1\n{_FILLER}, and the FORGER nodded."]
    backend.lines["revise_leak.2"] = [f"@gap 1\n{_FILLER}."]
    deps = shelf(backend)
    design(deps)

    write(deps, 1, 2)

    assert "forger" not in prose(deps, 2).casefold()
    report = LeakReport.model_validate_json(data(deps, 2, DocumentKind.LEAK_REVIEW))
    assert [found.result for found in report.rounds] == ["rejected", "rejected", "approved"]
    assert len(asked(backend, "leak_review", "1.3")) == 1, "no model is asked about what code rejects"
    for step in WRITERS:
        assert not any("forger" in block.casefold() for own in asked(backend, step) for block in own.prompt.blocks)


def test_an_addition_that_gives_something_away_loses_that_sentence_alone(shelf: Callable[..., Deps]) -> None:
    short = f"{_FILLER}. {_FILLER}."
    added = f"@after 1\n\nShe rang the bell. Everyone on the quay knew the forger. {_FILLER}. {_FILLER}."
    backend = script(refine=short, lengthen=added)
    deps = shelf(backend)
    design(deps)

    write(deps, 1)

    assert len(asked(backend, "lengthen")) == 1
    assert prose(deps, 1).startswith(short)
    assert "She rang the bell." in prose(deps, 1)
    assert "forger" not in prose(deps, 1)
    assert abs(len(prose(deps, 1).split()) - LENGTH) <= 0.15 * LENGTH


def test_a_leak_that_stays_goes_to_a_human_who_decides_after_a_restart(shelf: Callable[..., Deps]) -> None:
    backend = script(refine=LEAKY, **{f"revise_leak.{n}": f"@gap 1\n{_FILLER}, said the forger." for n in (1, 2, 3)})
    deps = shelf(backend)
    design(deps)

    with pytest.raises(GateWaiting):
        write(deps, 1)

    assert prose(deps, 1) == ""
    assert chapters(deps)[0].status is NodeStatus.OPEN
    calls = len(backend.requests)
    deps = shelf(backend)
    with pytest.raises(GateWaiting):
        write(deps, 1)  # nobody has decided
    with deps.storage.write() as stores:
        (gate,) = stores.gates.waiting()
        stores.gates.decide(gate.id, approval(gate, Decider.COMMAND, text=CALM))
    assert len(gate.refusals) == 4
    assert len(backend.requests) == calls
    deps = shelf(backend)
    write(deps, 1)

    assert prose(deps, 1) == CALM.strip()
    with deps.stores() as stores:
        accepted = stores.documents.current(chapters(deps)[0].key, DocumentKind.PROSE)
    assert accepted is not None
    assert accepted.origin is DocumentOrigin.AUTHOR
    report = LeakReport.model_validate_json(data(deps, 1, DocumentKind.LEAK_REVIEW))
    assert report.decided_by == "command"
    assert len(report.rounds) == 4
    assert len(asked(backend, "refine")) == 1


def test_a_human_may_order_a_revision_which_is_reviewed_like_any_other(shelf: Callable[..., Deps]) -> None:
    leaks = {f"revise_leak.{n}": f"@gap 1\n{_FILLER}, said the forger." for n in (1, 2, 3)}
    backend = script(refine=LEAKY, **leaks, **{"ordered.1": LEAKY, "ordered.2": CALM})
    deps = shelf(backend)
    design(deps)
    for note in ("Leave the quay out.", "Let it rain."):
        with pytest.raises(GateWaiting):
            write(deps, 1)
        with deps.storage.write() as stores:
            (gate,) = stores.gates.waiting()
            stores.gates.decide(gate.id, rejection(gate, Decider.COMMAND, note))

    write(deps, 1)

    assert prose(deps, 1) == CALM.strip()
    first, second = asked(backend, "ordered")
    assert "Leave the quay out." in first.prompt.blocks[-1]
    assert "Let it rain." in second.prompt.blocks[-1]
    with deps.stores() as stores:
        assert [gate.state for gate in stores.gates.all()] == [GateState.REJECTED, GateState.REJECTED]


def test_a_brief_may_have_a_refused_draft_accepted_with_a_mark(shelf: Callable[..., Deps]) -> None:
    leaks = {f"revise_leak.{n}": f"@gap 1\n{_FILLER}, said the forger." for n in (1, 2, 3)}
    deps = shelf(script(refine=LEAKY, **leaks), unattended="accept")
    design(deps)

    write(deps, 1)

    assert "forger" in prose(deps, 1)
    assert LeakReport.model_validate_json(data(deps, 1, DocumentKind.LEAK_REVIEW)).decided_by == "brief"


def test_what_a_model_suspects_counts_where_its_words_stand_in_the_text(shelf: Callable[..., Deps]) -> None:
    def judgement(location: str) -> str:
        issue = {"location": location, "suspicion": "She is his.", "type": "guessable", "severity": "critical"}
        return json.dumps({"issues": [issue], "result": "rejected"})

    backend = script()
    backend.lines["leak_review.1"] = [by_label({"1.2": judgement("not on any page"), "1.3": judgement(_FILLER)}, "")]
    backend.lines["revise_leak.1"] = ["@gap 1\n" + CALM]
    deps = shelf(backend)
    design(deps)

    write(deps, 1, 2)

    assert asked(backend, "revise_leak", "1.2") == []
    assert len(asked(backend, "revise_leak", "1.3")) == 1
    assert len(asked(backend, "leak_review", "1.3")) == 2


def test_where_nothing_is_hidden_no_leak_review_is_paid(shelf: Callable[..., Deps]) -> None:
    backend = script(extract_design=json.dumps({}))
    deps = shelf(backend)
    design(deps)

    write(deps, 1)

    assert asked(backend, "leak_review") == []
    assert prose(deps, 1) == CALM.strip()


@pytest.mark.parametrize("profile", ["economy", "small"])
def test_a_cheap_profile_has_code_judge_alone(shelf: Callable[..., Deps], profile: str) -> None:
    text = LEAKY if profile == "small" else f"None.\n<<<TEXT>>>\n{CALM}"
    backend = script(**{"*": text, "revise": text})
    secret = {"id": "birth", "content": SECRET, "forbidden_keywords": ["forger"]}
    deps = shelf(backend, profile=profile, secrets=[secret])

    write(deps, 1)

    assert not any(asked(backend, step) for step in EVALUATORS)
    report = QualityReport.model_validate_json(data(deps, 1, DocumentKind.QUALITY))
    assert report.scores is None
    assert report.figures is not None
    assert report.figures.length
    assert "forger" not in prose(deps, 1)


def test_a_chapter_below_the_threshold_is_revised_once_and_kept_if_better(shelf: Callable[..., Deps]) -> None:
    better = CALM.replace("clerk", "widow")
    backend = script(quality=[scored(0.3), scored(0.5), scored(0.3), scored(0.2)], improve=better)
    deps = shelf(backend)
    design(deps)

    write(deps, 1, 2)

    assert len(asked(backend, "improve", "1.2")) == 1
    assert len(asked(backend, "quality", "1.2")) == 2
    assert prose(deps, 1) == better.strip()
    assert prose(deps, 2) == CALM.strip()
    first, second = (QualityReport.model_validate_json(data(deps, n, DocumentKind.QUALITY)) for n in (1, 2))
    assert first.is_revised
    assert first.scores is not None
    assert first.scores.overall == 0.5
    assert not second.is_revised
    assert second.scores is not None
    assert second.scores.overall == 0.3


def test_a_chapter_in_the_authors_own_words_is_judged_and_left_letter_for_letter(shelf: Callable[..., Deps]) -> None:
    backend = script(quality=[scored(0.3), scored(0.9)], improve=CALM.replace("clerk", "widow"))
    deps = shelf(backend)
    design(deps)
    chapter = chapters(deps)[0]
    tasks.write(chapter, deps)
    own = CALM.replace("clerk", "keeper").strip()
    with deps.storage.write() as stores:
        revise.take_in(stores, chapter, revise.chosen(stores, chapter, DocumentKind.PROSE), own)

    tasks.close(deps.fresh(chapter), deps)

    assert asked(backend, "improve") == []
    assert prose(deps, 1) == own
    report = QualityReport.model_validate_json(data(deps, 1, DocumentKind.QUALITY))
    assert report.scores is not None
    assert (report.scores.overall, report.is_revised) == (0.3, False)


WEAK = "Nothing came of it, and nobody minded."


def scored_at(overall: float, *places: tuple[str, str]) -> str:
    judgement = json.loads(scored(overall))
    judgement["issues"] = [
        {"category": "pacing", "severity": severity, "location": location, "description": "It stands still."}
        for severity, location in places
    ]
    return json.dumps(judgement)


def test_of_a_chapter_in_scenes_the_one_that_the_judgement_names_is_revised_and_summed_up_anew(
    shelf: Callable[..., Deps],
) -> None:
    named = scored_at(0.3, ("warning", _FILLER), ("critical", WEAK), ("critical", "words that stand nowhere"))
    backend = script(
        refine=by_label({"1.2.2": told(WEAK)}, CALM), improve=told("She struck the bell."), quality=[named, scored(0.7)]
    )
    deps = shelf(backend)
    design(deps)
    chapter = chapters(deps)[0]
    with deps.storage.write() as stores:
        plans = [PlanNode(task_type=TaskType.WRITE, title=f"Scene {n}", goal="Go on.") for n in (1, 2, 3)]
        stores.nodes.add(chapter, plans, level=Level.SCENE.value, length=LENGTH, unit_index=lambda i: i + 1)
        stores.nodes.change(chapter.key, length=3 * LENGTH)
        scenes = stores.nodes.children(chapter.key, TaskType.WRITE)
    for scene in scenes:
        tasks.write(scene, deps)
        tasks.close(deps.fresh(scene), deps)

    tasks.close(deps.fresh(chapter), deps)
    calls = len(backend.requests)
    with deps.storage.write() as stores:
        stores.nodes.change(chapter.key, status=NodeStatus.WRITTEN.value)
    tasks.close(deps.fresh(chapter), deps)

    assert [request.facts["label"] for request in asked(backend, "improve")] == ["1.2.2"]
    assert [request.facts["label"] for request in asked(backend, "improve")] == ["1.2.2"]
    summed_up = [request.facts["label"] for request in asked(backend, "summary")]
    assert summed_up == ["1.2.1", "1.2.2", "1.2.3", "1.2.2", "1.2"]
    assert len(asked(backend, "quality")) == 2
    assert len(backend.requests) == calls
    with deps.stores() as stores:
        texts = [document.text for document in stores.documents.of_nodes([s.key for s in scenes], DocumentKind.PROSE)]
        stale = [found.document.label for found in stores.staleness.direct()]
        written = stores.nodes.get(chapter.key).written
    assert stale == ["1.2.3"], "only what was written with the old text in view"
    assert [WEAK in text for text in texts] == [False] * 3
    assert sum("She struck the bell." in text for text in texts) == 1
    assert written == sum(len(text.split()) for text in texts)
    assert QualityReport.model_validate_json(data(deps, 1, DocumentKind.QUALITY)).is_revised


def test_whoever_judges_shares_no_call_with_whoever_writes(shelf: Callable[..., Deps]) -> None:
    backend = script()
    deps = shelf(backend)
    design(deps)

    write(deps, 1)

    for step in EVALUATORS:
        for request in asked(backend, step):
            blocks = "\n".join(request.prompt.blocks)
            assert request.role != "writer"
            assert "<plan>" not in blocks
            assert "<criticism>" not in blocks
    assert any(SECRET in block for own in asked(backend, "leak_review") for block in own.prompt.blocks)
    assert not any(SECRET in block for step in WRITERS for own in asked(backend, step) for block in own.prompt.blocks)


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
        made.lines["revise_leak.1"] = [f"@gap 1\n{_FILLER}, and the FORGER nodded."]
        made.lines["revise_leak.2"] = [f"@gap 1\n{_FILLER}."]
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
                _lay_out(root, deps)
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


def test_an_extraction_never_overwrites_what_the_author_said(shelf: Callable[..., Deps]) -> None:
    deps = shelf(script())
    ada = CodexEntry(
        id="ada", kind=EntryKind.CHARACTER, name="Ada", sections=(Section(name="trade", text="Sells eels."),)
    )
    with deps.storage.write() as stores:
        stores.codex.add(ada, Origin.AUTHOR)

    write(deps, 1)

    with deps.stores() as stores:
        kept = stores.codex.get(RecordKind.ENTRY, "ada").record
        assert isinstance(kept, CodexEntry)
        assert kept.sections[0].text == "Sells eels."
        assert [wish.wanted for wish in stores.codex.suggestions.waiting(RecordKind.ENTRY)] == ["Lost the lamp."]


def stating(*facts: tuple[str, str, str]) -> str:
    """What an extraction states: of whom, which aspect, what."""
    entries = [
        {"kind": "character", "name": who, "facts": [{"aspect": aspect, "fact": fact}]} for who, aspect, fact in facts
    ]
    checks = [{"check": check, "result": "passed"} for check in CHECKS]
    return json.dumps({"entries": entries, "touches": [], "checks": checks})


def known(deps: Deps) -> dict[str, dict[str, str]]:
    with deps.stores() as stores:
        entries = stores.codex.entries()
    return {entry.name: {own.name: own.text for own in entry.sections if own.text} for entry in entries}


def test_what_a_rejected_chapter_told_is_taken_back_before_it_is_written_anew(shelf: Callable[..., Deps]) -> None:
    first = stating(("Ada", "trade", "Lost the lamp."), ("Bo", "trade", "Ferries the dead."), ("Ada", "eyes", "Blind."))
    backend = script(
        refine=[told("Somebody rang the bell twice."), CALM, CALM], extract=[first, stating(("Ada", "eyes", "Grey."))]
    )
    deps = shelf(backend, gates=["chapter"])
    design(deps)
    with pytest.raises(GateWaiting):
        write(deps, 1)
    before, threads = known(deps), statuses(deps)
    with deps.storage.write() as stores:
        (gate,) = stores.gates.waiting()
        stores.gates.decide(gate.id, rejection(gate, Decider.COMMAND, "No Bo."))

    gates.settle(deps)
    between, threads_between = known(deps), statuses(deps)
    with pytest.raises(GateWaiting):
        write(deps, 1)

    assert before == {"Ada": {"trade": "Lost the lamp.", "eyes": "Blind."}, "Bo": {"trade": "Ferries the dead."}}
    assert threads["bell"] is ThreadStatus.PLANTED
    assert between == {"Ada": {"trade": "Keeps the lamp."}}
    assert threads_between["bell"] is ThreadStatus.REGISTERED
    assert known(deps) == {"Ada": {"trade": "Keeps the lamp.", "eyes": "Grey."}}
    assert not any("Ferries" in line for line in asked(backend, "extract")[-1].facts["card"].codex)


def test_what_a_chapter_told_gives_way_to_what_its_new_text_tells_and_later_chapters_keep_theirs(
    shelf: Callable[..., Deps],
) -> None:
    texts = {"1.2": told("Somebody rang the bell twice."), "1.3": told("He struck the bell again.")}
    said = {"1.2": stating(("Bo", "trade", "Ferries the dead.")), "1.3": stating(("Bo", "eyes", "Grey."))}
    backend = script(refine=by_label(texts, CALM), extract=by_label(said, extracted()))
    deps = shelf(backend)
    design(deps)
    write(deps, 1, 2)
    with deps.storage.write() as stores:
        unit = stores.nodes.get(chapters(deps)[0].key)
        old = stores.documents.current(unit.key, DocumentKind.PROSE)
        assert old is not None
        revise.take_in(stores, unit, old, f"{CALM} The bell was mended.")
        stores.nodes.change(unit.key, revision=2)
    said["1.2"] = stating(("Bo", "trade", "Mends bells."))

    tasks.close(chapters(deps)[0], deps)

    assert known(deps)["Bo"] == {"trade": "Mends bells.", "eyes": "Grey."}
    with deps.stores() as stores:
        bell = next(own for own in stores.codex.threads() if own.title == "bell")
    assert [str(event.place) for event in bell.timeline.events] == ["1.2", "1.3"]
