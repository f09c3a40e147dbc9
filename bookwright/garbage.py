"""When Python looks for garbage: not while a program starts."""

import gc

_START, _AFTERWARDS = 750_000, 10_000
"""After how many new objects it looks for the first time, and then. A start makes up to 550,000, and most of them stay:
at Python's 700, a sixth of it goes into looking through them."""


def spare_start() -> None:
    """Look for garbage once the program has started, and from then on at what has come since alone."""
    gc.set_threshold(_START)
    gc.callbacks.append(_begin_looking)


def _begin_looking(phase: str, info: dict[str, int]) -> None:
    if phase == "stop":
        gc.callbacks.remove(_begin_looking)
        gc.freeze()
        gc.set_threshold(_AFTERWARDS)
