"""What gives a secret away is repaired, or brought to a human."""

import json
from collections.abc import Callable

import pytest

from bookwright.exports.report.judgements import notes_of
from bookwright.flows.activities.prose.brief import make_brief, wants_brief
from bookwright.flows.deps import Deps
from bookwright.models.codex.leak import LeakReport
from bookwright.models.document import DocumentKind, DocumentOrigin
from bookwright.models.errors import GateWaiting
from bookwright.models.gate import Decider, GateState
from bookwright.models.ruling import approval, rejection
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import NodeStatus
from tests.relay.scripted import (
    CALM,
    FILLER,
    LEAKY,
    LENGTH,
    SECRET,
    WRITERS,
    asked,
    by_label,
    chapters,
    data,
    design,
    prose,
    script,
    told,
    write,
)


def by_code(deps: Deps, number: int) -> list[tuple[str, str]]:
    """What `log` shows of what code did by itself for a chapter."""
    with deps.stores() as stores:
        label = stores.nodes.children(stores.nodes.root().key, TaskType.WRITE)[number - 1].label
        lines = list(stores.steps.lines(label, limit=1_000))
    return [(line.step, line.detail) for line in lines if line.model == "code"]


def test_a_leak_is_put_right_by_its_writer_who_reads_the_sentence_and_no_secret(
    shelf: Callable[..., Deps],
) -> None:
    backend = script(refine=by_label({"1.3": LEAKY}, CALM))
    backend.lines["revise_leak.1"] = [f"@gap 1\n{FILLER}, and the FORGER nodded."]
    backend.lines["revise_leak.2"] = [f"@gap 1\n{FILLER}."]
    deps = shelf(backend)
    design(deps)

    write(deps, 1, 2)

    assert "forger" not in prose(deps, 2).casefold()
    report = LeakReport.model_validate_json(data(deps, 2, DocumentKind.LEAK_REVIEW))
    assert [found.result for found in report.rounds] == ["rejected", "rejected", "approved"]
    assert len(asked(backend, "leak_review", "1.3")) == 1, "no model is asked about what code rejects"
    for step in WRITERS:
        assert not any(SECRET in block for own in asked(backend, step) for block in own.prompt.blocks)
    first, _ = asked(backend, "revise_leak", "1.3")
    shown = next(block for block in first.prompt.blocks if block.startswith("<taken_out>"))
    assert "[gap 1] Everyone on the quay knew the forger by his walk.\n  Why: holds a word that may not" in shown
    assert "(forger)" in shown


def test_an_addition_that_tells_is_asked_for_again_and_then_loses_that_sentence_on_record(
    shelf: Callable[..., Deps],
) -> None:
    short = f"{FILLER}. {FILLER}."
    added = f"@after 1\n\nShe rang the bell. Everyone on the quay knew the forger. {FILLER}. {FILLER}."
    backend = script(refine=short, lengthen=added)
    deps = shelf(backend)
    design(deps)

    write(deps, 1)

    first, *again = asked(backend, "lengthen")
    assert len(again) == deps.desk.settings.max_repairs
    assert not first.corrections
    assert all("Everyone on the quay knew the forger." in turn.problem for own in again for turn in own.corrections)
    assert by_code(deps, 1) == [("lengthen.cut", "taken out by code: Everyone on the quay knew the forger.")]
    report = LeakReport.model_validate_json(data(deps, 1, DocumentKind.LEAK_REVIEW))
    assert [sentence.strip() for sentence in report.cut] == ["Everyone on the quay knew the forger."]
    assert any("code took out" in note for note in left_by_reviews(deps))
    assert prose(deps, 1).startswith(short)
    assert "She rang the bell." in prose(deps, 1)
    assert "forger" not in prose(deps, 1)
    assert abs(len(prose(deps, 1).split()) - LENGTH) <= 0.15 * LENGTH


