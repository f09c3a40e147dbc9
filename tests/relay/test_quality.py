"""Who judges a chapter, and what a low score makes of it."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from bookwright.flows import walk_steps
from bookwright.flows.activities.prose.cold_reading import read_book
from bookwright.flows.deps import Deps
from bookwright.flows.revision import revise
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.story.quality import QualityReport
from bookwright.models.story.retelling import RepairOrder, RepairOrders, Retelling
from bookwright.models.text.changes import Change, Changes
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import PlanNode, TaskType
from bookwright.models.tree.task import NodeStatus
from tests.relay.scripted import (
    CALM,
    EVALUATORS,
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
    scored,
    script,
    told,
    write,
)


@pytest.mark.parametrize("profile", ["economy", "small"])
def test_a_cheap_profile_has_code_judge_alone(shelf: Callable[..., Deps], profile: str) -> None:
    text = LEAKY if profile == "small" else f"None.\n<<<TEXT>>>\n{CALM}"
    backend = script(**{"*": text, "revise": text})
    secret = {"id": "birth", "content": SECRET, "forbidden_keywords": ["forger"]}
    deps = shelf(backend, profile=profile, secrets=[secret])

    write(deps, 1)

    own = {"economy": ["extract"], "small": []}
    assert [step for step in EVALUATORS if asked(backend, step)] == own[profile]
    report = QualityReport.model_validate_json(data(deps, 1, DocumentKind.QUALITY))
    assert report.scores is None
    assert report.figures is not None
    assert report.figures.length
    assert "forger" not in prose(deps, 1)


def test_whoever_judges_shares_no_call_with_whoever_writes(shelf: Callable[..., Deps]) -> None:
    backend = script()
    deps = shelf(backend)
    design(deps)

    write(deps, 1)

    judging = {step: asked(backend, step) for step in EVALUATORS}
    assert all(judging.values())
    for requests in judging.values():
        for request in requests:
            blocks = "\n".join(request.prompt.blocks)
            assert request.role != "writer"
            assert "<plan>" not in blocks
            assert "<criticism>" not in blocks
    assert any(SECRET in block for own in asked(backend, "leak_review") for block in own.prompt.blocks)
    assert not any(SECRET in block for step in WRITERS for own in asked(backend, step) for block in own.prompt.blocks)


def ordered(*places: tuple[str, str]) -> RepairOrders:
    """An editor's orders for these pages: words of them, and what is to be done."""
    return RepairOrders(
        orders=tuple(RepairOrder(quote=quote, trouble="It sags.", order=order) for quote, order in places)
    )


def replaced(first: str, text: str) -> Changes:
    """One sentence in another wording."""
    return Changes(changes=(Change(first=first, text=text),))


RETOLD = Retelling(happened="A clerk wrote the hour down.")


def test_what_a_judge_and_a_reader_found_is_put_right_once_by_an_editors_orders(shelf: Callable[..., Deps]) -> None:
    better = FILLER.replace("clerk", "widow")
    backend = script(
        quality=[scored(0.3), scored(0.8)], cold_read=RETOLD, review=[ordered((FILLER, "Say who.")), RepairOrders()],
        **{"repair.1.2": replaced("1.1", f"{better}.")},
    )  # fmt: skip
    deps = shelf(backend)
    design(deps)

    write(deps, 1, 2)

    steps = ("quality", "cold_read", "review", "repair")
    assert [len(asked(backend, step, "1.2")) for step in steps] == [1, 1, 1, 1]
    assert [len(asked(backend, step, "1.3")) for step in steps] == [1, 1, 1, 0]
    [editing], [repairing] = asked(backend, "review", "1.2"), asked(backend, "repair")
    assert any("It stands still." in line for line in editing.facts["card"].findings)
    assert any("Say who." in line for line in repairing.facts["card"].spots)
    assert prose(deps, 1) == CALM.replace("clerk", "widow", 1).strip()
    assert prose(deps, 2) == CALM.strip()
    first, second = (QualityReport.model_validate_json(data(deps, n, DocumentKind.QUALITY)) for n in (1, 2))
    assert [report.scores.overall for report in (first, second) if report.scores] == [0.3, 0.8]


def test_fine_judges_what_was_put_right_anew_and_has_it_put_right_again_if_it_falls_short(
    shelf: Callable[..., Deps],
) -> None:
    once, twice = FILLER.replace("clerk", "widow"), FILLER.replace("clerk", "keeper")
    backend = script(
        quality=scored(0.8), cold_read=RETOLD, review=ordered((FILLER, "Say who.")),
        **{
            "repair.1.2": replaced("1.1", f"{once}."), "quality.2": scored(0.4), "cold_read.second": RETOLD,
            "review.second": ordered((once, "Say it better.")), "repair.1.2.second": replaced("1.1", f"{twice}."),
        },
    )  # fmt: skip
    deps = shelf(backend, profile="fine")

    write(deps, 1)

    asked_for = [request.name.rpartition("/")[2] for request in backend.requests]
    kinds = ("quality", "cold_read", "review", "repair")
    assert [name for name in asked_for if name.startswith(kinds)] == [
        "quality", "cold_read", "review", "repair.1.2", "quality.2", "cold_read.second", "review.second",
        "repair.1.2.second",
    ]  # fmt: skip
    assert prose(deps, 1).startswith(twice)
    report = QualityReport.model_validate_json(data(deps, 1, DocumentKind.QUALITY))
    assert report.scores is not None
    assert (report.scores.overall, report.is_revised) == (0.4, True)


