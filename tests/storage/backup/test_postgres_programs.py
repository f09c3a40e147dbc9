"""Postgres's own programs, as backups and restores run them."""

from pathlib import Path

import psycopg
import pytest

from bookwright.models.errors import StorageError
from bookwright.models.settings import load_settings
from bookwright.storage.backup.backup import back_up, restore
from bookwright.storage.backup.postgres import Tools, find_tools
from bookwright.storage.engine import migrate
from bookwright.storage.engine.database import open_database


def test_the_password_of_the_database_is_on_no_command_line():
    command = Tools(Path("/bin"), 16).command("psql", "postgresql+psycopg://ann:s3cret@db/books?sslmode=require")

    assert command == ["/bin/psql", "--dbname", "postgresql://ann@db/books?sslmode=require"]


@pytest.mark.postgres
def test_a_restore_that_the_server_refuses_leaves_no_pipe_open(postgres):
    with pytest.raises(StorageError, match="psql failed"), find_tools(1).psql(postgres.url()) as session:
        session.write(b"no statement;\n" * 100_000)

    assert session.closed  # else Python warns of it on the terminal


@pytest.mark.postgres
def test_a_restore_that_is_interrupted_leaves_no_pipe_open(postgres):
    with pytest.raises(KeyboardInterrupt), find_tools(1).psql(postgres.url()) as session:
        raise KeyboardInterrupt

    assert session.closed


@pytest.mark.postgres
@pytest.mark.parametrize("granted", ["", "SELECT"])
def test_a_restore_as_a_user_without_rights_says_what_to_do(tmp_path, postgres, granted):
    settings = load_settings(home=tmp_path, database_url=postgres.url(postgres.new_database()))
    database = open_database(settings)
    migrate.upgrade(database)
    database.dispose()
    made = back_up(settings, tmp_path / "kept.zip")
    role = f"reader_{granted.lower()}"
    with psycopg.connect(settings.database_url, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {role} LOGIN")
        if granted:
            connection.execute(f"GRANT {granted} ON ALL TABLES IN SCHEMA public TO {role}")
    reader = load_settings(home=tmp_path, database_url=settings.database_url.replace("postgres@", f"{role}@"))

    with pytest.raises(StorageError, match=r"names may not do that .*permission denied for .*; let the owner"):
        restore(reader, made.path)
