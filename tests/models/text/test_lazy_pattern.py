"""Patterns that wait to be used."""

import re

import pytest

from bookwright.models.text.language import lazy_pattern


def test_it_is_called_as_a_compiled_pattern_is() -> None:
    word = lazy_pattern("[a-z]+", re.IGNORECASE)

    assert word.findall("Rain fell.") == ["Rain", "fell"]
    assert word.sub("x", "Rain fell.") == "x x."
    assert word.pattern == "[a-z]+"


def test_it_is_compiled_when_it_is_first_used() -> None:
    broken = lazy_pattern("(")

    with pytest.raises(re.error):
        broken.search("")
