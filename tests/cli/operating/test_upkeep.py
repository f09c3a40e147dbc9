"""`doctor`, `models`, `db upgrade` and `version`."""

import json

import pytest

from bookwright.cli.operating.doctor import CHECKS
from bookwright.failpoints import Failpoint
from bookwright.models.model_name import ROLES
from bookwright.storage.engine import migrate
from bookwright.storage.engine.database import open_database


def findings(outcome):
    return {finding["name"]: (finding["health"], finding["detail"]) for finding in json.loads(outcome.out)}


def test_a_doctor_looks_without_writing(cli, home):
    outcome = cli("doctor", "--json")

    found = findings(outcome)
    assert outcome.code == 0
    assert list(found) == list(CHECKS)
    assert {health for health, _ in found.values()} <= {"ok", "warning"}
    assert found["embedding"] == ("ok", "hashing-1, 1024 dimensions")
    assert not home.exists()


def test_a_doctor_names_what_is_broken(cli, home, monkeypatch):
    monkeypatch.setenv("BOOKWRIGHT_MODEL", "openai:gpt-5.1")
    monkeypatch.setenv("BOOKWRIGHT_EMBEDDING", "nobody")
    monkeypatch.setenv("BOOKWRIGHT_FREE_MEGABYTES", str(10**12))

    outcome = cli("doctor", "--json")

    found = findings(outcome)
    assert outcome.code == 1
    assert [name for name, (health, _) in found.items() if health == "fault"] == ["disk", "embedding", "models"]
    assert "set OPENAI_API_KEY" in found["models"][1]


def test_a_doctor_shows_keys_by_name_only(cli, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")

    for arguments in (("doctor",), ("doctor", "--json"), ("models",), ("models", "--json")):
        outcome = cli(*arguments)
        assert "openai" in outcome.out
        assert "sk-secret" not in outcome.out + outcome.err


def test_a_database_of_a_newer_version_is_refused_everywhere(cli, settings):
    database = open_database(settings)
    migrate.upgrade(database)
    with database.write(Failpoint.EDIT_BOOK) as connection:
        connection.exec_driver_sql("update alembic_version set version_num = '9999'")

    for arguments in (("status",), ("tree", "lamp"), ("db", "upgrade")):
        outcome = cli(*arguments)
        assert (outcome.code, "install a newer bookwright" in outcome.err) == (2, True)
    assert findings(cli("doctor", "--json"))["database"][0] == "fault"


def test_a_file_that_is_no_database_is_named_in_one_line(cli, home):
    home.mkdir()
    (home / "bookwright.db").write_text("not a database, but long enough to be read as one" * 100)

    outcome = cli("status")

    assert outcome.code == 1
    assert outcome.err.startswith("bookwright: the database is damaged (file is not a database)")
    assert "bookwright restore FILE" in outcome.err
    assert outcome.err.count("\n") == 1


def test_models_tells_what_each_role_asks_and_what_it_costs(cli, monkeypatch):
    monkeypatch.setenv("BOOKWRIGHT_MODELS", '{"writer": "anthropic:claude-sonnet-4-5"}')
    monkeypatch.setenv("BOOKWRIGHT_PRICES", '{"anthropic:claude-sonnet-4-5": {"input": 3, "output": 15}}')

    facts = json.loads(cli("models", "--json").out)

    roles = {role["role"]: role for role in facts["roles"]}
    assert tuple(roles) == ROLES
    assert (roles["writer"]["usd_in"], roles["writer"]["usd_out"]) == (3.0, 15.0)
    assert "set ANTHROPIC_API_KEY" in roles["writer"]["problem"]
    assert (roles["planner"]["model"], roles["planner"]["usd_out"]) == ("rehearsal:exact", 0.0)


def test_weights_that_nobody_knows_are_bad_input(cli, home):
    outcome = cli("models", "get", "qwen2.5-7c")

    assert (outcome.code, outcome.out) == (2, "")
    assert "did you mean 'qwen2.5-7b'?" in outcome.err
    assert not home.exists()


def test_the_database_is_made_on_demand(cli, settings):
    assert json.loads(cli("db", "upgrade", "--json").out) == {"revision": migrate.HEAD}
    assert settings.database_path.is_file()


def test_the_version_names_what_a_bug_report_needs(cli):
    assert set(json.loads(cli("version", "--json").out)) == {"bookwright", "python", "sqlite", "database_revision"}


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        ("BOOKWRIGHT_LEASE_SECONDS", "0", "setting 'lease_seconds'"),
        ("BOOKWRIGHT_DATABASE_URL", "mysql://x", "setting 'database_url'"),
        ("BOOKWRIGHT_MODEL", "gpt", "setting 'model'"),
    ],
)
def test_an_impossible_setting_is_bad_input(cli, home, monkeypatch, variable, value, message):
    monkeypatch.setenv(variable, value)

    outcome = cli("status")

    assert outcome.code == 2
    assert outcome.err.startswith(f"bookwright: {message}")
    assert not home.exists()