def test_a_chapter_in_the_authors_own_words_is_judged_and_left_letter_for_letter(shelf: Callable[..., Deps]) -> None:
    backend = script(quality=[scored(0.3), scored(0.9)], cold_read=RETOLD, review=ordered((FILLER, "Say who.")))
    deps = shelf(backend)
    design(deps)
    chapter = chapters(deps)[0]
    walk_steps.write(chapter, deps)
    own = CALM.replace("clerk", "keeper").strip()
    with deps.storage.write() as stores:
        revise.take_in(stores, chapter, revise.chosen(stores, chapter, DocumentKind.PROSE), own)

    walk_steps.close(deps.fresh(chapter), deps)

    assert len(asked(backend, "review")) == 1
    assert asked(backend, "repair") == []
    assert prose(deps, 1) == own
    report = QualityReport.model_validate_json(data(deps, 1, DocumentKind.QUALITY))
    assert report.scores is not None
    assert (report.scores.overall, report.is_revised) == (0.3, False)


WEAK = "Nothing came of it, and nobody minded."


def test_of_a_chapter_in_scenes_the_one_in_which_an_orders_words_stand_is_put_right(shelf: Callable[..., Deps]) -> None:
    backend = script(
        refine=by_label({"1.2.2": told(WEAK)}, CALM), cold_read=RETOLD,
        review=ordered((WEAK, "Let her act."), ("words that stand nowhere", "Cut.")),
        **{"repair.1.2": replaced("1.1", "She struck the bell.")},
    )  # fmt: skip
    deps = shelf(backend)
    design(deps)
    chapter = chapters(deps)[0]
    with deps.storage.write() as stores:
        plans = [PlanNode(task_type=TaskType.WRITE, title=f"Scene {n}", goal="Go on.") for n in (1, 2, 3)]
        stores.nodes.add(chapter, plans, level=Level.SCENE.value, length=LENGTH, unit_index=lambda i: i + 1)
        stores.nodes.change(chapter.key, length=3 * LENGTH)
        scenes = stores.nodes.children(chapter.key, TaskType.WRITE)
    for scene in scenes:
        walk_steps.write(scene, deps)
        walk_steps.close(deps.fresh(scene), deps)

    walk_steps.close(deps.fresh(chapter), deps)
    calls = len(backend.requests)
    with deps.storage.write() as stores:
        stores.nodes.change(chapter.key, status=NodeStatus.WRITTEN.value)
    walk_steps.close(deps.fresh(chapter), deps)

    assert [request.facts["label"] for request in asked(backend, "repair")] == ["1.2.2"]
    summed_up = [request.facts["label"] for request in asked(backend, "summary")]
    assert summed_up == ["1.2.1", "1.2.2", "1.2.3", "1.2"]
    assert [len(asked(backend, step)) for step in ("quality", "cold_read", "review")] == [1, 1, 1]
    assert len(backend.requests) == calls
    with deps.stores() as stores:
        texts = [document.text for document in stores.documents.of_nodes([s.key for s in scenes], DocumentKind.PROSE)]
        stale = [found.document.label for found in stores.staleness.direct()]
        written = stores.nodes.get(chapter.key).written
    assert stale == [], "what happens is as it was"
    assert [WEAK in text for text in texts] == [False] * 3
    assert sum("She struck the bell." in text for text in texts) == 1
    assert written == sum(len(text.split()) for text in texts)


def test_only_the_last_portion_of_a_book_is_said_to_end_it(shelf: Callable[..., Deps]) -> None:
    lines = {f"cold_read.{number}": RETOLD for number in (1, 2)}
    backend = script(cold_read=RETOLD, review=RepairOrders(), **lines)
    deps = shelf(backend)
    design(deps)
    write(deps, 1, 2)
    with deps.stores() as stores:
        book = stores.nodes.root()
    small_room = deps.profile.model_copy(update={"reading_room": 10})

    read_book(book, replace(deps, desk=replace(deps.desk, profile=small_room)))

    cards = [request.facts["card"] for request in asked(backend, "cold_read", book.label)]
    assert [(card.is_first, card.is_last) for card in cards] == [(True, False), (False, True)]


def test_each_order_that_a_books_editor_may_give_reaches_its_chapter(shelf: Callable[..., Deps]) -> None:
    most = RepairOrders.model_json_schema()["properties"]["orders"]["maxItems"]
    numbers = range(1, most + 1)
    backend = script(
        cold_read=RETOLD, review=ordered(*((f"Door {n} was shut.", f"Open door {n}.") for n in numbers)),
        **{"repair.1": replaced("1.1", "The door stood open.")},
    )  # fmt: skip
    deps = shelf(backend)
    with deps.storage.write() as stores:
        book = stores.nodes.root()
        plans = [PlanNode(task_type=TaskType.WRITE, title=f"Part {n}", goal="Go on.") for n in numbers[5:]]
        stores.nodes.add(book, plans, level=Level.CHAPTER.value, length=LENGTH, unit_index=lambda i: i + 6)
        for number, chapter in zip(numbers, stores.nodes.children(book.key, TaskType.WRITE), strict=True):
            text = told(f"Door {number} was shut.")
            stores.documents.add(NewDocument(node=chapter.key, kind=DocumentKind.PROSE, text=text), None)
            stores.nodes.change(chapter.key, status=NodeStatus.DONE.value, written=LENGTH)

    read_book(book, deps)

    assert [len(request.facts["card"].spots) for request in asked(backend, "repair")] == [1] * most
    assert all(prose(deps, number).startswith("The door stood open.") for number in numbers)
