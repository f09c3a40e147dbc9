"""`doctor`: looks at everything a book needs and says what is wrong and what to do about it."""

import importlib.metadata
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

import typer

from bookwright.agents.backends import catalogue
from bookwright.cli.access import database_file
from bookwright.cli.models import problem_of, provider_state
from bookwright.cli.options import AsJson
from bookwright.cli.output import make_console, plain_table, print_json
from bookwright.models.model_name import ROLES
from bookwright.models.settings import Settings, load_settings
from bookwright.storage import migrate
from bookwright.storage.database import SAFE_SQLITE, open_database, sqlite_driver


class Health(StrEnum):
    """How a check ended."""

    OK = "ok"
    WARNING = "warning"
    FAULT = "fault"


@dataclass(frozen=True)
class Finding:
    """What one check found."""

    name: str
    health: Health
    detail: str


def doctor(as_json: AsJson = False) -> None:
    """Check the installation, its stores and its models; exit code 1 if something is broken."""
    settings = load_settings()
    findings = [_found(name, check, settings) for name, check in CHECKS.items()]
    if as_json:
        print_json([asdict(finding) for finding in findings])
    else:
        table = plain_table("check", "state", "found")
        table.columns[2].no_wrap = False
        for finding in findings:
            table.add_row(finding.name, finding.health.value, finding.detail)
        make_console().print(table)
    if any(finding.health is Health.FAULT for finding in findings):
        raise typer.Exit(1)


def _found(name: str, check: "Check", settings: Settings) -> Finding:
    try:
        health, detail = check(settings)
    except Exception as error:  # whatever is broken is what a doctor is asked to name
        health, detail = Health.FAULT, f"{type(error).__name__}: {error}"
    return Finding(name, health, " ".join(detail.split()))


Check = Callable[[Settings], tuple[Health, str]]


def _python(settings: Settings) -> tuple[Health, str]:
    version = ".".join(map(str, sys.version_info[:3]))
    return (Health.OK, version) if sys.version_info >= (3, 11) else (Health.FAULT, f"{version}; 3.11 is needed")


def _sqlite(settings: Settings) -> tuple[Health, str]:
    driver = sqlite_driver()
    version = tuple(map(int, driver.sqlite_version.split(".")))
    found = f"{driver.sqlite_version} by {driver.__name__}"
    if version >= SAFE_SQLITE:
        return Health.OK, found
    safe = ".".join(map(str, SAFE_SQLITE))
    return Health.WARNING, f"{found}: two writers can damage a database before {safe}; install the package pysqlite3"


def _disk(settings: Settings) -> tuple[Health, str]:
    free = shutil.disk_usage(_nearest(settings.home)).free // 2**20
    found = f"{free:,} MB free in {settings.home}"
    if free < settings.free_megabytes:
        return Health.FAULT, f"{found}; {settings.free_megabytes} are needed"
    return Health.OK, found


def _folder(settings: Settings) -> tuple[Health, str]:
    nearest = _nearest(settings.home)
    if not nearest.is_dir() or not os.access(nearest, os.W_OK):
        return Health.FAULT, f"{settings.home} cannot be written to; set BOOKWRIGHT_HOME"
    return Health.OK, f"{settings.home}" + ("" if settings.home.exists() else " (not made yet)")


def _database(settings: Settings) -> tuple[Health, str]:
    file = database_file(settings)
    if file is not None and not file.exists():
        return Health.OK, f"{file} is made with the first book"
    database = open_database(settings)
    try:
        with database.read() as connection:
            revision = migrate.current_revision(connection)
    finally:
        database.dispose()
    where = str(file) if file else "postgresql"
    if revision == migrate.HEAD:
        return Health.OK, f"{where} at revision {revision}"
    if revision is None or revision < migrate.HEAD:
        return Health.WARNING, f"{where} at revision {revision}; `bookwright db upgrade` brings it to {migrate.HEAD}"
    return Health.FAULT, f"{where} at revision {revision}, newer than this version ({migrate.HEAD}) knows"


def _chroma(settings: Settings) -> tuple[Health, str]:
    import chromadb  # over a second, and only this check needs it here

    version = importlib.metadata.version("chromadb")
    if not settings.chroma_url:
        return Health.OK, f"{version}, embedded, one folder for each book"
    client = chromadb.HttpClient(settings.chroma_url)
    client.heartbeat()
    return Health.OK, f"{version}, server at {settings.chroma_url} answers"


def _embedding(settings: Settings) -> tuple[Health, str]:
    from bookwright.storage.embedding import make_embedder  # numpy, which no other verb here needs

    embedder = make_embedder(settings)
    vectors = embedder.embed(["a lighthouse"], is_query=True)
    return Health.OK, f"{embedder.name}, {vectors.shape[1]} dimensions"


def _models(settings: Settings) -> tuple[Health, str]:
    names = dict.fromkeys(settings.models.get(role) or settings.model for role in ROLES)
    problems = [problem for name in names if (problem := problem_of(name, settings))]
    return (Health.FAULT, "; ".join(problems)) if problems else (Health.OK, ", ".join(names))


def _keys(settings: Settings) -> tuple[Health, str]:
    states = [provider_state(provider, settings) for provider in catalogue.PROVIDERS.values()]
    present = [state.provider for state in states if state.has_key]
    return Health.OK, ", ".join(present) or "none set; models of your own machine need none"


def _prefect(settings: Settings) -> tuple[Health, str]:
    address = os.environ.get("PREFECT_API_URL", "")
    where = f"server at {address}" if address else "in process (PREFECT_API_URL is not set)"
    return Health.OK, f"{importlib.metadata.version('prefect')}, {where}"


CHECKS: dict[str, Check] = {
    "python": _python,
    "sqlite": _sqlite,
    "disk": _disk,
    "data folder": _folder,
    "database": _database,
    "chroma": _chroma,
    "embedding": _embedding,
    "models": _models,
    "keys": _keys,
    "prefect": _prefect,
}
"""Every check by its name, in the order in which it is shown."""


def _nearest(folder: Path) -> Path:
    """Return the folder itself or what exists above it."""
    return next(path for path in (folder, *folder.absolute().parents) if path.exists())
