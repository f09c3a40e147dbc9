"""The guard before Prefect's server: own name, own pages, and what no browser sends."""

import asyncio
from typing import Any

import pytest
from starlette.types import Receive, Scope, Send

from bookwright.flows.prefect.guard import PageGuard

HOST = "127.0.0.1:4200"
OK, FOREIGN_PAGE, FOREIGN_NAME = 200, 403, 421


async def prefect(scope: Scope, receive: Receive, send: Send) -> None:
    """An app that takes everything."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        return
    await send({"type": "http.response.start", "status": OK, "headers": []})
    await send({"type": "http.response.body", "body": b""})


def answered(method: str = "POST", kind: str = "http", **headers: str) -> list[dict[str, Any]]:
    """What goes out for a request with these headers."""
    named = {"host": HOST} | {name.replace("_", "-"): value for name, value in headers.items()}
    raw = [(name.encode(), value.encode()) for name, value in named.items()]
    scope = {"type": kind, "method": method, "path": "/api/flow_runs/", "headers": raw}
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request"}

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(PageGuard(prefect, {HOST})(scope, receive, send))
    return sent


def status(method: str = "POST", **headers: str) -> int:
    return int(answered(method, **headers)[0]["status"])


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.0.0.1:4201", "localhost:4200", "evil.test:4200", "0.0.0.0:4200", "", "127.0.0.1:4200.evil"],
)
def test_another_name_is_not_answered(host: str) -> None:
    assert status("GET", host=host) == FOREIGN_NAME


@pytest.mark.parametrize("origin", ["null", "http://127.0.0.1:4201", "http://localhost:4200", "http://evil.test", ""])
def test_a_page_of_another_origin_is_not_heard(origin: str) -> None:
    assert status("POST", origin=origin) == FOREIGN_PAGE
    assert status("GET", origin=origin) == FOREIGN_PAGE


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_foreign_page_may_be_followed_from_but_not_frame_fetch_or_post(site: str) -> None:
    assert status("GET", sec_fetch_site=site, sec_fetch_dest="document") == OK
    assert status("GET", sec_fetch_site=site, sec_fetch_dest="iframe") == FOREIGN_PAGE
    assert status("GET", sec_fetch_site=site, sec_fetch_dest="empty") == FOREIGN_PAGE
    assert status("GET", sec_fetch_site=site, sec_fetch_dest="image") == FOREIGN_PAGE
    assert status("POST", sec_fetch_site=site, sec_fetch_dest="document") == FOREIGN_PAGE


def test_a_page_may_load_nothing_from_elsewhere_nor_be_framed() -> None:
    headers = dict(answered("GET")[0]["headers"])

    assert b"default-src 'self'" in headers[b"content-security-policy"]
    assert b"frame-ancestors 'none'" in headers[b"content-security-policy"]


def test_its_own_pages_and_programs_are_heard() -> None:
    assert status("POST", origin=f"http://{HOST}", sec_fetch_site="same-origin") == OK
    assert status("GET", sec_fetch_site="none", sec_fetch_dest="document") == OK
    assert status("POST") == OK


def test_a_socket_of_a_foreign_page_is_closed_before_it_opens() -> None:
    assert answered(kind="websocket", origin="http://evil.test")[0]["type"] == "websocket.close"
    assert answered(kind="websocket", host="evil.test:4200")[0]["type"] == "websocket.close"
    assert answered(kind="websocket", origin=f"http://{HOST}")[0]["type"] == "websocket.accept"
    assert answered(kind="websocket")[0]["type"] == "websocket.accept"
