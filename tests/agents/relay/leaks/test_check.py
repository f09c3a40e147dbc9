"""What a whole check reports: kinds, places, severities, verdict, and what it costs."""

from collections.abc import Sequence

import numpy as np
import pytest

from bookwright.agents.relay.leaks.check import LeakKind, LeakSeverity, check_draft, likeliest, verdict_of
from bookwright.agents.relay.leaks.folding import fold
from bookwright.agents.relay.leaks.units import runs_of, sentences_of
from bookwright.agents.relay.leaks.wording import find_quotations
from bookwright.models.codex.entries import Importance, Secret, Visibility
from bookwright.models.text.language import Language
from bookwright.storage.index.embedding import Hashing, Vectors

POISONED = Secret(
    id="king",
    content="Mara poisoned the old king with nightshade in his wine.",
    importance=Importance.CRITICAL,
    forbidden_keywords=("nightshade",),
    allowed_expressions=("the king died in his sleep",),
)
SETTING = "Under the dais of the hall runs a dry channel that once carried brine to the boiling house."
HARMLESS = "Snow fell on the stables. Two boys tried to catch it on their tongues."


class Counting(Hashing):
    """Counts what it embeds."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str], is_query: bool) -> Vectors:
        self.texts += texts
        return super().embed(texts, is_query)


def kinds(text: str, secret: Secret = POISONED, words: Sequence[str] = ()) -> list[LeakKind]:
    return [issue.kind for issue in check_draft(text, [secret], [SETTING], words, Language.EN, Hashing())]


def test_a_harmless_draft_is_approved() -> None:
    issues = check_draft(HARMLESS, [POISONED], [SETTING], ["dragon"], Language.EN, Hashing())

    assert issues == ()
    assert verdict_of(issues) == "approved"


def test_a_keyword_is_critical_and_shown_with_twenty_characters_on_either_side() -> None:
    text = f"{HARMLESS} He smelled of n-i-g-h-t-s-h-a-d-e and tallow, and of wet dogs too."

    [issue] = check_draft(text, [POISONED], [], (), Language.EN, Hashing())

    assert (issue.kind, issue.severity, issue.secret) == (LeakKind.FORBIDDEN_KEYWORD, LeakSeverity.CRITICAL, "king")
    assert text[issue.start : issue.end] == "n-i-g-h-t-s-h-a-d-e"
    assert issue.excerpt == text[issue.start - 20 : issue.end + 20]
    assert verdict_of([issue]) == "rejected"


def test_words_that_may_have_met_by_chance_only_warn() -> None:
    issues = check_draft("At night, shade is no comfort.", [POISONED], [], (), Language.EN, Hashing())

    assert [issue.severity for issue in issues] == [LeakSeverity.MEDIUM]
    assert verdict_of(issues) == "warning"


def test_a_global_keyword_belongs_to_no_secret() -> None:
    [issue] = check_draft("A DRAGON!", [POISONED], [], ["dragon", "nightshade"], Language.EN, Hashing())

    assert (issue.kind, issue.secret) == (LeakKind.FORBIDDEN_KEYWORD, "")


def test_the_secrets_words_in_another_sentence_are_a_leak_by_wording() -> None:
    text = f"{HARMLESS}\n\nIt was true: Mara had poisoned the old king with something in his wine."

    [issue] = check_draft(text, [POISONED], [], (), Language.EN, Hashing())

    assert (issue.kind, issue.severity) == (LeakKind.WORDING, LeakSeverity.HIGH)
    assert text[issue.start : issue.end].startswith("It was true")


def test_a_leak_split_over_two_sentences_is_one_leak() -> None:
    text = f"{HARMLESS} Mara poisoned the old king. With something in his wine. {HARMLESS}"

    [issue] = check_draft(text, [POISONED], [], (), Language.EN, Hashing())

    assert text[issue.start : issue.end] == "Mara poisoned the old king. With something in his wine."


@pytest.mark.parametrize(("importance", "is_leak"), [("critical", True), ("high", True), ("medium", False)])
def test_the_more_a_secret_matters_the_less_likeness_is_a_leak(importance: str, is_leak: bool) -> None:
    secret = POISONED.model_copy(update={"importance": Importance(importance)})

    found = kinds("So Mara poisoned the old king with some care.", secret)

    assert (LeakKind.WORDING in found) is is_leak


def test_an_allowed_expression_is_no_leak_and_excuses_a_keyword_inside_it_alone() -> None:
    telling = POISONED.model_copy(update={"content": "The king died in his sleep.", "forbidden_keywords": ("sleep",)})

    assert kinds("They said the king  died in his sleep.", telling) == []
    assert kinds("They said the king died in his sleep. It was no sleep.", telling) == [LeakKind.FORBIDDEN_KEYWORD]


def test_a_secret_that_may_be_used_is_passed_over() -> None:
    assert kinds(POISONED.content, POISONED.model_copy(update={"visibility": Visibility.USE})) == []


@pytest.mark.parametrize("visibility", [Visibility.HIDDEN, Visibility.AWARE, Visibility.KNOW])
def test_a_secret_told_word_for_word_is_found_below_use(visibility: Visibility) -> None:
    found = kinds(POISONED.content, POISONED.model_copy(update={"visibility": visibility}))

    assert sorted(found) == [LeakKind.FORBIDDEN_KEYWORD, LeakKind.WORDING]


def test_setting_text_is_found_in_other_case_and_line_breaks() -> None:
    text = "She knew it: A DRY channel that once\ncarried brine to the Boiling House, and a cat."

    [issue] = check_draft(text, [], [SETTING], (), Language.EN, Hashing())

    assert (issue.kind, issue.severity) == (LeakKind.QUOTATION, LeakSeverity.HIGH)
    assert (
        text[issue.start : issue.end].strip()
        == "A DRY channel that once\ncarried brine to the Boiling House, and a"[:-7]
    )


@pytest.mark.parametrize(
    ("text", "setting", "count"),
    [
        ("the dry channel that once was", SETTING, 0),
        (
            "他说三号井开于一九五八年，井深四百一十米，主巷道很黑。",
            "三号井开于一九五八年，井深四百一十米，主巷道分为两翼。",
            1,
        ),
        ("三号井开于一九五八年，很深。", "三号井开于一九五八年，井深四百一十米。", 0),
        (
            "三號井開於一九五八年，井深四百一十米，主巷道很黑。",
            "三号井开于一九五八年，井深四百一十米，主巷道分为两翼。",
            1,
        ),
        ("aaaa" * 2_000, "aaaa" * 2_000, 1),
        ("", SETTING, 0),
    ],
)
def test_twenty_characters_are_a_quotation_and_six_words_where_words_are_spelt(
    text: str, setting: str, count: int
) -> None:
    assert len(find_quotations(fold(text), [setting])) == (0 if text.startswith("aaaa") else count)


def test_each_sentence_is_embedded_once_however_many_secrets_there_are() -> None:
    embedder = Counting()
    text = " ".join(f"Sentence number {number} tells of the weather." for number in range(40))
    secrets = [POISONED.model_copy(update={"id": f"s{n}", "content": f"Secret {n} of the house."}) for n in range(50)]

    check_draft(text, secrets, [], (), Language.EN, embedder)
    check_draft(text, secrets, [], (), Language.EN, embedder)

    assert len(embedder.texts) == len(set(embedder.texts)) == 40 + 50 + 12


def test_the_likeliest_are_the_nearest_sentences_first() -> None:
    text = f"{HARMLESS} Mara poisoned the old king with wine. The old king liked wine."

    places = likeliest(text, [POISONED], Language.EN, Hashing(), count=2, each=2)

    assert [text[start:end] for start, end in places] == [
        "Mara poisoned the old king with wine.",
        "The old king liked wine.",
    ]


def test_where_few_may_be_shown_the_likeliest_of_all_secrets_are() -> None:
    drowned = Secret(id="drowned", content="The ferryman Ulf drowned his brother in the lock.")
    text = f"The old king liked wine. {HARMLESS} The ferryman Ulf drowned his brother in the lock."

    places = likeliest(text, [POISONED, drowned], Language.EN, Hashing(), count=1, each=2)

    assert [text[start:end] for start, end in places] == ["The ferryman Ulf drowned his brother in the lock."]


@pytest.mark.parametrize("text", ["", "   \n\n ", "…", "\ud800 \x00"])
def test_a_draft_without_words_has_no_leaks(text: str) -> None:
    assert check_draft(text, [POISONED], [SETTING], ["dragon"], Language.EN, Hashing()) == ()


@pytest.mark.parametrize("text", ["", "   \n\n "])
def test_in_an_empty_draft_nothing_is_suspected(text: str) -> None:
    assert likeliest(text, [POISONED], Language.EN, Hashing(), count=3, each=3) == ()


def test_sentences_stand_where_they_say_and_runs_are_of_one_to_three() -> None:
    text = "One. Two! Three?\n\n" + "word " * 200

    cut = sentences_of(text)

    assert all(text[each.start : each.end] == each.text for each in cut)
    assert all(len(each.text) <= 240 for each in cut)
    assert [(run.first, run.last) for run in runs_of(3)] == [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]


class Fixed(Hashing):
    """Says of each text what it is told to; of any other that it is like nothing else."""

    dimension = 64

    def __init__(self, near: Sequence[str]) -> None:
        self._near = near
        self._others: list[str] = []

    def embed(self, texts: Sequence[str], is_query: bool) -> Vectors:
        return np.array([self._vector(text) for text in texts], np.float32)

    def _vector(self, text: str) -> Vectors:
        is_near = any(part in text for part in self._near)
        if not is_near and text not in self._others:
            self._others.append(text)
        vector = np.zeros(self.dimension, np.float32)
        vector[0 if is_near else 1 + self._others.index(text)] = 1
        return vector


def test_a_leak_in_other_words_is_a_warning_with_its_place() -> None:
    text = f"{HARMLESS} She had murdered him with berries. {HARMLESS}"

    [issue] = check_draft(text, [POISONED], [], (), Language.EN, Fixed(["poisoned", "murdered"]))

    assert (issue.kind, issue.severity, issue.secret) == (LeakKind.MEANING, LeakSeverity.MEDIUM, "king")
    assert text[issue.start : issue.end] == "She had murdered him with berries."


def test_what_comes_near_by_names_and_shared_words_alone_is_none() -> None:
    secret = POISONED.model_copy(update={"related_entity": "Mara"})

    issues = check_draft("Mara liked wine.", [secret], [], (), Language.EN, Fixed(["Mara", "wine"]))

    assert issues == ()


def test_a_secret_that_shares_little_but_its_names_with_a_sentence_is_not_worded_there() -> None:
    secret = Secret(
        id="heir", content="Queen Anna Maria Low hid a child.", related_entity="Queen Anna Maria Low",
        importance=Importance.CRITICAL,
    )  # fmt: skip

    assert kinds("Queen Anna Maria Low kept a dog.", secret) == []
    assert kinds("So Queen Anna Maria Low hid a child there.", secret) == [LeakKind.WORDING]
