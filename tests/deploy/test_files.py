"""The files of deploy/ say what the program takes, and let nobody in by default. No container is run here."""

import re
import shutil
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from bookwright.cli.verbs import load
from bookwright.models.settings import Settings, load_secret_files
from tests.places import ROOT

DEPLOY = ROOT / "deploy"
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = ("chroma", "server", "worker")
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))


def environment(service: dict[str, Any]) -> dict[str, str]:
    return dict(service.get("environment", {}))


def secrets(folder: Path) -> dict[str, Path]:
    subprocess.run(["sh", DEPLOY / "make-secrets.sh", folder], check=True)
    return {file.name: file for file in folder.iterdir()}


def options_of(verb: str) -> set[str]:
    return {name for parameter in load(verb).params for name in parameter.opts}


def test_the_one_port_is_on_this_machines_loopback() -> None:
    ports = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}

    assert ports == {"server": ["127.0.0.1:4200:4200"]}
    assert COMPOSE["networks"]["stores"] == {"internal": True}
    assert {name for name, service in SERVICES.items() if "outside" in service["networks"]} == {"server", "worker"}


@pytest.mark.parametrize("name", OURS)
def test_our_containers_have_no_rights_to_spare(name: str) -> None:
    service = SERVICES[name]

    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert re.search(r"^USER 10001", (DEPLOY / "Containerfile").read_text("utf-8"), re.MULTILINE)


def test_passwords_and_keys_are_files_and_never_variables() -> None:
    for name, service in SERVICES.items():
        files = {key for key, value in environment(service).items() if str(value).startswith("/run/secrets/")}
        named = {Path(environment(service)[key]).name for key in files}
        told = {key for key in environment(service) if re.search("PASSWORD|TOKEN|KEY|AUTH_STRING|DATABASE_URL", key)}
        assert told <= files, name
        assert named | set(re.findall(r"/run/secrets/(\w+)", str(service.get("command")))) == set(service["secrets"])


def test_the_program_takes_every_variable_of_the_files(tmp_path: Path) -> None:
    made = secrets(tmp_path / "secrets")
    key = tmp_path / "secrets" / "anthropic"
    key.write_text("sk-test")
    for service in SERVICES.values():
        told = environment(service)
        ours = {name.removesuffix("_FILE") for name in told if name.startswith("BOOKWRIGHT_")}
        assert ours <= {f"BOOKWRIGHT_{name.upper()}" for name in Settings.model_fields}
    told = {
        name: str((made | {"anthropic": key})[Path(value).name])
        for name, value in environment(SERVICES["server"]).items()
        if name.endswith("_FILE")
    }
    load_secret_files(told)
    assert all(told.get(name.removesuffix("_FILE")) for name in list(told))
    assert told["ANTHROPIC_API_KEY"] == "sk-test"


def test_secrets_are_made_once_and_for_their_owner_alone(tmp_path: Path) -> None:
    first = {name: file.read_text() for name, file in secrets(tmp_path / "s").items()}
    again = secrets(tmp_path / "s")

    assert {name: file.read_text() for name, file in again.items()} == first
    assert {stat.S_IMODE(file.stat().st_mode) for file in again.values()} == {0o600}
    assert stat.S_IMODE((tmp_path / "s").stat().st_mode) == 0o700
    assert set(first) | {"anthropic"} == set(COMPOSE["secrets"])
    assert first["postgres_password"] in first["database_url"]
    assert len(set(first.values())) == len(first)


def test_commands_of_the_files_are_verbs_with_their_options() -> None:
    commands = [["bookwright", *SERVICES["server"]["command"]]]
    commands += [re.findall(r"^ExecStart=(.+)$", unit.read_text("utf-8"), re.MULTILINE)[0].split() for unit in UNITS]

    for command in commands:
        assert Path(command[0]).name == "bookwright"
        assert {word for word in command if word.startswith("--")} <= options_of(command[1])
    assert len(commands) == 3


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_units_keep_what_they_make_to_themselves(unit: Path) -> None:
    text = unit.read_text("utf-8")

    assert {"UMask=0077", "StateDirectoryMode=0700", "NoNewPrivileges=yes", "ProtectSystem=strict"} <= set(
        text.split("\n")
    )
    assert "User=bookwright" in text
    assert not re.search(r"^Environment=.*(API_KEY|PASSWORD|TOKEN)=(?!%d)", text, re.MULTILINE)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not here to read its own files")
def test_systemd_finds_nothing_wrong_with_the_units(tmp_path: Path) -> None:
    for file in (DEPLOY / "systemd").iterdir():
        (tmp_path / file.name).write_text(
            file.read_text("utf-8").replace("/opt/bookwright/bin/bookwright", "/bin/true")
        )

    done = subprocess.run(
        ["systemd-analyze", "verify", *sorted(tmp_path.iterdir())], check=False, capture_output=True, text=True
    )

    assert (done.returncode, done.stderr) == (0, "")
