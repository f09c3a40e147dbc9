"""Ranking: what a question's words and names weigh beside its meaning."""

import numpy as np

from bookwright.storage.index.embedding import Hashing
from bookwright.storage.index.ranking import names, rank, terms, weights

ALIKE = np.ones((1, 4), np.float32) / 2


def test_terms_are_words_without_common_ones_and_pairs_of_cjk_characters():
    assert terms("The lamp is Ines's.") == ("lamp", "ines", "s")
    assert terms("林小雨") == ("林小", "小雨")
    assert terms("灯") == ("灯",)


def test_names_are_capitalised_words_katakana_and_what_stands_in_marks():
    assert names("When Ines met Bruno, the Captain spoke; a captain should.") == ["Ines", "Bruno"]
    assert names("Then Ines Aldane went away.") == ["Ines Aldane", "Ines", "Aldane"]
    assert names("そこへジョバンニが来た。") == ["ジョバンニ"]
    assert names("林小雨打开《海图》。") == ["海图"]


def test_a_name_in_the_question_weighs_more_than_a_word():
    weighed = weights("What does Bruno keep in the cellar?")

    assert weighed["bruno"] > weighed["cellar"]


def test_where_meaning_is_equal_words_decide():
    texts = ["The lamp is broken.", "Bruno keeps a ledger.", "The sea is calm."]
    vectors = np.repeat(ALIKE, 3, axis=0)

    scores = rank(["What does Bruno keep?"], ALIKE, texts, vectors)

    assert int(np.argmax(scores)) == 1


def test_a_text_is_scored_by_the_question_it_answers_best():
    texts = ["Bruno keeps a ledger.", "Ines counts ships.", "Rain falls."]
    embedder = Hashing()
    questions = ["What does Bruno keep?", "What does Ines count?"]

    scores = rank(questions, embedder.embed(questions, True), texts, embedder.embed(texts, False))

    assert int(np.argmin(scores)) == 2


def test_a_language_is_not_preferred_for_being_that_of_the_question():
    texts = [f"English text {number}" for number in range(6)] + [f"第{number}段中文文字" for number in range(6)]
    likeness = [0.80, 0.81, 0.82, 0.83, 0.84, 0.85, 0.70, 0.71, 0.72, 0.73, 0.74, 0.79]
    vectors = np.array([[value, np.sqrt(1 - value**2)] for value in likeness], np.float32)

    scores = rank(["zzz"], np.array([[1.0, 0.0]], np.float32), texts, vectors)

    assert int(np.argmax(scores)) == 11


def test_nothing_is_ranked_without_an_error():
    assert rank(["lamp"], ALIKE, [], np.zeros((0, 4), np.float32)).tolist() == []
