"""What `doctor` finds, one check at a time."""

import json
import os
import signal
import socket
from pathlib import Path

import pytest
from sqlalchemy import text

from bookwright.app.doctor.health import Health
from bookwright.app.doctor.host import judge
from bookwright.failpoints import Failpoint
from bookwright.models.errors import InvalidSetting
from bookwright.storage.engine.sqlite import readers
from bookwright.storage.files.file_system import mount_of, require_local
from bookwright.storage.tables import books

MOUNTS = """\
/dev/vda / ext4 rw 0 0
tmpfs /tmp tmpfs rw 0 0
host:/books /srv/my\\040books nfs4 rw 0 0
"""


@pytest.fixture
def found(cli):
    """Run `doctor` and return a finding by its name."""

    def look(name, *options):
        findings = {each["name"]: each for each in json.loads(cli("doctor", "--json", *options).out)}
        return findings[name]["health"], findings[name]["detail"]

    return look


def change(storage, **values):
    with storage.database.write(Failpoint.EDIT_BOOK) as connection:
        connection.execute(books.update().values(values))


def test_a_variable_that_means_nothing_is_named_with_the_nearest_one(found, monkeypatch):
    monkeypatch.setenv("BOOKWRIGHT_MODELL", "secret-value")
    monkeypatch.setenv("BOOKRIGHT_CHROMA_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("BOOKWRIGHT_MODELS__WRITER", "rehearsal:exact")

    health, detail = found("environment")

    assert health == "warning"
    assert "BOOKWRIGHT_MODELL means nothing; did you mean BOOKWRIGHT_MODEL?" in detail
    assert "BOOKRIGHT_CHROMA_URL means nothing; did you mean BOOKWRIGHT_CHROMA_URL?" in detail
    assert "WRITER" not in detail
    assert "secret-value" not in detail


def test_the_mount_of_a_path_is_the_innermost_one():
    assert mount_of(Path("/home/books/bookwright.db"), MOUNTS).kind == "ext4"
    assert mount_of(Path("/tmp/books"), MOUNTS).kind == "tmpfs"
    assert mount_of(Path("/srv/my books/bookwright.db"), MOUNTS).point == "/srv/my books"
    assert mount_of(Path("/srv/my"), "") is None


def test_sqlite_on_a_network_is_refused():
    require_local(Path("/home/bookwright.db"), MOUNTS)

    with pytest.raises(InvalidSetting, match="nfs4 at /srv/my books"):
        require_local(Path("/srv/my books/bookwright.db"), MOUNTS)


@pytest.mark.parametrize(
    ("kind", "is_sqlite", "health"),
    [
        ("ext4", True, Health.OK), ("nfs4", True, Health.FAULT), ("nfs4", False, Health.OK),
        ("fuse.sshfs", True, Health.FAULT), ("9p", True, Health.WARNING), ("tmpfs", True, Health.WARNING),
    ],
)  # fmt: skip
def test_a_file_system_is_judged_by_what_sqlite_needs(kind, is_sqlite, health):
    assert judge(kind, f"{kind} at /", is_sqlite=is_sqlite)[0] is health


def test_a_reader_that_holds_the_log_back_is_a_warning(found, book):
    with book.database.read() as reader:
        reader.execute(text("select count(*) from texts")).scalar_one()
        for number in range(20):
            change(book, reason=f"reason {number}" * 5_000)

        health, detail = found("log")

    assert health == "warning"
    assert "holds back" in detail
    assert found("log")[0] == "ok"


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="the kernel tells of locks on Linux only")
def test_a_reader_in_another_process_is_named(book, settings):
    pipe_in, pipe_out = os.pipe()
    pid = os.fork()
    if pid == 0:
        book.database.engine.dispose(close=False)
        with book.database.read() as connection:
            connection.execute(text("select count(*) from texts")).scalar_one()
            os.write(pipe_out, b"1")
            signal.pause()
        os._exit(0)
    os.read(pipe_in, 1)

    found = readers(settings.database_path)

    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    assert [line.split(" (")[0] for line in found] == [f"process {pid}"]


def test_a_lease_of_a_dead_process_is_named(found, book):
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    change(book, lease_owner=f"process {pid} on {socket.gethostname()}", lease_expires=4e9)

    health, detail = found("leases")

    assert health == "warning"
    assert f"lamp: process {pid} on" in detail
    assert "has died" in detail
    assert "bookwright resume lamp" in detail


def test_a_living_worker_is_no_warning(found, book):
    change(book, lease_owner=f"process {os.getpid()} on {socket.gethostname()}", lease_expires=4e9)

    health, detail = found("leases")

    assert (health, "lamp by process" in detail) == ("ok", True)


def test_damage_is_found_when_all_is_read(found, book, settings):
    book.database.dispose()
    assert found("integrity", "--deep") == ("ok", "every page and index is whole")
    assert "--deep" in found("integrity")[1]

    spoil(settings.database_path)

    health, detail = found("integrity", "--deep")
    assert health == "fault"
    assert "bookwright restore FILE" in detail


def spoil(path):
    """Overwrite every page of a database but the first two."""
    data = bytearray(path.read_bytes())
    for start in range(2 * 8192, len(data), 8192):
        data[start : start + 64] = b"\xff" * 64
    path.write_bytes(data)


def test_a_model_server_that_does_not_answer_is_a_fault(found, monkeypatch):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    monkeypatch.setenv("BOOKWRIGHT_MODEL", "compatible:some")
    monkeypatch.setenv("BOOKWRIGHT_LLM_BASE_URL", f"http://127.0.0.1:{port}/v1")

    health, detail = found("reach")

    assert health == "fault"
    assert f"127.0.0.1:{port}" in detail


def test_a_studio_cap_that_is_used_up_is_a_warning(found, book, monkeypatch):
    monkeypatch.setenv("BOOKWRIGHT_STUDIO_USD", "0.01")

    health, detail = found("studio")

    assert (health, detail.startswith("used up: $0.0135 of ")) == ("warning", True)


def test_the_libraries_are_named_with_their_versions(found):
    health, detail = found("libraries")

    assert health == "ok"
    assert all(name in detail for name in ("prefect", "chromadb", "sqlalchemy", "xllamacpp"))
