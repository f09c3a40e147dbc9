"""The guard: what it finds in a text, what it takes out, and what it lets stand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookwright.agents.relay.secrets.guard import Guard
from bookwright.agents.relay.secrets.matching import Withholding
from bookwright.agents.relay.secrets.public import Public
from bookwright.models.errors import FatalContextError

HEIR = "The heir of the mill was buried alive beneath the weir. Nobody mourned."
TOWER = "灯塔看守人其实是前朝国王失散的女儿。"
TWIN = "双子の弟は井戸の底で今も鍵を握っている。"
DAUGHTER = "그는 왕의 딸을 우물에 숨기고 이름을 바꿨다."
CLEAN = "Rain fell on the quay. A boy counted the boats.\n\nNobody asked him why."


def guard(*texts: str, words: tuple[str, ...] = (), read: tuple[str, ...] = (), told: tuple[str, ...] = ()) -> Guard:
    return Guard(Withholding(texts, words, known=told), Public(printed=read))


@pytest.mark.parametrize("text", [
    "He knew the heir was BURIED  ALIVE there.", "It was \uff42uried alive, they said.", "buried\nalive",
    "someone bu\u00adried alive",
])  # fmt: skip
def test_a_phrase_is_found_whatever_its_case_width_and_breaks(text):
    assert guard(HEIR).violations(text)


@pytest.mark.parametrize("text", ["The heir came late.", "The mill was closed.", "alive and well beneath it", "buried"])
def test_words_alone_are_no_phrase(text):
    assert guard(HEIR).violations(text) == ()


@pytest.mark.parametrize(
    "text", ["The whistle lost its number.\n1. Say who stood at the door.", "Door number 1 is shut."]
)
def test_a_single_figure_makes_no_phrase_and_neither_does_the_number_of_the_next_line(text):
    assert guard("Behind number 1 lies a forged register.").violations(text) == ()


def test_a_line_that_is_broken_in_a_sentence_still_holds_its_phrase():
    assert guard("Behind number 1 lies a forged register.").violations("They found a forged\nregister there.")


@pytest.mark.parametrize("secret", ["The killer is:\nTam.", "Killer:\nTam", "真凶：\n沈砚", "真凶是谁？\n是管家沈砚。"])
def test_a_withheld_text_of_several_lines_is_taken_out_to_its_last(secret):
    assert guard(secret).redact(f"Rain fell.\n{secret}\nNobody came.") == "Rain fell.\nNobody came."


@pytest.mark.parametrize(("secret", "text"), [
    (TOWER, "她想，看守人其實是前朝國王的事。"), (TOWER, "看守人，其实是前朝国王"),
    (TWIN, "彼は井戸の底で今も鍵を見た。"),
    (DAUGHTER, "그는 왕의 딸을 보았다."),
])  # fmt: skip
def test_eight_characters_are_a_phrase_in_any_script_variant(secret, text):
    assert guard(secret).violations(text)


@pytest.mark.parametrize(("secret", "text"), [(TOWER, "守人其实是前朝人"), (TWIN, "井戸の底で今も寝た"), (TOWER, "")])
def test_seven_characters_are_none(secret, text):
    assert guard(secret).violations(text) == ()


@pytest.mark.parametrize(("secret", "text"), [("弑君者", "都说他是弑君者。"), ("Regicide!", "A regicide, then.")])
def test_a_whole_text_that_is_shorter_than_a_phrase_is_found(secret, text):
    assert guard(secret).violations(text)


@pytest.mark.parametrize("text", ["p.a.t.r.i.c.i.d.e", "ＰＡＴＲＩＣＩＤＥ", "patricides", "pаtricide"])
def test_a_forbidden_word_is_found_however_it_is_spelt(text):
    [found] = guard(words=("patricide",)).violations(f"They spoke of {text} there.")

    assert found.excerpt == text


def test_a_redacted_text_has_lost_its_telling_sentences_and_entries_whole_and_nothing_else():
    text = f"# Plan\nRain fell. {HEIR} A boy counted.\n- A bell. He was buried alive beneath it.\n\n2. The end."

    assert guard(HEIR).redact(text) == "# Plan\nRain fell. A boy counted.\n\n2. The end."
    assert guard(HEIR).redact(text, "[…]") == "# Plan\nRain fell. […] A boy counted.\n- […]\n\n2. The end."


def test_a_phrase_over_two_sentences_takes_both():
    assert guard(HEIR).redact("He was buried. Alive beneath the weir he sang. Rain fell.") == "Rain fell."


def test_a_gap_stands_once_for_each_row_of_sentences():
    text = f"Rain fell. {HEIR[:56]} He was buried alive. A boy counted."

    assert guard(HEIR).redact(text, "[…]") == "Rain fell. […] A boy counted."


def test_a_clean_text_comes_back_as_it_is():
    assert guard(HEIR, TOWER, words=("patricide",)).redact(CLEAN) is CLEAN


def test_what_readers_have_read_is_no_secret_any_more():
    known = guard(HEIR, words=("weir",), read=("The heir of the mill came home. They met at the weir.",))

    assert known.violations("The heir of the mill slept by the weir.") == ()
    assert known.violations("He was buried alive.")


def test_the_premise_makes_a_name_public_and_no_sentence_that_tells_the_secret():
    premise = "The heir of the mill comes home. The heir of the mill was buried alive beneath the weir."
    told = guard(HEIR, told=(premise,))

    assert told.violations("The heir of the mill slept.") == ()
    assert told.violations("He was buried alive beneath it.")


CRANE = "The harbour master Odell Crane forged the tide tables. Since then Petra Vane pays him."
PREMISE = "A clerk suspects the harbour master of a fraud."


@pytest.mark.parametrize("named", [
    {"told": (PREMISE, "Odell Crane")}, {"told": (PREMISE, CRANE)},
    {"told": (PREMISE,), "designed": ("- **Odell Crane**: sixty, vain. He opens the gate at dawn.",)},
])  # fmt: skip
def test_a_name_that_the_book_uses_openly_is_no_phrase_with_or_without_its_title(named):
    open_ = Guard(Withholding((CRANE,), known=named["told"]), Public(designs=named.get("designed", ())))

    assert open_.violations("Odell Crane opens the gate. The harbour master Odell Crane yawns.") == ()
    for telling in ("Crane forged them.", "He forged the tide again.", "Petra Vane pays."):
        assert open_.violations(telling)


@pytest.mark.parametrize(
    "design", ["Odell Crane forged the tide tables.", "In truth Odell Crane forged it.", "", "Crane is old."]
)
def test_a_name_that_a_design_only_tells_the_secret_of_stays_one(design):
    kept = Guard(Withholding((CRANE,)), Public(designs=(design,)))

    assert kept.violations("Odell Crane opens the gate.")


def test_a_verb_before_a_public_name_is_no_title():
    kept = guard("He burned Petra Vane in the kiln of the old mill.", told=("Petra Vane", "The kiln was cold."))

    assert kept.violations("Petra Vane sang.") == ()
    assert kept.violations("He burned Petra that night.")


def test_a_public_name_that_is_forbidden_too_is_found_all_the_same():
    assert guard(CRANE, words=("Odell Crane",), told=("Odell Crane",)).violations("Odell Crane yawns.")


def test_a_guard_of_nothing_finds_nothing():
    idle = Guard.idle()

    assert idle.is_idle
    assert idle.redact(HEIR) is HEIR
    idle.require([HEIR], "1 write/draft")


def test_a_prompt_that_still_holds_a_secret_stops_the_book_without_repeating_it():
    with pytest.raises(FatalContextError, match="1 write/draft") as stopped:
        guard(HEIR).require([CLEAN, "It was buried alive."], "1 write/draft")

    assert "buried" not in str(stopped.value)


_SECRETS = st.sampled_from([HEIR, TOWER, TWIN, DAUGHTER])
_PIECES = st.lists(
    st.one_of(st.text(max_size=30), st.sampled_from([". ", "\n", "- ", "。", HEIR, TOWER, "buried alive"]))
)


@given(
    secrets=st.lists(_SECRETS, min_size=1),
    pieces=_PIECES,
    cuts=st.lists(st.tuples(st.integers(0, 80), st.integers(0, 80))),
)
def test_nothing_is_left_after_a_redaction(secrets, pieces, cuts):
    quoted = [secret[start : start + length] for secret, (start, length) in zip(secrets, cuts, strict=False)]
    text = "".join(part for pair in zip([*pieces, *quoted], [*quoted, *pieces], strict=True) for part in pair)
    kept = guard(*secrets, words=("patricide",))

    left = kept.redact(text)

    assert kept.violations(left) == ()
    assert kept.redact(left) == left


@given(start=st.integers(0, 9), filler=st.sampled_from(["", "他说，", "x"]))
def test_any_eight_characters_of_a_chinese_secret_are_found(start, filler):
    assert guard(TOWER).violations(f"{filler}{TOWER[start : start + 8]}。")
