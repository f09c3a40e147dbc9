"""Who is let in: each check alone keeps out what it is for."""

import pytest
from starlette.testclient import TestClient

from bookwright.storage.stores import BookStorage
from bookwright.studio.guard import MOST_BYTES, StudioKeys

WRITE = "/books/lamp/archive"


def test_the_printed_address_opens_once(stranger: TestClient, keys: StudioKeys) -> None:
    address = keys.address.removeprefix(keys.origin)

    first = stranger.get(address)
    stranger.cookies.clear()
    second = stranger.get(address)

    assert (first.status_code, first.headers["location"]) == (303, "/")
    assert (second.status_code, "set-cookie" in second.headers) == (401, False)


def test_the_cookie_is_named_after_the_port_and_kept_from_scripts(stranger: TestClient, keys: StudioKeys) -> None:
    cookie = stranger.get(keys.address.removeprefix(keys.origin)).headers["set-cookie"].lower()

    assert cookie.startswith(f"bookwright_{keys.port}=")
    assert "httponly" in cookie
    assert "samesite=strict" in cookie


@pytest.mark.parametrize("path", ["/", "/shelf", "/live", "/static/studio.css", "/books/lamp"])
def test_nobody_unknown_sees_anything(stranger: TestClient, path: str) -> None:
    assert stranger.get(path).status_code == 401


def test_a_wrong_token_opens_nothing_and_uses_nothing_up(stranger: TestClient, keys: StudioKeys) -> None:
    assert stranger.get("/enter?token=guess").status_code == 401
    assert stranger.get(keys.address.removeprefix(keys.origin)).status_code == 303


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:80", "localhost:8321", "evil.example", "127.0.0.1:83210"])
def test_another_name_or_port_is_misdirected(page: TestClient, host: str) -> None:
    assert page.get("/", headers={"host": host}).status_code == 421


@pytest.mark.parametrize(
    "wrong",
    [
        {"origin": "http://127.0.0.1:9999"},
        {"origin": "null"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "cross-site"},
        {"x-studio-token": "guess"},
        {"x-studio-token": ""},
    ],
)
def test_a_write_needs_origin_site_and_token(page: TestClient, book: BookStorage, wrong: dict[str, str]) -> None:
    assert page.post(WRITE, headers=wrong).status_code == 403
    assert page.post(WRITE).status_code == 200


def test_a_page_from_before_a_restart_is_told_to_be_loaded_anew(page: TestClient, book: BookStorage) -> None:
    late = page.post(WRITE, headers={"x-studio-token": "of the studio before"})

    assert late.status_code == 403
    assert '<div class="note trouble"><p>The studio was started again since: load this page anew.' in late.text


def test_a_write_without_an_origin_is_refused(page: TestClient, book: BookStorage) -> None:
    del page.headers["origin"]

    assert page.post(WRITE).status_code == 403


def test_a_write_without_the_cookie_is_refused(page: TestClient, book: BookStorage) -> None:
    page.cookies.clear()

    assert page.post(WRITE).status_code == 401


def test_a_body_is_bounded(page: TestClient, book: BookStorage) -> None:
    assert page.post(WRITE, content=b"a=" + b"x" * MOST_BYTES).status_code == 413


def test_a_page_elsewhere_loads_nothing_but_may_link_here(page: TestClient) -> None:
    foreign = {"sec-fetch-site": "same-site"}

    assert page.get("/", headers=foreign | {"sec-fetch-dest": "image"}).status_code == 403
    assert page.get("/", headers=foreign | {"sec-fetch-dest": "document"}).status_code == 200


def test_every_answer_says_what_pages_may_do(page: TestClient) -> None:
    for path in ("/", "/static/studio.js", "/nowhere", "/books/nobody"):
        headers = page.get(path).headers

        assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'; style-src 'self'")
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cross-origin-resource-policy"] == "same-origin"
    assert page.get("/").headers["cache-control"] == "no-store"
