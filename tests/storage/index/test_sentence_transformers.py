"""Embedding with sentence-transformers, where it is installed: a tiny model of random weights stands for a real one."""

from pathlib import Path

import numpy as np
import pytest

from bookwright.models.errors import InvalidSetting
from bookwright.models.settings import load_settings
from bookwright.storage.index.embedding import Embedder, make_embedder

sentence_transformers = pytest.importorskip("sentence_transformers", minversion="5")

WORDS = ["the", "keeper", "turned", "lamp", "and", "counted", "ships", "query", "passage", ":", "林", "小", "雨"]
TEXTS = ["the keeper turned the lamp", "", "a\0b", "\ud83d lamp", "林小雨" * 400]
SIZE = 16


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model on the disk that has a prompt for questions and another for what may answer them."""
    import transformers

    parts, whole = tmp_path_factory.mktemp("parts"), tmp_path_factory.mktemp("model")
    vocabulary = {word: number for number, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS])}
    transformers.BertTokenizerFast(vocab=vocabulary).save_pretrained(parts)
    config = transformers.BertConfig(
        vocab_size=len(vocabulary), hidden_size=SIZE, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32
    )
    transformers.BertModel(config).save_pretrained(parts)
    model = sentence_transformers.SentenceTransformer(  # it makes the mean of the tokens' vectors where nothing is said
        str(parts), prompts={"query": "query : ", "document": "passage : "}
    )
    model.save(str(whole))
    return whole


@pytest.fixture
def embedder(folder: Path, tmp_path: Path) -> Embedder:
    return make_embedder(load_settings(home=tmp_path, embedding=f"sentence-transformers:{folder}"))


def test_every_text_has_one_vector_of_length_one(embedder: Embedder) -> None:
    vectors = embedder.embed(TEXTS, is_query=False)

    assert vectors.shape == (len(TEXTS), SIZE)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-5)


def test_a_batch_gives_what_single_texts_give(embedder: Embedder) -> None:
    together = embedder.embed(TEXTS, is_query=False)

    alone = np.concatenate([embedder.embed([text], is_query=False) for text in TEXTS])

    assert together == pytest.approx(alone, abs=1e-5)


def test_no_texts_are_no_vectors(embedder: Embedder) -> None:
    assert len(embedder.embed([], is_query=True)) == 0


def test_a_question_and_what_may_answer_it_have_each_their_own_prompt(embedder: Embedder, folder: Path) -> None:
    model = sentence_transformers.SentenceTransformer(str(folder))
    queried, told = model.encode(["query : the lamp", "passage : the lamp"], normalize_embeddings=True)

    assert embedder.embed(["the lamp"], is_query=True)[0] == pytest.approx(queried, abs=1e-5)
    assert embedder.embed(["the lamp"], is_query=False)[0] == pytest.approx(told, abs=1e-5)
    assert queried != pytest.approx(told, abs=1e-3)


def test_a_model_that_cannot_be_loaded_is_a_setting_to_change(tmp_path: Path) -> None:
    embedder = make_embedder(load_settings(home=tmp_path, embedding=f"sentence-transformers:{tmp_path / 'none'}"))

    with pytest.raises(InvalidSetting, match="cannot load"):
        embedder.embed(["lamp"], is_query=False)
