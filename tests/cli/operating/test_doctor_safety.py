"""What `doctor` finds that lets others command the worker or read along."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import prefect.settings
import pytest
from prefect.settings import temporary_settings

from bookwright.app.doctor.safety import reached_at
from bookwright.flows.prefect.server import announced, free_port

OPEN, GUARDED = 200, 401


@contextmanager
def answering(status: int) -> Iterator[str]:
    """A server whose API answers everything so."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status if self.path.endswith("/admin/version") else OPEN)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/api"
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def found(cli):
    """Run `doctor` and return a finding by its name."""

    def look(name):
        findings = {each["name"]: each for each in json.loads(cli("doctor", "--json").out)}
        return findings[name]["health"], findings[name]["detail"]

    return look


def test_a_server_that_asks_for_no_login_is_a_fault(found):
    with answering(OPEN) as url, temporary_settings({prefect.settings.PREFECT_API_URL: url}):
        health, detail = found("prefect")

    assert health == "fault"
    assert f"the Prefect server at {url} asks for no login" in detail
    assert "start `bookwright server`" in detail


def test_a_server_of_this_data_folder_is_looked_at_too(found, settings, home):
    with (
        answering(OPEN) as url,
        announced(settings, url),
        temporary_settings(restore_defaults={prefect.settings.PREFECT_API_URL}),
    ):
        health, detail = found("prefect")

    assert health == "fault"
    assert url in detail


def test_a_server_that_asks_for_a_login_is_well(found):
    with answering(GUARDED) as url, temporary_settings({prefect.settings.PREFECT_API_URL: url}):
        health, detail = found("prefect")

    assert (health, detail.endswith(f"server at {url}")) == ("ok", True)


def test_one_that_does_not_answer_is_a_warning(found):
    url = f"http://127.0.0.1:{free_port()}/api"

    with temporary_settings({prefect.settings.PREFECT_API_URL: url}):
        health, detail = found("prefect")

    assert (health, detail) == ("warning", f"the server at {url} does not answer")


def test_an_address_that_other_machines_reach_is_a_warning(found):
    with temporary_settings(
        {prefect.settings.PREFECT_SERVER_API_HOST: "0.0.0.0"}, restore_defaults={prefect.settings.PREFECT_API_URL}
    ):
        health, detail = found("prefect")

    assert health == "warning"
    assert "PREFECT_SERVER_API_HOST is 0.0.0.0: a server started with it can be reached from other machines" in detail


def test_a_port_is_tried_at_the_machines_own_address():
    with answering(OPEN) as url:
        port = int(url.removesuffix("/api").rpartition(":")[2])

        assert reached_at("127.0.0.2", port) == []
        assert reached_at(None, port) == []
    # 127.0.0.1 under another name: what listens everywhere answers at every address.
    with answering(OPEN) as url:
        port = int(url.removesuffix("/api").rpartition(":")[2])

        assert reached_at("127.1", port) == [f"the Prefect server can be reached from other machines, at 127.1:{port}"]


def test_files_that_others_can_read_are_named_with_the_way_to_close_them(found, book, home, monkeypatch, tmp_path):
    vaults = tmp_path / "vaults"
    vaults.mkdir(mode=0o755)
    (vaults / "lamp.md").write_text("Rain.")
    (vaults / "lamp.md").chmod(0o644)
    closed = found("privacy")
    monkeypatch.setenv("BOOKWRIGHT_VAULTS", str(vaults))

    health, detail = found("privacy")

    assert closed == ("ok", "nobody else can read the data folder")
    assert health == "warning"
    assert detail == f"others can read {vaults / 'lamp.md'}; `chmod -R go= {vaults}` keeps them out"


def test_a_file_of_keys_that_others_can_read_is_named(found, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    keys = tmp_path / ".env"
    keys.write_text("GLM_API_KEY=secret\n")
    keys.chmod(0o644)
    health, detail = found("privacy")
    keys.chmod(0o600)

    assert health == "warning"
    assert f"others can read {keys}" in detail
    assert "secret" not in detail
    assert found("privacy")[0] == "ok"