def test_a_leak_that_stays_goes_to_a_human_who_decides_after_a_restart(shelf: Callable[..., Deps]) -> None:
    backend = script(refine=LEAKY, **{f"revise_leak.{n}": f"@gap 1\n{FILLER}, said the forger." for n in (1, 2, 3)})
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
    assert [found.result for found in report.rounds] == [*["rejected"] * 4, "approved"]
    assert left_by_reviews(deps) == (), "the author's own text gives nothing away"
    assert len(asked(backend, "refine")) == 1


def test_a_human_may_order_a_revision_which_is_reviewed_like_any_other(shelf: Callable[..., Deps]) -> None:
    leaks = {f"revise_leak.{n}": f"@gap 1\n{FILLER}, said the forger." for n in (1, 2, 3)}
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
    leaks = {f"revise_leak.{n}": f"@gap 1\n{FILLER}, said the forger." for n in (1, 2, 3)}
    deps = shelf(script(refine=LEAKY, **leaks), unattended="accept")
    design(deps)

    write(deps, 1)

    assert "forger" in prose(deps, 1)
    assert LeakReport.model_validate_json(data(deps, 1, DocumentKind.LEAK_REVIEW)).decided_by == "brief"
    assert any("was let pass (brief)" in note for note in left_by_reviews(deps))


def test_what_a_model_suspects_counts_where_its_words_stand_in_the_text(shelf: Callable[..., Deps]) -> None:
    def judgement(location: str) -> str:
        issue = {"location": location, "suspicion": "She is his.", "type": "guessable", "severity": "critical"}
        return json.dumps({"issues": [issue], "result": "rejected"})

    gull = "A gull took the crust from the sill at noon"
    backend = script(refine=by_label({"1.2": told(), "1.3": told(f"{gull}.")}, CALM))
    backend.lines["leak_review.1"] = [by_label({"1.2": judgement("not on any page"), "1.3": judgement(gull)}, "")]
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


def test_a_brief_that_tells_at_every_try_is_cut_by_code_whole_entries_and_on_record(shelf: Callable[..., Deps]) -> None:
    backend = script(brief=f"- The tide goes out.\n- A lamp is lit. {SECRET}")
    deps = shelf(backend)
    design(deps)
    (unit, *_) = chapters(deps)

    make_brief(unit, deps)

    brief = deps.document(unit, DocumentKind.WRITERS_BRIEF)
    assert brief is not None
    assert brief.text == "- The tide goes out."
    assert len(asked(backend, "brief")) == deps.desk.settings.max_repairs + 1
    [(step, detail)] = by_code(deps, 1)
    assert step == "brief.cut"
    assert detail.startswith("taken out by code: ")
    assert not wants_brief(unit, deps)


def left_by_reviews(deps: Deps) -> tuple[str, ...]:
    """What the reviews of the first chapter could not settle."""
    with deps.stores() as stores:
        return notes_of(stores, chapters(deps)[0])


def test_whoever_reviews_is_told_how_much_may_be_felt_and_which_words_may_be_said(shelf: Callable[..., Deps]) -> None:
    deps = shelf(backend := script())
    design(deps)

    write(deps, 1)

    (request,) = asked(backend, "leak_review")
    shown = request.prompt.blocks[-1]
    assert f"- 1: {SECRET} (of Ada)\n  Not to be felt yet. May not stand here: forger" in shown
    assert "- 2: What the bell had been for all along.\n  Not to be felt yet. May be said: the bell." in shown
    assert "- the bell on the sill | the bell | 4/10" in shown, "what the text was ordered to plant"
    assert "secret-1" not in shown


def test_what_a_reviewer_names_by_its_number_is_kept_under_its_id(shelf: Callable[..., Deps]) -> None:
    suspicion = {"location": FILLER, "suspicion": "She is his.", "severity": "info", "secret": "1"}
    backend = script(**{"leak_review.1": json.dumps({"issues": [suspicion], "result": "warning"})})
    deps = shelf(backend)
    design(deps)

    write(deps, 1)

    report = LeakReport.model_validate_json(data(deps, 1, DocumentKind.LEAK_REVIEW))
    assert [leak.secret for leak in report.rounds[-1].leaks] == ["secret-1"]
