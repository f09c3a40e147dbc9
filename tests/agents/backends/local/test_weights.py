"""Fetching weights from a hub that breaks off, lies or is not there."""

import hashlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from bookwright.agents.backends.local import weights
from bookwright.agents.backends.local.weights import WeightFile, Weights, fetch
from bookwright.models.errors import BackendError, BackendUnavailable, RequestRejected, UnknownModel
from bookwright.models.settings import Settings, load_settings

CONTENT = bytes(range(256)) * 2_000
CUT = 300_000


class Hub:
    """Serves one file; can break off, forget ranges or answer with a status."""

    def __init__(self) -> None:
        self.content = CONTENT
        self.cuts: list[int] = []
        """After how many bytes each of the first answers breaks off."""
        self.knows_ranges = True
        self.statuses: list[int] = []
        """Sent in place of the first answers."""
        self.ranges: list[str] = []
        """What each request asked for; empty for all of it."""
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                hub.answer(self)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        self.ranges.append(request.headers.get("Range", ""))
        if self.statuses:
            request.send_error(self.statuses.pop(0))
            return
        start = int(self.ranges[-1].removeprefix("bytes=").rstrip("-") or 0) if self.knows_ranges else 0
        body = self.content[start:]
        request.send_response(206 if start else 200)
        request.send_header("Content-Length", str(len(body)))
        if start:
            request.send_header("Content-Range", f"bytes {start}-{len(self.content) - 1}/{len(self.content)}")
        request.end_headers()
        request.wfile.write(body[: self.cuts.pop(0)] if self.cuts else body)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def hub() -> Iterator[Hub]:
    served = Hub()
    yield served
    served.close()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings(home=tmp_path)


def small_model(*names: str, content: bytes = CONTENT) -> Weights:
    sha256 = hashlib.sha256(content).hexdigest()
    files = tuple(WeightFile(name, len(content), sha256) for name in names or ("tiny.gguf",))
    return Weights("tiny", "owner/tiny", "Apache-2.0", files)


def heard(done: int, total: int) -> None:
    """Watches nothing."""


