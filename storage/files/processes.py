"""Whether a process of this machine still runs."""

import os


def lives(process: int) -> bool:
    """True if it runs, and where that cannot be asked."""
    if os.name != "posix":
        return True  # elsewhere signal 0 is no mere question
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
