"""The two running documents: nothing that binds, and no promise, leaves them in silence."""

import json
from pathlib import Path
from typing import Any

import pytest

from bookwright.flows.activities.maintain import maintain
from bookwright.flows.deps import Deps
from bookwright.models.document import Document, DocumentKind, NewDocument
from bookwright.models.story.state import GlobalState
from tests.flows.walking import begin
from tests.support.fakes import ScriptedBackend

DESIGN, STATE = DocumentKind.BOOK_DESIGN, DocumentKind.GLOBAL_STATE
FIRST = "Readers are promised a reckoning.\n\n- § Ines owes 7,000 crowns."
SECOND = "Readers are promised a reckoning, and a ship.\n\n- § Ines owes 7,000 crowns.\n- § The lamp has two keys."


def owe(deps: Deps, kind: DocumentKind, text: str) -> None:
    """Owe a maintainer a look at a new document."""
    source = DocumentKind.DESIGN if kind is DESIGN else DocumentKind.SUMMARY
    with deps.storage.write() as stores:
        root = stores.nodes.root()
        document = stores.documents.add(NewDocument(node=root.key, kind=source, text=text), None)
        stores.queue.add(kind, document.id)


def latest(deps: Deps, kind: DocumentKind) -> Document | None:
    with deps.stores() as stores:
        return stores.documents.latest(kind)


def state(*promises: dict[str, Any], settled: tuple[dict[str, Any], ...] = ()) -> str:
    return json.dumps({
        "aim": "To keep the lamp lit.", "conflict": "The owner wants it dark.", "promises": list(promises),
        "settled": list(settled), "relations": [{"who": "Ines", "to": "the owner", "now": "owes him", "since": "1.1"}],
    })  # fmt: skip


def maintained(tmp_path: Path, kind: DocumentKind, *answers: str) -> tuple[ScriptedBackend, Deps]:
    """Give the maintainer of a kind as many news as there are answers, one after another."""
    backend = ScriptedBackend(lines={kind.value: list(answers)})
    root, deps = begin(tmp_path, backend, length=20_000)
    owe(deps, kind, "News one.")
    maintain(root, deps)
    owe(deps, kind, "News two.")
    maintain(root, deps)
    return backend, deps


def test_a_binding_line_is_carried_on(tmp_path: Path) -> None:
    backend, deps = maintained(tmp_path, DESIGN, FIRST, SECOND)

    assert len(backend.requests) == 2
    assert latest(deps, DESIGN).text == SECOND  # type: ignore[union-attr]
    deps.storage.database.dispose()


def test_a_version_that_drops_a_binding_line_is_sent_back_with_that_line(tmp_path: Path) -> None:
    backend, deps = maintained(tmp_path, DESIGN, FIRST, "All is well.", SECOND)

    assert "§ Ines owes 7,000 crowns." in backend.requests[-1].corrections[0].problem
    assert latest(deps, DESIGN).text == SECOND  # type: ignore[union-attr]
    deps.storage.database.dispose()


def test_a_version_may_release_a_line_by_saying_so_and_does_not_keep_the_saying(tmp_path: Path) -> None:
    released = "Readers got their reckoning.\n\n§- Ines owes 7,000 crowns. -> she has paid"
    backend, deps = maintained(tmp_path, DESIGN, FIRST, released)

    assert len(backend.requests) == 2
    assert latest(deps, DESIGN).text == "Readers got their reckoning."  # type: ignore[union-attr]
    deps.storage.database.dispose()


def test_where_every_try_drops_the_line_the_old_version_stands_and_the_news_waits(tmp_path: Path) -> None:
    backend, deps = maintained(tmp_path, DESIGN, FIRST, "All is well.")

    assert len(backend.requests) == 1 + deps.desk.settings.max_repairs + 1
    assert latest(deps, DESIGN).text == FIRST  # type: ignore[union-attr]
    with deps.stores() as stores:
        assert len(list(stores.queue.waiting())) == 1
    deps.storage.database.dispose()


