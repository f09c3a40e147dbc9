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
from bookwright.cli.output import at_work, emit, print_facts, print_table
from bookwright.models.settings import Settings, load_settings


def doctor(
    is_deep: Annotated[bool, typer.Option("--deep", help="Also read the whole database and look for damage.")] = False,
    asked: Annotated[
        str | None, typer.Option("--ask", metavar="MODEL", help="Ask a model two tiny questions, which are paid.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check the installation, its stores and its models; exit code 1 if something is broken."""
    settings = load_settings()
    if asked:
        _ask(asked, settings, as_json)
        return
    checks = CHECKS | {"integrity": partial(doctor_stores.integrity, is_deep=is_deep)}
    findings = [_found(name, check, settings) for name, check in checks.items()]
    rows = [(finding.name, finding.health.value, finding.detail) for finding in findings]
    emit(
        lambda: [asdict(finding) for finding in findings],
        lambda: print_table(("check", "state", "found"), rows, folds=("found",)),
        as_json=as_json,
    )
    if any(finding.health is Health.FAULT for finding in findings):
        raise typer.Exit(1)


def _ask(model: str, settings: Settings, as_json: bool) -> None:
    """Show what a model can do, and what asking it cost."""
    with at_work(f"asking {model}"):
        trial = doctor_models.try_model(model, settings)
    emit(lambda: trial.facts(), lambda: _show_trial(trial), as_json=as_json)
    if not trial.is_usable:
        raise typer.Exit(1)


def _show_trial(trial: doctor_models.ModelTrial) -> None:
    cost = "unknown" if trial.cost_micros is None else f"${trial.cost_micros / 1_000_000:.6f}"
    facts = [(own.name, f"{'yes' if own.is_there else 'no'}, {own.detail}") for own in trial.abilities]
    facts += [
        ("window", f"{trial.window:,} tokens ({trial.window_source})"),
        ("price", _price_text(trial)),
        ("this cost", f"{cost}, {trial.calls} calls, {trial.input_tokens + trial.output_tokens:,} tokens"),
    ]
    print_facts(facts + ([("problem", trial.problem)] if trial.problem else []))


def _price_text(trial: doctor_models.ModelTrial) -> str:
    if trial.usd_in is None or trial.usd_out is None:
        return f'unknown; config.toml can say it under [prices."{trial.model}"]'
    return f"${trial.usd_in:,.2f} for a million tokens in, ${trial.usd_out:,.2f} out"


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
