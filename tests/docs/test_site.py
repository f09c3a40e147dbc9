"""The documentation as a site: it is built without a complaint, every page is in it, and it asks no other host."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from lxml import html

from tests.places import ROOT

LOADING = dict.fromkeys(("script", "img", "iframe", "source", "video", "audio"), "src") | {"link": "href"}
"""What a page has loaded without being asked to. Links that a reader follows are none."""


def loads(page: Path) -> list[str]:
    """What a page loads."""
    found = html.document_fromstring(page.read_bytes()).iter(*LOADING)
    return [element.get(LOADING[element.tag]) or "" for element in found if element.get("rel") != "canonical"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder], cwd=ROOT, check=False,
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
def test_every_page_is_in_the_site(site: Path) -> None:
    sources = {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")}
    built = {str(page.relative_to(site)) for page in site.rglob("*.html")}

    expected = {re.sub(r"(^|/)README\.md$", r"\1index.md", name).removesuffix(".md") + ".html" for name in sources}
    assert expected | {"404.html"} == built


@pytest.mark.slow
def test_no_page_loads_anything_from_another_host(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))

    found = [address for page in pages for address in loads(page)]
    assert len(found) > len(pages)
    assert [address for address in found if re.match(r"(https?:)?//", address)] == []
    sheets = [sheet.read_text("utf-8") for sheet in site.rglob("*.css")]
    assert [found for sheet in sheets for found in re.findall(r"url\(['\"]?((?:https?:)?//[^)]+)", sheet)] == []
    assert [page for page in pages if 'class="mermaid"' in page.read_text("utf-8")] == []  # the theme would load it


def test_each_reader_has_a_way() -> None:
    nav = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["nav"]

    ways = {name: pages for entry in nav if isinstance(entry, dict) for name, pages in entry.items()}
    assert list(ways) == ["Authors", "中文", "Studios", "Developers"]
    assert all(len(pages) >= 3 for pages in ways.values())
