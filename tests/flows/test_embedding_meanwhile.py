"""A walk has what its steps wrote embedded while the next model call is waited for."""

import logging
from contextlib import suppress
from pathlib import Path

import pytest
from sqlalchemy import func, select

from bench.parts import NULL_BOOK, EnoughAsked, NullAsker, held_book, make_settings
from bookwright.flows.walk import write_unit
from bookwright.storage.tables import vectors

_CALLS = 60
_FIRST = 10
"""Texts of the book's first document, which is taken in at once."""


def test_what_a_walk_embeds_is_embedded_while_a_model_is_asked(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "bookwright.storage.index.following")
    settings = make_settings(tmp_path, "rehearsal:exact")

    with suppress(EnoughAsked), held_book(settings, NullAsker(_CALLS), with_context=True, **NULL_BOOK) as deps:
        with deps.stores() as stores:
            root = stores.nodes.root()
        try:
            write_unit(root, deps)
        finally:
            with deps.stores() as stores:
                stored = stores.connection.execute(select(func.count()).select_from(vectors)).scalar_one()

    ahead = sum(record.args[0] for record in caplog.records if isinstance(record.args, tuple))
    assert stored == 90
    assert ahead == stored - _FIRST
