"""Watching a book of a Postgres server, which goes away and comes back."""

from itertools import count

import pytest
from sqlalchemy.exc import DBAPIError

from bookwright.cli.watch.watcher import ScreenWish, Watcher
from bookwright.failpoints import Failpoint
from bookwright.storage.monitoring import open_read_only
from tests.cli.shelf import a_book
from tests.support.books import make_settings

pytestmark = pytest.mark.postgres


def test_a_server_that_goes_away_is_told_and_its_book_seen_again_when_it_is_back(postgres, postgres_template, tmp_path):
    settings = make_settings(tmp_path, database_url=postgres.url(postgres.new_database(postgres_template)))
    book = a_book(settings)
    watcher = Watcher(settings, clock=count(0, 10).__next__)

    before = watcher.look(ScreenWish())
    postgres.stop()
    away = watcher.look(ScreenWish())
    postgres.start()
    back = watcher.look(ScreenWish())
    watcher.close()

    assert [row.line.label for row in before.book.rows] == ["1", "1.1", "1.2", "1.3"]
    assert 0 < before.book.worked_seconds < 60
    assert before.source == "there is no event file here: only the journal can be seen"
    assert "cannot be reached" in away.trouble
    assert away.book == before.book
    assert back.trouble == ""
    with (
        pytest.raises(DBAPIError, match="read-only"),
        open_read_only(settings).write(Failpoint.EDIT_BOOK) as connection,
    ):
        connection.exec_driver_sql("UPDATE books SET title = 'x'")
    book.database.dispose()
