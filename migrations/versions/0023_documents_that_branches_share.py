"""which document of its origin one of a branch stands for; an index of what is current in the codex alone"""

import sqlalchemy as sa
from alembic import op

revision = '0023'
down_revision = '0022'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('documents', sa.Column('shared', sa.BigInteger().with_variant(sa.Integer(), 'sqlite')))
    is_shared = sa.text('shared IS NOT NULL')
    op.create_index(
        'ix_documents_shared', 'documents', ['shared'], sqlite_where=is_shared, postgresql_where=is_shared
    )
    op.drop_index('ix_codex_current', table_name='codex')
    op.create_index(
        'ix_codex_current', 'codex', ['book', 'kind', 'slug'],
        sqlite_where=sa.text('is_current IS 1'), postgresql_where=sa.text('is_current IS true'),
    )


def downgrade() -> None:
    op.drop_index('ix_codex_current', table_name='codex')
    op.create_index('ix_codex_current', 'codex', ['book', 'kind', 'is_current', 'slug'])
    op.drop_index('ix_documents_shared', table_name='documents')
    op.drop_column('documents', 'shared')
