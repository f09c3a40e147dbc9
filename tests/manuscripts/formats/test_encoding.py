"""The encoding of a text is told from its letters, said to be a guess where it is one, and never wrong in silence."""

import pytest

from bookwright.manuscripts.formats.encoding import decode
from bookwright.models.errors import InvalidInput

CHINESE = "他走进房间，看见她坐在窗边。“你怎么来了？”她问。外面下着雨，街上没有人。"
TAIWANESE = "他走進房間，看見她坐在窗邊。「你怎麼來了？」她問。外面下著雨，街上沒有人。"
JAPANESE = "彼は部屋に入って、窓のそばに座っている彼女を見た。「どうして来たの」と彼女は訊いた。"
KOREAN = "그는 방에 들어가 창가에 앉아 있는 그녀를 보았다. “왜 왔어?” 그녀가 물었다."
ENGLISH = "He said “well” — and left the café’s door open…"


@pytest.mark.parametrize("times", [1, 50])
@pytest.mark.parametrize(
    ("text", "codec", "name"),
    [
        (CHINESE, "gb18030", "GB18030"), (TAIWANESE, "gb18030", "GB18030"), (TAIWANESE, "big5", "Big5"),
        (JAPANESE, "shift_jis", "Shift-JIS"), (JAPANESE, "euc_jp", "EUC-JP"), (KOREAN, "cp949", "EUC-KR (CP949)"),
        (KOREAN, "euc_kr", "EUC-KR (CP949)"), (ENGLISH, "cp1252", "Windows-1252"), (CHINESE, "utf-8", "UTF-8"),
        (JAPANESE, "utf-8-sig", "UTF-8"), (KOREAN, "utf-16", "UTF-16"), (ENGLISH, "utf-16-be", "UTF-16"),
        (CHINESE, "utf-16-le", "UTF-16"), (ENGLISH, "utf-32", "UTF-32"),
    ],
)  # fmt: skip
def test_a_text_is_read_in_its_own_encoding(text: str, codec: str, name: str, times: int):
    whole = f"{text}\n" * times

    found = decode(whole.encode(codec))

    assert (found.text, found.encoding) == (whole, name)


def test_utf_16_without_a_mark_is_said_to_be_a_guess():
    assert "byte order" in decode(f"{ENGLISH}\n".encode("utf-16-le")).doubt


def test_letters_that_nobody_writes_are_said_to_be_doubtful():
    rare = "".join(chr(0x4E00 + 37 * place) for place in range(200))

    found = decode(f"{rare}{'，的' * 8}\n".encode("gb18030"))

    assert found.doubt


def test_the_author_decides():
    assert decode(CHINESE.encode("gb18030"), "gb18030").text == CHINESE


@pytest.mark.parametrize(
    ("content", "encoding", "complaint"),
    [
        (b"\x00\x01\x02 picture", "", "null bytes"),
        (bytes(range(128, 256)) * 3, "", "cannot be told"),
        (CHINESE.encode("gb18030"), "utf-8", "cannot be read"),
        (b"text", "klingon", "which is none"),
        (b"text", "hex", "which is none|no encoding of texts"),
        (b"\xff\xfea", "", "says that it is UTF-16"),
    ],
)
def test_what_cannot_be_read_is_refused(content: bytes, encoding: str, complaint: str):
    with pytest.raises(InvalidInput, match=complaint):
        decode(content, encoding)
