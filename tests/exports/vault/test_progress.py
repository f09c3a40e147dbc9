"""The progress file: written and read back, and where a book goes on by it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookwright.exports.vault.page_text import is_untouched, sealed
from bookwright.exports.vault.progress import (
    ProgressFile,
    StageProgress,
    StageStatus,
    UnitLine,
    load_from_book,
    progress_page,
)

P, R, C, F, S = StageStatus
WORDS = st.text("ab |\\灯-`:", max_size=20).map(lambda text: " ".join(text.split()))
TIMES = st.none() | st.integers(0, 4_000_000_000)
STAGES = st.builds(StageProgress, WORDS, st.sampled_from(StageStatus), TIMES, TIMES, WORDS)
UNITS = st.builds(
    UnitLine,
    st.sampled_from(["1.1", "1.2.10"]),
    WORDS,
    st.sampled_from(StageStatus),
    st.integers(0, 9),
    st.integers(0, 9),
)


def progress(*stages: StageProgress) -> ProgressFile:
    return ProgressFile("Night", "lamp", "story", "paused", 0, "A keeper.", stages)


@given(title=WORDS, prompt=WORDS, stages=st.lists(STAGES, max_size=4), units=st.lists(UNITS, max_size=3))
def test_the_file_reads_back_as_it_was_written(title, prompt, stages, units):
    told = ProgressFile(title, "lamp", "story", "paused", 0, prompt, tuple(stages), tuple(units))

    assert load_from_book(progress_page(told)) == told


def test_prompt_and_notes_are_cut_at_200_characters():
    told = ProgressFile(
        "Night", "lamp", "story", "paused", 0, "x" * 500, (StageProgress("plan", R, 0, notes="y" * 500),)
    )

    found = load_from_book(progress_page(told))

    assert (len(found.prompt), len(found.stages[0].notes)) == (200, 200)


@pytest.mark.parametrize(
    ("states", "last", "following"),
    [((), 0, -1), ((P, P), 0, 1), ((C, R, P), 1, 2), ((C, F, P), 1, 2), ((C, S, P), 1, 3), ((C, S, C), 3, -1)],
)
def test_the_next_stage_is_the_first_that_is_not_over(states, last, following):
    told = progress(*(StageProgress(f"stage {number}", state) for number, state in enumerate(states)))

    assert (told.last_completed_stage(), told.next_stage()) == (last, following)


def test_the_table_tells_how_long_a_stage_took():
    page = progress_page(progress(StageProgress("plan", C, 0, 3_725)))

    assert "| 1 | plan | completed | 1970-01-01 00:00:00 UTC | 1970-01-01 01:02:05 UTC | 1 h 2 min |  |" in page
    assert is_untouched(sealed(page))


def test_a_file_that_is_none_says_nothing():
    found = load_from_book("| 1 | x |\n| | | | | | | |\nrubbish")

    assert (found.stages, found.book, found.started) == ((), "", None)


@pytest.mark.parametrize(
    ("status", "states", "told"),
    [
        ("paused", (), ("none yet", "none", "`bookwright resume lamp` goes on.")),
        ("paused", (C, R, P), ("1, stage 1", "2, stage 2", "`bookwright resume lamp` goes on.")),
        (
            "writing", (P, P),
            ("none yet", "1, stage 1",
             "It is being written; should its worker have died, `bookwright resume lamp` goes on."),
        ),
        ("waiting", (C, P), ("1, stage 1", "2, stage 2", "A human decides first: `bookwright gates lamp --show`.")),
        ("finished", (S, C), ("2, stage 2", "none", "The book is finished; nothing is left to do.")),
    ],
)  # fmt: skip
def test_a_reader_is_told_how_the_book_goes_on(status, states, told):
    stages = tuple(StageProgress(f"stage {number}", state) for number, state in enumerate(states, 1))

    page = progress_page(ProgressFile("Night", "lamp", "story", status, 0, "A keeper.", stages))

    last, following, how = told
    assert page.partition("## Resume Info\n\n")[2] == (
        f"- Last completed stage: {last}\n- Next stage: {following}\n- {how}\n"
        "- The database decides; this file is made of it.\n"
    )


def test_a_book_that_rests_tells_what_to_do_about_it():
    told = ProgressFile(
        "Night", "lamp", "story", "paused", 0, "A keeper.", (), advice="raise the cap;\nthen `resume lamp`"
    )

    assert "- raise the cap; then `resume lamp`.\n" in progress_page(told)
