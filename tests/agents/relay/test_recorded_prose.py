"""What a strong model wrote for one book, as it was recorded: none of it is held against it."""

import json
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from bookwright.agents.relay.extracting import ExtractionGround, design_records
from bookwright.agents.relay.history.codex_then import CodexThen
from bookwright.agents.relay.leaks.check import LeakSeverity
from bookwright.agents.relay.secrets.guard import Guard, guard_of
from bookwright.agents.relay.secrets.kept import Kept, kept_at
from bookwright.agents.relay.secrets.matching import Matcher, Withholding
from bookwright.agents.relay.secrets.public import Public, bound_in, named_by, order_of
from bookwright.agents.relay.secrets.reviewing import is_rejected, judged, review_by_code, round_of_code
from bookwright.models.brief import Brief, make_brief
from bookwright.models.codex.extraction import DesignExtraction
from bookwright.models.codex.foreshadowing import Foreshadowing, ThreadStatus
from bookwright.models.codex.leak import LeakJudgement
from bookwright.models.text.language import Language
from bookwright.models.tree.place import ReadingOrder
from bookwright.storage.index.embedding import Hashing
from tests.places import RECORDED

RECORDED: dict[str, Any] = json.loads((RECORDED / "tide_ledger.json").read_text("utf-8"))
UNITS = ("1.6", "1.7", "1.8", "1.9", "1.10")
PLACED = 4
"""Chapters that the run counted when it placed secrets and threads; it came to have one more."""
CENTRAL = "One child, 19 kilos. Account 31. Unpaid."


@cache
def brief() -> Brief:
    return make_brief(RECORDED["brief"])


@cache
def codex(chapters: int = PLACED) -> CodexThen:
    ground = ExtractionGround((brief().premise, brief().title))
    records, _ = design_records(DesignExtraction.model_validate(RECORDED["extraction"]), ground)
    planted = (
        record.model_copy(update={"status": ThreadStatus.PLANTED}) if isinstance(record, Foreshadowing) else record
        for record in records
    )
    return CodexThen(tuple(planted), ReadingOrder(chapters=UNITS))


def public(number: int) -> Public:
    printed = tuple(RECORDED["texts"][str(before)] for before in range(1, number))
    return Public(printed, order_of(brief()), named_by(brief()), bound_in(RECORDED["book_design"]))


def guard(number: int, chapters: int = PLACED) -> Guard:
    return guard_of(codex(chapters), UNITS[number - 1], lambda: public(number))


def kept(number: int, chapters: int = PLACED) -> Kept:
    return replace(kept_at(codex(chapters), UNITS[number - 1]), public=public(number))


def rejects(text: str, held: Kept) -> bool:
    return is_rejected(review_by_code(text, held, Language.EN, Hashing()))


@pytest.mark.parametrize("chapters", [PLACED, len(UNITS)])
@pytest.mark.parametrize("number", range(1, 6))
@pytest.mark.parametrize("kind", ["drafts", "texts"])
def test_no_page_of_the_recorded_book_is_refused(kind: str, number: int, chapters: int) -> None:
    found = review_by_code(RECORDED[kind][str(number)], kept(number, chapters), Language.EN, Hashing())

    assert [issue for issue in found if issue.severity is not LeakSeverity.MEDIUM] == []


@pytest.mark.parametrize("number", range(1, 6))
def test_no_brief_of_the_recorded_book_is_refused(number: int) -> None:
    assert [found.excerpt for found in guard(number).violations(RECORDED["briefs"][str(number)])] == []


def test_what_once_refused_the_first_brief_is_what_stands_in_the_design_and_in_the_codex_openly() -> None:
    secret_alone = Matcher(Withholding(kept(1).withheld.texts))

    found = [found.excerpt for found in secret_alone.violations(RECORDED["briefs"]["1"])]

    assert {"kilos. Account", "January receipts"} <= set(found)


def test_the_line_that_binds_to_the_letter_stays_in_every_text_that_is_shown() -> None:
    draft = RECORDED["drafts"]["1"]

    assert CENTRAL in draft
    assert guard(1).redact(draft) == draft


@pytest.mark.parametrize("number", range(1, 3))
@pytest.mark.parametrize("secret", range(4))
def test_the_secrets_themselves_are_found_all_the_same(number: int, secret: int) -> None:
    content = RECORDED["extraction"]["secrets"][secret]["content"]
    text = f"{RECORDED['texts'][str(number)]}\n\n{content}"
    held = kept(number, chapters=100)

    assert guard(number, chapters=100).violations(text)
    assert rejects(text, held)


def test_a_suspicion_that_quotes_public_words_alone_rejects_nothing() -> None:
    text = RECORDED["drafts"]["1"]

    def result(location: str) -> str:
        issue = {"location": location, "suspicion": "A child.", "type": "statement", "severity": "critical"}
        judgement = LeakJudgement.model_validate({"issues": [issue], "result": "rejected"})
        return judged(text, round_of_code([]), judgement, kept(1)).result

    assert result(CENTRAL) == "warning"
    assert result("She put her finger to the lower line and could feel the groove.") == "rejected"
