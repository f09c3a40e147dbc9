"""Alembic migrations, one revision for each change of the schema."""