def test_the_state_is_kept_as_structure_and_read_as_text(tmp_path: Path) -> None:
    _, deps = maintained(
        tmp_path, STATE, state({"promise": "The box is opened.", "born": "1.1"}),
        state({"id": "1-1", "promise": "The box is opened.", "touched": "1.2"}, {"promise": "A ship comes."}),
    )  # fmt: skip

    document = latest(deps, STATE)
    assert document is not None
    with deps.stores() as stores:
        kept = GlobalState.model_validate_json(stores.documents.data_of(document))
    assert [promise.id for promise in kept.promises] == ["1-1", "1-2"]
    assert "**Promises to be kept**\n- [1-1] The box is opened. (1.2)\n- [1-2] A ship comes." in document.text
    assert "Ines → the owner: owes him (1.1)" in document.text
    deps.storage.database.dispose()


@pytest.mark.parametrize(("settled", "asked"), [((), 2), (({"id": "1-1", "ending": "kept", "where": "1.2"},), 1)])
def test_a_promise_leaves_only_by_being_settled(
    tmp_path: Path, settled: tuple[dict[str, Any], ...], asked: int
) -> None:
    first, carried = state({"promise": "The box is opened."}), state({"id": "1-1", "promise": "The box is opened."})
    backend, deps = maintained(tmp_path, STATE, first, state(settled=settled), carried)

    assert len(backend.requests) == 1 + asked
    assert [correction.problem for request in backend.requests for correction in request.corrections] == [
        "these promises are in neither `promises` nor `settled`; carry each on, or settle it: 1-1"
    ] * (asked - 1)
    deps.storage.database.dispose()


def test_the_maintainer_sees_the_structure_that_it_is_to_keep(tmp_path: Path) -> None:
    backend, deps = maintained(
        tmp_path, STATE, state({"promise": "The box is opened."}), state({"id": "1-1", "promise": "x"})
    )

    shown = next(block for block in backend.requests[-1].prompt.blocks if block.startswith("<current_document>"))
    assert '"id":"1-1"' in shown
    deps.storage.database.dispose()


def test_the_maintainer_is_not_shown_again_what_was_settled_before(tmp_path: Path) -> None:
    settling = state(settled=({"id": "1-1", "ending": "kept", "where": "1.2"},))
    backend, deps = maintained(tmp_path, STATE, state({"promise": "The box is opened."}), settling, state())
    owe(deps, STATE, "News three.")
    with deps.stores() as stores:
        maintain(stores.nodes.root(), deps)

    shown = next(block for block in backend.requests[-1].prompt.blocks if block.startswith("<current_document>"))
    assert "settled" not in shown
    assert "To keep the lamp lit." in shown
    deps.storage.database.dispose()


@pytest.mark.parametrize(("kind", "named"), [(STATE, "[1 book summary: "), (DESIGN, "[1 book design: ")])
def test_each_news_says_which_unit_it_is_from(tmp_path: Path, kind: DocumentKind, named: str) -> None:
    answers = (state(), state()) if kind is STATE else (FIRST, FIRST)
    backend, deps = maintained(tmp_path, kind, *answers)

    shown = next(block for block in backend.requests[-1].prompt.blocks if block.startswith("<news>"))
    assert shown.startswith(f"<news>\n{named}")
    assert shown.endswith("]\nNews two.\n</news>")
    deps.storage.database.dispose()


def test_of_two_versions_that_wait_only_the_newer_is_told_and_rested_on(tmp_path: Path) -> None:
    backend = ScriptedBackend(lines={DESIGN.value: [FIRST]})
    root, deps = begin(tmp_path, backend, length=20_000)
    owe(deps, DESIGN, "The lamp is red.")
    owe(deps, DESIGN, "The lamp is blue.")

    maintain(root, deps)

    document = latest(deps, DESIGN)
    assert document is not None
    with deps.stores() as stores:
        inputs = [stores.documents.get(source) for source in stores.documents.inputs_of(document.id)]
        waiting = list(stores.queue.waiting())
    assert [source.text for source in inputs if source and source.kind is DocumentKind.DESIGN] == ["The lamp is blue."]
    assert "The lamp is red." not in "".join(backend.requests[0].prompt.blocks)
    assert waiting == []
    deps.storage.database.dispose()


def test_a_weak_model_sees_the_news_alone(tmp_path: Path) -> None:
    backend = ScriptedBackend(lines={"*": ["Ines keeps the lamp."]})
    root, deps = begin(tmp_path, backend, profile="small")
    owe(deps, STATE, "News one.")
    maintain(root, deps)

    assert "News one." in backend.requests[-1].prompt.blocks
    deps.storage.database.dispose()
