"""`status` in a narrow terminal: an id stays in one piece, for that is what the other verbs are given."""

from tests.cli.terminal import Terminal
from tests.support.books import make_book

LONG = "the-keeper-who-counted-the-ships-and-lost-abc123"


def test_an_id_stays_in_one_piece_at_80_columns(settings, prefect_forks):
    make_book(settings, "Rain fell.", identity=LONG)
    terminal = Terminal(["status"], {"COLUMNS": "80"}, forks=prefect_forks)
    terminal.left()
    terminal.close()

    [line] = [line for line in terminal.shown.splitlines() if LONG[:20] in line]
    assert line.split()[0] == LONG
    assert len(line) <= 80
