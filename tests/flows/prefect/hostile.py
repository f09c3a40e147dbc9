"""Those who would command somebody else's worker: pages of foreign origins, a name that is rebound, a local process."""

import json
import queue
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from tests.support.browser import browsing

OTHER_PORT, OTHER_HOST, REBOUND = "other port", "other host", "rebound name"
PATIENCE_SECONDS = 120
_PAGE = (Path(__file__).parent / "hostile_page.html").read_text("utf-8")


@dataclass
class Hostile:
    """A web server whose pages attack Prefect's, and the resolver that a victim's browser believes.

    It is also the browser's proxy, so that any name leads to it; `rebound.test` led here for the page and
    leads to Prefect's server from then on, which is what rebinding a name comes to.
    """

    api: str
    deployment: str
    port: int = 0
    said: "queue.Queue[dict[str, dict[str, object]]]" = field(default_factory=queue.Queue)

    @property
    def _rebound(self) -> str:
        return f"rebound.test:{urlsplit(self.api).port}"

    def attack(self, profile: Path) -> dict[str, dict[str, object]]:
        """Let a browser visit the three pages one after the other; return what their scripts saw."""
        start, answers = f"http://127.0.0.1:{self.port}/page", {}
        with browsing(start, profile, f"--proxy-server=http://127.0.0.1:{self.port}"):
            while len(answers) < 3:
                answers.update(self.said.get(timeout=PATIENCE_SECONDS))
        return answers

    def page(self, host: str) -> str:
        """The page as it is served under a name."""
        label, base, then = {
            "127.0.0.1": (OTHER_PORT, self.api, f"http://evil.test:{self.port}/page"),
            "evil.test": (OTHER_HOST, self.api, f"http://{self._rebound}/page"),
            "rebound.test": (REBOUND, f"http://{self._rebound}/api", ""),
        }[host]
        filled = {"base": base, "deployment": self.deployment, "label": label, "next": then}
        page = _PAGE
        for name, value in filled.items():
            page = page.replace(f'"{{{name}}}"', json.dumps(value))
        return page


@contextmanager
def hostile_server(api: str, deployment: str) -> Iterator[Hostile]:
    hostile = Hostile(api, deployment)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer()

        do_POST = do_OPTIONS = do_GET

        def log_message(self, format: str, *args: object) -> None:
            pass

        def _answer(self) -> None:
            asked = urlsplit(self.path)
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            host = asked.hostname or "127.0.0.1"
            if asked.path == "/page":
                self._send(200, {"Content-Type": "text/html"}, hostile.page(host).encode())
            elif asked.path == "/said":
                hostile.said.put(json.loads(body))
                self._send(200, {}, b"")
            elif host == "rebound.test":
                self._pass_on(asked.path + (f"?{asked.query}" if asked.query else ""), body)
            else:
                self._send(404, {}, b"")

        def _pass_on(self, path: str, body: bytes) -> None:
            url = hostile.api.removesuffix("/api") + path
            headers = [(name, value) for name, value in self.headers.items() if not name.startswith("Proxy-")]
            answer = httpx.request(self.command, url, headers=headers, content=body, timeout=60, verify=False)
            self._send(answer.status_code, {"Content-Type": answer.headers.get("content-type", "")}, answer.content)

        def _send(self, status: int, headers: dict[str, str], body: bytes) -> None:
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    hostile.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield hostile
    finally:
        server.shutdown()
        server.server_close()


def local_process(api: str, deployment: str, name: str, login: str = "", **run: object) -> int:
    """Do what any program of this machine can: fetch a token, make a run; return the status of that."""
    user, _, password = login.partition(":")
    with httpx.Client(base_url=api, timeout=60, verify=False, auth=(user, password) if login else None) as client:
        token = client.get("/csrf-token", params={"client": "me"})
        known = token.json().get("token", "") if token.is_success else ""
        headers = {"Prefect-Csrf-Token": known, "Prefect-Csrf-Client": "me"} if known else {}
        body = {"name": name, "parameters": {"book": "nobody"}, **run}
        for _ in range(20):  # a server whose SQLite another connection has locked says 503: come again
            answer = client.post(f"/deployments/{deployment}/create_flow_run", json=body, headers=headers)
            if answer.status_code != httpx.codes.SERVICE_UNAVAILABLE:
                break
            time.sleep(0.1)
        return answer.status_code
