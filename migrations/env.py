"""Runs migrations on the connection that `storage.migrate` hands over."""

from alembic import context

from bookwright.storage.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
    transaction_per_migration=False,
)
context.run_migrations()
