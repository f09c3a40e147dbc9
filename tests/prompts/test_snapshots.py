"""What a model is shown, word for word; a change of wording is a diff that a person approves.

`BOOKWRIGHT_APPROVE=1` writes the files anew.
"""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from bookwright.models.tree.level import Level
from bookwright.prompts.card import Card
from bookwright.prompts.render import render, render_part, render_system
from tests.prompts.cards import NOVEL, SERIAL, TINY, card_of, filled, placed, untold
from tests.prompts.sources import EVERY_TAG

SNAPSHOTS = Path(__file__).parent / "snapshots"
APPROVE = "BOOKWRIGHT_APPROVE"


def middle(level: Level, book: str = "novel") -> Card:
    """A unit with neighbours on both sides and something in every list."""
    return placed(filled(card_of(level, book)), "middle")


def first(level: Level, book: str = "novel") -> Card:
    """A unit that opens its book, with nothing in any list."""
    return placed(card_of(level, book), "first")


def last(level: Level, book: str = "novel") -> Card:
    """A unit that ends its book."""
    return placed(filled(card_of(level, book)), "last")


STEPS: dict[str, Card] = {
    "book/plan/proposer_short": first(Level.BOOK, "tiny"),
    "book/plan/critic_medium": middle(Level.BOOK),
    "book/plan/proposer_long": first(Level.BOOK, "serial"),
    "volume/plan/refiner": middle(Level.VOLUME),
    "act/plan/critic": middle(Level.ACT),
    "chapter/plan/planner": middle(Level.CHAPTER),
    "beat/plan/planner": middle(Level.BEAT),
    "act/atom/design": middle(Level.ACT),
    "chapter/atom/search": middle(Level.CHAPTER),
    "book/flow_decision/flow_decision": last(Level.BOOK),
    "paragraph/flow_decision/flow_decision": middle(Level.PARAGRAPH),
    "book/hierarchy/proposer": middle(Level.BOOK),
    "act/hierarchy/planner": last(Level.ACT),
    "scene/hierarchy/planner": middle(Level.SCENE),
    "chapter/decomposition/design/critic": middle(Level.CHAPTER),
    "act/decomposition/search/planner": middle(Level.ACT),
    "book/design/router": middle(Level.BOOK),
    "book/design/guideline_headwriter": middle(Level.BOOK),
    "volume/design/draft": middle(Level.VOLUME),
    "chapter/design/plan": middle(Level.CHAPTER),
    "beat/design/design": middle(Level.BEAT),
    "scene/search": middle(Level.SCENE),
    "book/write/plan": first(Level.BOOK, "tiny"),
    "chapter/write/plan": middle(Level.CHAPTER),
    "chapter/write/draft": last(Level.CHAPTER, "serial"),
    "scene/write/critic": middle(Level.SCENE),
    "beat/write/refine": middle(Level.BEAT),
    "paragraph/write/draft": first(Level.PARAGRAPH),
    "volume/summary": middle(Level.VOLUME),
    "act/write/review": middle(Level.ACT),
    "book/design/maintain": middle(Level.BOOK),
    "summary/global_state": middle(Level.BOOK),
    "book/publish/title_and_blurb": middle(Level.BOOK),
    "aggregate/design": middle(Level.ACT),
    "retrieval/questions": middle(Level.CHAPTER),
    "write/brief": last(Level.CHAPTER),
    "write/revise": middle(Level.CHAPTER),
    "write/lengthen": middle(Level.SCENE),
    "write/shorten": middle(Level.SCENE),
    "small/plan": first(Level.BOOK, "tiny"),
    "small/refine": middle(Level.BEAT, "tiny"),
}
"""One step for each family and kind of unit."""

CHINESE_STEPS: dict[str, Card] = {
    "chapter/plan/planner": untold(middle(Level.CHAPTER, "serial")),
    "chapter/write/draft": untold(last(Level.CHAPTER, "serial")),
    "book/design/maintain": untold(middle(Level.BOOK, "serial")),
}
"""Of the Chinese set what stands in most calls, or decides most."""

FRAMES: dict[str, Callable[[], str]] = {
    "system_tiny": lambda: render_system(TINY),
    "system_novel": lambda: render_system(NOVEL),
    "system_serial": lambda: render_system(SERIAL),
    "blocks": lambda: "\n\n".join(render_part("story/block", tag=tag, text="Rain fell.") for tag in EVERY_TAG),
    "zh.system": lambda: render_system(SERIAL, "zh"),
    "zh.blocks": lambda: "\n\n".join(render_part("story/block", "zh", tag=tag, text="下雨了。") for tag in EVERY_TAG),
}


def check(name: str, text: str) -> None:
    """Compare with the approved text, or approve this one."""
    file = SNAPSHOTS / f"{name}.md"
    if os.environ.get(APPROVE):
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(f"{text}\n".encode())
    assert file.read_bytes().decode() == f"{text}\n", f"approve the new wording with {APPROVE}=1"


@pytest.mark.parametrize("step", STEPS)
def test_a_prompt_reads_as_it_was_approved(step: str) -> None:
    check(step.replace("/", "."), render(f"story/{step}", STEPS[step]))


@pytest.mark.parametrize("step", CHINESE_STEPS)
def test_a_chinese_prompt_reads_as_it_was_approved(step: str) -> None:
    check(f"zh.{step.replace('/', '.')}", render(f"story/{step}", CHINESE_STEPS[step], "zh"))


@pytest.mark.parametrize("frame", FRAMES)
def test_a_frame_reads_as_it_was_approved(frame: str) -> None:
    check(frame, FRAMES[frame]())


def test_no_approved_text_is_left_of_a_step_that_is_gone() -> None:
    chinese = (f"zh.{step}" for step in CHINESE_STEPS)
    known = {f"{name.replace('/', '.')}.md" for name in (*STEPS, *chinese, *FRAMES)}

    assert {file.name for file in SNAPSHOTS.iterdir()} == known
