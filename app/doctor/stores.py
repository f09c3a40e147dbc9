"""What `doctor` looks at where books are kept: the database, its log, its leases, the index."""

import importlib.metadata

from bookwright.app.doctor.health import Health, first_of
from bookwright.app.status.books import studio_words
from bookwright.models.settings import Settings
from bookwright.models.wording import duration
from bookwright.storage.engine import migrate
from bookwright.storage.engine.condition import clock_ahead, faults, log_of, server_version, stuck_sessions
from bookwright.storage.engine.database import database_file, opened_database
from bookwright.storage.lease import Holder, holders, is_dead
from bookwright.storage.repositories.books import BookRepository

_BIG_LOG = 256 * 2**20
_SKEW_SECONDS = 2.0
_NOT_MADE = (Health.OK, "there is none yet")


def database(settings: Settings) -> tuple[Health, str]:
    """The database: whether it answers, and its revision."""
    file = database_file(settings)
    if file is not None and not file.exists():
        return Health.OK, f"{file} is made with the first book"
    with opened_database(settings) as opened, opened.read() as connection:
        revision = migrate.current_revision(connection)
        where = str(file) if file else f"postgresql {server_version(connection)}"
    if revision == migrate.HEAD:
        return Health.OK, f"{where} at revision {revision}"
    if revision is None or revision < migrate.HEAD:
        return Health.WARNING, f"{where} at revision {revision}; `bookwright db upgrade` brings it to {migrate.HEAD}"
    return Health.FAULT, f"{where} at revision {revision}, newer than this version ({migrate.HEAD}) knows"


def integrity(settings: Settings, *, is_deep: bool) -> tuple[Health, str]:
    """Whether the database's file is whole; `is_deep` reads all of it, which takes as long as reading it does."""
    file = database_file(settings)
    if file is None:
        return Health.OK, "Postgres checks its own pages and log; `pg_amcheck` looks deeper"
    if not file.exists():
        return _NOT_MADE
    if not is_deep:
        return Health.OK, "not looked at; `bookwright doctor --deep` does"
    with opened_database(settings) as opened:
        found = faults(opened, is_deep=True)
    remedy = ["keep a copy of the file; `bookwright restore FILE` puts a backup in its place"] if found else []
    return first_of([*found, *remedy], [], "every page and index is whole")


def log(settings: Settings) -> tuple[Health, str]:
    """SQLite's log and who keeps it from shrinking; for Postgres, sessions that are stuck in a transaction."""
    file = database_file(settings)
    if file is not None and not file.exists():
        return _NOT_MADE
    with opened_database(settings) as opened:
        if file is None:
            with opened.read() as connection:
                return first_of([], stuck_sessions(connection), "no session is stuck in a transaction")
        found = log_of(opened, settings)
    if not found.is_used:
        return Health.FAULT, "SQLite cannot keep its log on this file system; set BOOKWRIGHT_HOME to a local disk"
    size = f"{found.bytes / 2**20:,.1f} MB"
    warnings = []
    if found.waiting:
        who = " and ".join(found.readers) or "a reader"
        warnings.append(f"{who} holds back {found.waiting:,} pages of the log ({size}); let it end, or end it")
    elif found.bytes > _BIG_LOG:
        warnings.append(f"the log has {size}; it is cut when the next book is opened and closed")
    return first_of([], warnings, f"{size}, nobody holds it back")


def leases(settings: Settings) -> tuple[Health, str]:
    """Who writes books, and which books were not released by a worker that has died."""
    file = database_file(settings)
    if file is not None and not file.exists():
        return _NOT_MADE
    with opened_database(settings) as opened, opened.read() as connection:
        if migrate.current_revision(connection) is None:
            return Health.OK, "no book was begun"
        found, count = holders(connection), len(BookRepository(connection).all(with_archived=True))
    warnings = [_unreleased(holder) for holder in found if not holder.is_alive]
    living = [f"{holder.book} by {holder.owner}" for holder in found if holder.is_alive]
    return first_of([], warnings, f"{count:,} books, {'; '.join(living) or 'none is being written'}")


def database_clock(settings: Settings) -> tuple[Health, str]:
    """How far the database's clock is from this host's; leases are judged by the database's alone."""
    if database_file(settings) is not None:
        return Health.OK, "SQLite takes this host's"
    with opened_database(settings) as opened, opened.read() as connection:
        connection.exec_driver_sql("SELECT 1")  # so that what it takes to connect is not counted
        ahead = clock_ahead(connection)
    if abs(ahead) <= _SKEW_SECONDS:
        return Health.OK, f"{ahead:+.1f} s"
    return Health.WARNING, (
        f"the server's clock is {ahead:+,.0f} s off this host's; leases keep to the server's, "
        "times that are shown differ"
    )


def chroma(settings: Settings) -> tuple[Health, str]:
    """The index: the server answers, or which folders were not closed in order."""
    version = importlib.metadata.version("chromadb")
    if settings.chroma_url:
        from bookwright.storage.index.vector_index import server_client

        server_client(settings.chroma_url, settings.chroma_token.get_secret_value()).heartbeat()
        return Health.OK, f"{version}, server at {settings.chroma_url} answers"
    folders = [folder for folder in (settings.home / "index").glob("*") if folder.is_dir()]
    unsealed = [folder.name for folder in folders if not (folder / "seal.json").exists()]
    found = f"{version}, embedded, {len(folders)} of the books have a folder"
    if unsealed:  # one that is open has no seal either
        found += f"; open, or built again when the book is next written: {', '.join(unsealed)}"
    return Health.OK, found


def embedding(settings: Settings) -> tuple[Health, str]:
    """Whether texts can be embedded, by embedding one."""
    from bookwright.storage.index.embedding import make_embedder  # numpy, which no other verb here needs

    embedder = make_embedder(settings)
    vectors = embedder.embed(["a lighthouse"], is_query=True)
    return Health.OK, f"{embedder.name}, {vectors.shape[1]} dimensions"


def studio(settings: Settings) -> tuple[Health, str]:
    """The cap over all books, and where it stands."""
    from bookwright.storage.studio import Studio

    cap, file = settings.studio_cap, database_file(settings)
    if not cap.is_set:
        return Health.OK, "no cap over all books is set"
    if file is not None and not file.exists():
        return Health.OK, "nothing of it is spent"
    with opened_database(settings) as opened, opened.read() as connection:
        standing = Studio(connection).standing()
    left, found = cap.less(standing.total), studio_words(standing, cap)
    is_used_up = any(rest is not None and rest <= 0 for rest in (left.cost, left.tokens))
    return (Health.WARNING, f"used up: {found}") if is_used_up else (Health.OK, found)


def _unreleased(holder: Holder) -> str:
    went = "has died" if is_dead(holder.owner) else "was not heard of in time"
    waits = f"free in {duration(holder.seconds_left)}" if holder.seconds_left > 0 else "free to be gone on with"
    return f"{holder.book}: {holder.owner} {went} and did not release it; {waits} (`bookwright resume {holder.book}`)"
