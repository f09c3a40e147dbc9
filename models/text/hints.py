"""How a complaint about a name that nothing has ends: with the name that may have been meant."""

from collections.abc import Callable, Collection, Iterable


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "", shown: Callable[[str], str] = repr) -> str:
    """Return `; did you mean 'chapter'?`, or `otherwise` where no known name is near; `shown` words the one that is."""
    from difflib import get_close_matches  # a start that goes well does without

    near = get_close_matches(name, known, n=1)
    return f"; did you mean {shown(near[0])}?" if near else otherwise


def check_known(names: Iterable[str], known: Collection[str], kind: str) -> None:
    """Raise `ValueError` for the first of some names that is not known, as `'writter' is no role; did you mean ...`."""
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known, f"; {kind}s are {', '.join(known)}")
            raise ValueError(f"{name!r} is no {kind}{hint}")
