"""`doctor`: looks at everything a book needs and says what is wrong and what to do about it."""

from dataclasses import asdict
from functools import partial
from typing import Annotated

import typer

from bookwright.app.doctor import host as doctor_host
from bookwright.app.doctor import models as doctor_models
from bookwright.app.doctor import safety as doctor_safety
from bookwright.app.doctor import stores as doctor_stores
from bookwright.app.doctor.health import Check, Finding, Health
from bookwright.cli.options import AsJson
from bookwright.cli.output import emit, make_console, plain_table
from bookwright.models.settings import Settings, load_settings

_DETAIL = 2


def doctor(
    is_deep: Annotated[bool, typer.Option("--deep", help="Also read the whole database and look for damage.")] = False,
    as_json: AsJson = False,
) -> None:
    """Check the installation, its stores and its models; exit code 1 if something is broken."""
    settings = load_settings()
    checks = CHECKS | {"integrity": partial(doctor_stores.integrity, is_deep=is_deep)}
    findings = [_found(name, check, settings) for name, check in checks.items()]

    def tell() -> None:
        table = plain_table("check", "state", "found")
        table.columns[_DETAIL].no_wrap = False
        for finding in findings:
            table.add_row(finding.name, finding.health.value, finding.detail)
        make_console().print(table)

    emit(lambda: [asdict(finding) for finding in findings], tell, as_json=as_json)
    if any(finding.health is Health.FAULT for finding in findings):
        raise typer.Exit(1)


def _found(name: str, check: Check, settings: Settings) -> Finding:
    try:
        health, detail = check(settings)
    except Exception as error:  # whatever is broken is what a doctor is asked to name
        health, detail = Health.FAULT, f"{type(error).__name__}: {error}"
    return Finding(name, health, " ".join(detail.split()))


CHECKS: dict[str, Check] = {
    "python": doctor_host.python,
    "libraries": doctor_host.libraries,
    "sqlite": doctor_host.sqlite,
    "environment": doctor_host.environment,
    "disk": doctor_host.disk,
    "data folder": doctor_host.folder,
    "privacy": doctor_safety.privacy,
    "file system": doctor_host.file_system,
    "clock": doctor_host.clock,
    "database": doctor_stores.database,
    "integrity": partial(doctor_stores.integrity, is_deep=False),
    "log": doctor_stores.log,
    "leases": doctor_stores.leases,
    "database clock": doctor_stores.database_clock,
    "studio": doctor_stores.studio,
    "chroma": doctor_stores.chroma,
    "embedding": doctor_stores.embedding,
    "models": doctor_models.models,
    "keys": doctor_models.keys,
    "reach": doctor_models.reach,
    "windows": doctor_models.windows,
    "prefect": doctor_safety.prefect,
}
"""Every check by its name, in the order in which it is shown."""
