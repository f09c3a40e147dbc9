"""The name that may have been meant."""

from bookwright.models.text.hints import did_you_mean


def test_the_nearest_name_is_told_or_what_there_is() -> None:
    assert did_you_mean("chpter", ["chapter", "scene"], "; there are two") == "; did you mean 'chapter'?"
    assert did_you_mean("chpter", ["chapter"], shown=str.upper) == "; did you mean CHAPTER?"
    assert did_you_mean("xyzzy", ["chapter"], "; there are two") == "; there are two"
    assert did_you_mean("xyzzy", []) == ""
