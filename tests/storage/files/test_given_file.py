"""Files that a person names: read up to a size, as UTF-8, or refused in one line."""

import io
from pathlib import Path

import pytest

from bookwright.models.errors import InvalidBrief, InvalidInput
from bookwright.storage.files.given_file import read_bytes, read_text


def test_a_text_comes_without_its_byte_order_mark(tmp_path):
    file = tmp_path / "lamp.txt"
    file.write_bytes("﻿The lamp.".encode())

    assert read_text(file, "text") == "The lamp."


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (None, "the sample .*lamp.txt' cannot be read: No such file"),
        (b"x" * 9, "has more than 8 bytes"),
        (b"\xff", "is not UTF-8 text; save it as UTF-8 first"),
    ],
)
def test_what_cannot_be_read_is_refused_as_its_reader_says(tmp_path, content, complaint):
    file = tmp_path / "lamp.txt"
    if content is not None:
        file.write_bytes(content)

    with pytest.raises(InvalidBrief, match=complaint):
        read_text(file, "sample", 8, InvalidBrief)


def test_a_stream_stands_for_the_file():
    assert read_bytes(Path("-"), "text", 8, stream=io.BytesIO(b"The lamp")) == b"The lamp"
    with pytest.raises(InvalidInput, match="the text '-' has more than 8 bytes"):
        read_bytes(Path("-"), "text", 8, stream=io.BytesIO(b"The lamps"))