def test_a_whole_download_is_checked_and_put_in_place(hub: Hub, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []

    path = fetch(small_model(), tmp_path, lambda done, total: told.append((done, total)), hub.url)

    assert path == tmp_path / "tiny.gguf"
    assert path.read_bytes() == CONTENT
    assert not (tmp_path / "tiny.gguf.part").exists()
    assert told[-1] == (len(CONTENT), len(CONTENT))


def test_a_download_that_breaks_off_goes_on_from_there(hub: Hub, tmp_path: Path) -> None:
    hub.cuts = [CUT, 100_000]

    path = fetch(small_model(), tmp_path, heard, hub.url)

    assert path.read_bytes() == CONTENT
    assert hub.ranges == ["", f"bytes={CUT}-", f"bytes={CUT + 100_000}-"]


def test_a_part_of_an_earlier_run_is_not_fetched_again(hub: Hub, tmp_path: Path) -> None:
    (tmp_path / "tiny.gguf.part").write_bytes(CONTENT[:CUT])

    path = fetch(small_model(), tmp_path, heard, hub.url)

    assert path.read_bytes() == CONTENT
    assert hub.ranges == [f"bytes={CUT}-"]


def test_a_hub_without_ranges_is_read_from_the_start(hub: Hub, tmp_path: Path) -> None:
    hub.knows_ranges = False
    (tmp_path / "tiny.gguf.part").write_bytes(b"x" * CUT)

    path = fetch(small_model(), tmp_path, heard, hub.url)

    assert path.read_bytes() == CONTENT


def test_other_bytes_than_the_pinned_ones_are_thrown_away(hub: Hub, tmp_path: Path) -> None:
    hub.content = CONTENT[:-1] + b"?"

    with pytest.raises(BackendError, match=r"is not tiny\.gguf as it was pinned"):
        fetch(small_model(), tmp_path, heard, hub.url)

    assert list(tmp_path.iterdir()) == []


def test_a_longer_file_than_the_pinned_one_is_not_read_to_its_end(hub: Hub, tmp_path: Path) -> None:
    told: list[int] = []
    hub.content = CONTENT * 20

    with pytest.raises(BackendError, match="pinned"):
        fetch(small_model(), tmp_path, lambda done, total: told.append(done), hub.url)

    assert told[-1] < len(CONTENT) * 5


def test_a_spoiled_part_costs_one_more_download_only(hub: Hub, tmp_path: Path) -> None:
    (tmp_path / "tiny.gguf.part").write_bytes(b"x" * CUT)

    with pytest.raises(BackendError, match="pinned"):
        fetch(small_model(), tmp_path, heard, hub.url)
    path = fetch(small_model(), tmp_path, heard, hub.url)

    assert path.read_bytes() == CONTENT


def test_a_model_that_is_here_is_not_asked_for(hub: Hub, tmp_path: Path) -> None:
    fetch(small_model(), tmp_path, heard, hub.url)

    fetch(small_model(), tmp_path, heard, hub.url)

    assert len(hub.ranges) == 1


def test_a_model_in_parts_is_fetched_whole(hub: Hub, tmp_path: Path) -> None:
    path = fetch(small_model("tiny-1-of-2.gguf", "tiny-2-of-2.gguf"), tmp_path, heard, hub.url)

    assert path.name == "tiny-1-of-2.gguf"
    assert (tmp_path / "tiny-2-of-2.gguf").read_bytes() == CONTENT


def test_a_file_that_is_gone_is_not_asked_for_twice(hub: Hub, tmp_path: Path) -> None:
    hub.statuses = [404]

    with pytest.raises(RequestRejected, match="answered 404"):
        fetch(small_model(), tmp_path, heard, hub.url)

    assert len(hub.ranges) == 1


def test_an_outage_that_passes_is_waited_out(hub: Hub, tmp_path: Path) -> None:
    hub.statuses = [503, 500]

    path = fetch(small_model(), tmp_path, heard, hub.url)

    assert path.read_bytes() == CONTENT


def test_without_a_network_the_part_is_kept_and_the_message_says_so(hub: Hub, tmp_path: Path) -> None:
    hub.close()
    part = tmp_path / "tiny.gguf.part"
    part.write_bytes(CONTENT[:CUT])

    with pytest.raises(BackendUnavailable, match=r"cannot be reached .* the same command goes on") as caught:
        fetch(small_model(), tmp_path, heard, hub.url)

    assert caught.value.kind == "connection"
    assert part.stat().st_size == CUT


def test_an_unknown_name_lists_what_there_is(settings: Settings) -> None:
    with pytest.raises(UnknownModel, match=r"did you mean 'qwen2.5-1.5b'.*qwen2.5-7b \(4.7 GB\)"):
        weights.get("qwen2.5-1,5b", settings)


def test_every_model_of_the_catalogue_is_pinned() -> None:
    files = [file for model in weights.CATALOGUE.values() for file in model.files]

    assert all(len(bytes.fromhex(file.sha256)) == 32 and file.size > 10**8 for file in files)
    assert len({file.sha256 for file in files}) == len(files)


def test_weights_that_were_not_fetched_are_asked_of_the_author(settings: Settings) -> None:
    with pytest.raises(UnknownModel, match=r"bookwright models get qwen2.5-1.5b"):
        weights.locate("qwen2.5-1.5b", settings)


def test_fetched_weights_are_found_by_their_name(settings: Settings) -> None:
    path = settings.home / "models" / "qwen2.5-1.5b-instruct-q4_k_m.gguf"
    path.parent.mkdir()
    path.write_bytes(b"GGUF")

    assert weights.locate("qwen2.5-1.5b", settings) == path
    assert weights.locate(str(path), settings) == path


def test_a_path_to_nothing_is_refused(settings: Settings) -> None:
    with pytest.raises(UnknownModel, match=r"no model file is at 'nowhere\.gguf'"):
        weights.locate("nowhere.gguf", settings)


def test_a_stamp_vouches_for_the_same_file_only(tmp_path: Path) -> None:
    path, file = tmp_path / "tiny.gguf", small_model().files[0]
    path.write_bytes(CONTENT)
    stamps = tmp_path / "stamps"

    assert weights.is_genuine(path, file, stamps)
    assert (stamps / "tiny.gguf.checked").read_text().startswith(file.sha256)

    path.write_bytes(b"?" * len(CONTENT))

    assert not weights.is_genuine(path, file, stamps)
