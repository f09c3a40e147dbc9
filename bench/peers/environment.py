"""The environment that the peers are installed into, made on first use under `build/`."""

import subprocess
import venv
from pathlib import Path

_WANTED = Path(__file__).parent / "requirements.txt"
_FOLDER = Path(__file__).parents[2] / "build" / "peers"


class PeersMissing(RuntimeError):
    """The peers could not be installed; the bench runs without them."""


def peers_python() -> str:
    """Return the interpreter that has the peers, and install them if it has not.

    Raises:
        PeersMissing: pip failed; its words are on standard error.
    """
    python, installed = _FOLDER / "bin" / "python", _FOLDER / "installed.txt"
    wanted = _WANTED.read_text()
    if installed.exists() and installed.read_text() == wanted:
        return str(python)
    try:
        venv.create(_FOLDER, clear=True, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--requirement", _WANTED], check=True)
    except (subprocess.CalledProcessError, OSError) as error:
        raise PeersMissing("the peers could not be installed (pip says why above)") from error
    installed.write_text(wanted)
    return str(python)
