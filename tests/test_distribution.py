"""The program as it is installed: built, put into an environment of its own, run where there is no checkout."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from tests.reference import schemas

ROOT = Path(__file__).parent.parent
ALONG = (
    "py.typed", "__init__.pyi", "examples/lighthouse.toml",
    "prompts/story/base.md.j2", "prompts/locales/zh/story/base.md.j2",
    "blueprints/mystery/blueprint.toml", "exports/report/report.html.j2", "studio/static/studio.css",
    "studio/static/vendor/editor.js", "studio/templates/base.html.j2", "studio/texts/zh.toml", "cli/watch/watch.tcss",
    "agents/blueprints/wording.toml", "exports/vault/readme.toml",
    "migrations/env.py", "agents/relay/figures/stock_phrases/zh.txt", "agents/backends/rehearsal/lexicons/en.toml",
)  # fmt: skip
"""What is no module and has to be in the package all the same: one of each kind."""
NOT_PACKED = (".mako", ".pyc", "node_modules", "package.json", ".mjs", "editor-source")

pytestmark = [pytest.mark.slow, pytest.mark.index]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source archive, and the wheel that is made of that."""
    from build import ProjectBuilder, env  # here, since a folder `build` beside the tests changes where this belongs

    folder = tmp_path_factory.mktemp("dist")
    with env.DefaultIsolatedEnv() as alone:  # one for both, where `python -m build` makes two alike
        checkout = ProjectBuilder.from_isolated_env(alone, ROOT)
        alone.install(checkout.build_system_requires)
        shutil.unpack_archive(checkout.build("sdist", folder), folder / "unpacked")
        (unpacked,) = (folder / "unpacked").iterdir()
        ProjectBuilder.from_isolated_env(alone, unpacked).build("wheel", folder)
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    return next(built.glob("*.whl"))


class Installed:
    """The program in an environment of its own, with a data folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "elsewhere"
        self.folder.mkdir()
        venv.create(folder / "env", with_pip=False)
        self.python = folder / "env/bin/python"
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": str(folder), "BOOKWRIGHT_HOME": str(folder / "data"),
            "BOOKWRIGHT_FREE_MEGABYTES": "0",
        }  # fmt: skip

    def install(self, *what: str) -> None:
        pip = [sys.executable, "-m", "pip", "--python", str(self.python), "install", "--quiet", *what]
        subprocess.run(pip, check=True, env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"})

    def run(self, *arguments: str, **environment: str) -> str:
        done = subprocess.run(
            [str(self.python.parent / "bookwright"), *arguments], cwd=self.folder, capture_output=True, text=True,
            check=False, env=self.environment | environment,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-2_000:]
        return done.stdout


@pytest.fixture
def installed(wheel: Path, tmp_path: Path) -> Installed:
    """The wheel beside the libraries of these tests, so that nothing of the checkout is in reach."""
    alone = Installed(tmp_path)
    alone.install("--no-deps", "--no-compile", str(wheel))  # what is imported is compiled then
    packages = next((tmp_path / "env/lib").glob("python*/site-packages"))
    borrowed = {sysconfig.get_path("purelib"), *(path for path in sys.path if path.endswith("site-packages"))}
    (packages / "libraries.pth").write_text("\n".join(sorted(borrowed)))
    return alone


def test_the_wheel_holds_what_the_program_reads_and_no_more(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()

    assert [name for name in ALONG if f"bookwright/{name}" not in names] == []
    assert [name for name in names if name.endswith(NOT_PACKED)] == []
    assert {name.partition("/")[0] for name in names if ".dist-info" not in name} == {"bookwright"}


def test_the_source_archive_holds_what_the_wheel_is_made_of(built: Path, wheel: Path) -> None:
    archive = next(built.glob("*.tar.gz"))
    with tarfile.open(archive) as held:
        sources = {name.partition("/")[2] for name in held.getnames()}

    packed = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info" not in name}

    assert packed <= sources


def test_a_book_is_written_where_there_is_no_checkout(installed: Installed) -> None:
    rehearsed = {"BOOKWRIGHT_MODEL": "rehearsal:exact", "BOOKWRIGHT_EMBEDDING": "hashing"}

    found = json.loads(installed.run("write", "--example", "lighthouse", "--no-prefect", "--json", **rehearsed))
    files = installed.run("examples", "mine").split("\n")

    assert found["title"] == "The Wet Coat"
    assert all(Path(file).is_relative_to(installed.folder.parent) for file in found["files"])
    installed.run("export", found["book"], "--to", "html", "--output", "page.html")
    assert "The Wet Coat</h1>" in (installed.folder / "page.html").read_text("utf-8")
    assert (installed.folder / "mine/night-watch.txt").is_file()
    assert len(list(filter(None, files))) == 4


@pytest.mark.soak
@pytest.mark.embedded
def test_an_empty_environment_writes_the_example_with_the_built_in_model(wheel: Path, tmp_path: Path) -> None:
    alone = Installed(tmp_path)
    alone.install(str(wheel), "pip")

    assert "not here yet" in alone.run("models")
    fetched = json.loads(alone.run("models", "get", "smollm2", "--json"))
    assert schemas.faults(schemas.kept()["models-get"], fetched) == []
    found = json.loads(alone.run("write", "--example", "lighthouse", "--json"))

    assert Path(fetched["file"]).is_relative_to(tmp_path / "data/models")
    assert 765 <= found["written"] <= 1_035
    assert found["cost_micros"] == 0
