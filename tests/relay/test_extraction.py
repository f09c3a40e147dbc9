"""What designs and chapters tell enters the codex; threads go from planting to payoff."""

import json
from collections.abc import Callable

import pytest

from bookwright.flows import gates, walk_steps
from bookwright.flows.deps import Deps
from bookwright.flows.revision import revise
from bookwright.models.codex.entries import CodexEntry, EntryKind, Section
from bookwright.models.codex.extraction import CHECKS, ConsistencyReport
from bookwright.models.codex.foreshadowing import ThreadEventType, ThreadStatus
from bookwright.models.codex.record import Origin, RecordKind
from bookwright.models.document import DocumentKind
from bookwright.models.errors import GateWaiting
from bookwright.models.gate import Decider
from bookwright.models.ruling import rejection
from tests.relay.scripted import (
    CALM,
    asked,
    by_label,
    chapters,
    data,
    design,
    extracted,
    known,
    script,
    statuses,
    told,
    write,
)


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
    assert [event.type for event in bell.timeline.events] == [
        ThreadEventType.PLANT,
        ThreadEventType.REINFORCE,
        ThreadEventType.REVEAL,
    ]
    last = ConsistencyReport.model_validate_json(data(deps, 5, DocumentKind.CONSISTENCY))
    assert any("ring" in alert and "overdue" in alert for alert in last.alerts)
    assert set(last.results.values()) == {"passed"}


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


def test_what_a_rejected_chapter_told_is_taken_back_before_it_is_written_anew(shelf: Callable[..., Deps]) -> None:
    first = stating(("Ada", "trade", "Lost the lamp."), ("Bo", "trade", "Ferries the dead."), ("Ada", "eyes", "Blind."))
    backend = script(
        refine=[told("Somebody rang the bell twice."), told("Ada waited for Bo.")],
        extract=[first, stating(("Ada", "eyes", "Grey."))],
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
    lines = asked(backend, "extract")[-1].facts["card"].codex
    assert any("Keeps the lamp." in line for line in lines)
    assert not any("Ferries" in line for line in lines)


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

    walk_steps.close(chapters(deps)[0], deps)

    assert known(deps)["Bo"] == {"trade": "Mends bells.", "eyes": "Grey."}
    with deps.stores() as stores:
        bell = next(own for own in stores.codex.threads() if own.title == "bell")
    assert [str(event.place) for event in bell.timeline.events] == ["1.2", "1.3"]
