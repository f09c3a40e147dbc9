"""Postgres' dialect, the same for all engines on servers alike: what was compiled for one of them serves the others."""

from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg


class CommonPostgres(PGDialect_psycopg):
    """One that equals any other of its kind by what its server has told of itself."""

    supports_statement_cache = True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CommonPostgres) and self._told() == other._told()

    def __hash__(self) -> int:
        return hash(CommonPostgres)

    def _told(self) -> tuple[object, ...]:
        """What a compiled statement may depend on; nothing before the first connection."""
        return self.server_version_info, self._backslash_escapes
