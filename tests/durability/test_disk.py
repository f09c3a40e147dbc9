"""A full disk: a small one of memory, and a limit on the size of files, under the database, the index and exports.

Source: facts/durability-performance, sections 4 and 5.3.
"""

import os
import resource
import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from bookwright.exports.files import FORMATS, export
from bookwright.models.book import BookState
from bookwright.models.document import DocumentKind
from bookwright.models.errors import UnwritableFolder
from bookwright.storage.index.passages import Passage, StoredVector
from bookwright.storage.index.vector_index import ChromaIndex, IndexDamaged
from tests.durability.children import calls_in, finished_text, in_child, provider, wait_for_calls
from tests.durability.command import (
    RESUME,
    WRITE,
    bookwright,
    environment,
    settings_of,
    the_book,
)
from tests.support.books import make_book, make_settings

MEGABYTES = 48
KB = 1_024


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of `MEGABYTES`."""
    folder = tmp_path / "disk"
    folder.mkdir()
    try:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={MEGABYTES}m", "tmpfs", folder], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"a disk of its own cannot be mounted here: {error}")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The book as it is where there is room."""
    folder = tmp_path_factory.mktemp("undisturbed")
    with provider(folder / "ledger.jsonl") as url:
        variables = environment(folder / "home", url)
        assert bookwright(variables, *WRITE, output=folder / "output").wait() == 0
    return finished_text(settings_of(variables))[1]


def fill(folder: Path, left_megabytes: int = 0) -> Path:
    """Fill a disk but for so much; what is returned gives the room back when it is removed."""
    ballast = folder / "ballast"
    kept = left_megabytes * KB**2
    with ballast.open("wb") as file:
        while (size := shutil.disk_usage(folder).free - kept) > 0:
            with suppress(OSError):  # the book grows at the same time
                os.posix_fallocate(file.fileno(), os.fstat(file.fileno()).st_size, size)
    return ballast


def repeats(ledger: Path) -> int:
    return sum(count - 1 for count in Counter(str(call["prompt_hash"]) for call in calls_in(ledger)).values())


@pytest.mark.soak
def test_nothing_is_paid_without_room_for_it(tmp_path: Path, disk: Path, undisturbed: str) -> None:
    ledger, output = tmp_path / "ledger.jsonl", tmp_path / "output"
    with provider(ledger) as url:
        variables = environment(disk / "home", url, free_megabytes=20)
        settings = settings_of(variables)
        command = bookwright(variables, *WRITE, output=output)
        wait_for_calls(ledger, 3)
        ballast = fill(disk, left_megabytes=10)

        assert command.wait() == 4, command.said
        book = the_book(settings)
        assert (book.state, book.calls) == (BookState.PAUSED, len(calls_in(ledger)))
        assert "MB are free where the book is kept" in book.reason
        assert book.advice == f"make room, and `bookwright resume {book.id}` goes on"

        ballast.unlink()
        assert bookwright(variables, *RESUME, output=output).wait() == 0
    assert repeats(ledger) == 0
    assert finished_text(settings)[1] == undisturbed


def _until_nothing_is_paid(ledger: Path) -> int:
    """Wait until no call has ended for three seconds, which is many calls' time; how many had."""
    paid = -1
    while paid != len(calls_in(ledger)):
        paid = len(calls_in(ledger))
        time.sleep(3)
    return paid


@pytest.mark.slow
def test_a_paid_reply_waits_in_memory_for_room(tmp_path: Path, disk: Path, undisturbed: str) -> None:
    ledger, output = tmp_path / "ledger.jsonl", tmp_path / "output"
    with provider(ledger, "--piece-seconds", "0.004") as url:
        variables = environment(disk / "home", url)
        settings = settings_of(variables)
        command = bookwright(variables, *WRITE, output=output)
        wait_for_calls(ledger, 3)
        time.sleep(0.2)  # a call is in flight
        ballast = fill(disk)
        paid = _until_nothing_is_paid(ledger)

        ballast.unlink()

        assert command.wait() == 0, command.said
    assert paid < len(calls_in(ledger))
    assert repeats(ledger) == 0
    assert finished_text(settings)[1] == undisturbed


@pytest.mark.slow
@pytest.mark.parametrize(
    "kilobytes",
    [400, pytest.param(range(16, 1_616, 32), marks=pytest.mark.soak)],
    ids=["once", "everywhere"],
)
def test_a_book_that_may_not_grow_rests_and_goes_on_where_it_may(
    tmp_path: Path, undisturbed: str, kilobytes: int | range
) -> None:
    for number, limit in enumerate([kilobytes] if isinstance(kilobytes, int) else kilobytes):
        folder = tmp_path / str(number)
        folder.mkdir()
        ledger, output = folder / "ledger.jsonl", folder / "output"
        with provider(ledger) as url:
            variables = environment(folder / "home", url, record_seconds=0.6)
            grow = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (limit * KB, limit * KB))
            command = bookwright(variables, *WRITE, output=output, first=grow)

            code = command.wait()
            assert code in (0, 1, 4), command.said
            if code:
                assert "make room and try again" in command.said
            if code == 4:
                book = the_book(settings_of(variables))
                assert len(calls_in(ledger)) - book.calls <= 1
            again = bookwright(variables, *WRITE, output=output)
            assert again.wait() == 0, again.said
        assert repeats(ledger) <= 1  # the reply that was lost with its process
        assert finished_text(settings_of(variables))[1] == undisturbed


@pytest.mark.parametrize("name", FORMATS)
def test_an_export_on_a_full_disk_leaves_the_old_file_whole(tmp_path: Path, disk: Path, name: str) -> None:
    settings = make_settings(tmp_path)
    long = "\n\n".join(f"She counted ship {number} and wrote it down." for number in range(20_000))
    storage = make_book(settings, [{"level": "chapter", "title": "The Log", "text": long}])
    path = disk / f"lamp.{name}"
    path.write_text("The old one.")
    fill(disk)

    with pytest.raises(UnwritableFolder, match="No space left on device"):
        export(storage, name, path)

    assert path.read_text() == "The old one."
    assert sorted(file.name for file in disk.iterdir()) == ["ballast", path.name]


@pytest.mark.soak
def test_an_index_without_room_is_told_as_damage_and_built_again_once_there_is_some(disk: Path) -> None:
    settings = make_settings(disk / "home")
    (disk / "home").mkdir()
    vectors = np.random.default_rng(1).normal(size=(2_000, 384)).astype(np.float32)
    items = [_stored(row, vector) for row, vector in enumerate(vectors / np.linalg.norm(vectors, axis=1)[:, None], 1)]

    def without_room() -> None:
        index = ChromaIndex("lamp", "hashing", settings)
        index.add(items[:300])
        fill(disk)
        with pytest.raises(IndexDamaged):
            index.add(items[300:])
        index.close()

    _, status = os.waitpid(in_child(without_room), 0)  # native code: it may end its process
    (disk / "ballast").unlink()
    index = ChromaIndex("lamp", "hashing", settings)
    index.drop()
    index.add(items)

    assert status == 0
    assert index.count() == len(items)
    assert index.finds(items[:50])
    index.close()


def _stored(row: int, vector: np.ndarray) -> StoredVector:
    passage = Passage(
        text="", document=row, chunk=0, kind=DocumentKind.DESIGN, node=1, label="1", level="book", task_type="design",
        title="", goal="",
    )  # fmt: skip
    return StoredVector(row=row, passage=passage, vector=vector)
