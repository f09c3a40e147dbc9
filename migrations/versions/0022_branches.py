"""branches of books, what they read of their origins, and what takes merges back"""

import sqlalchemy as sa
from alembic import op

revision = '0022'
down_revision = '0021'
branch_labels = None
depends_on = None


def upgrade() -> None:
    key = sa.BigInteger().with_variant(sa.Integer(), 'sqlite')
    op.create_table('branches',
    sa.Column('book', sa.Text(), nullable=False),
    sa.Column('origin', sa.Text(), nullable=False),
    sa.Column('name', sa.Text(), nullable=False),
    sa.Column('at', sa.Text(), server_default='', nullable=False),
    sa.Column('nodes', key, nullable=False),
    sa.Column('documents', key, nullable=False),
    sa.Column('origin_nodes', key, nullable=False),
    sa.Column('origin_documents', key, nullable=False),
    sa.Column('forked_at', sa.Float(), nullable=False),
    sa.ForeignKeyConstraint(['book'], ['books.id'], name=op.f('fk_branches_book'), ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['origin'], ['books.id'], name=op.f('fk_branches_origin')),
    sa.PrimaryKeyConstraint('book', name=op.f('pk_branches')),
    sa.UniqueConstraint('origin', 'name', name=op.f('uq_branches_origin_name'))
    )
    op.create_table('lineages',
    sa.Column('book', sa.Text(), nullable=False),
    sa.Column('ancestor', sa.Text(), nullable=False),
    sa.Column('steps', key, nullable=False),
    sa.ForeignKeyConstraint(['book'], ['books.id'], name=op.f('fk_lineages_book'), ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['ancestor'], ['books.id'], name=op.f('fk_lineages_ancestor')),
    sa.PrimaryKeyConstraint('book', 'ancestor', name=op.f('pk_lineages')),
    sqlite_with_rowid=False
    )
    op.create_table('merges',
    sa.Column('id', key, nullable=False),
    sa.Column('book', sa.Text(), nullable=False),
    sa.Column('branch', sa.Text(), nullable=False),
    sa.Column('took', sa.Text(), nullable=False),
    sa.Column('undo', sa.Text(), nullable=False),
    sa.Column('is_undone', sa.Boolean(), nullable=False),
    sa.Column('merged_at', sa.Float(), nullable=False),
    sa.ForeignKeyConstraint(['book'], ['books.id'], name=op.f('fk_merges_book'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_merges'))
    )
    op.create_index('ix_merges_book', 'merges', ['book', 'id'])
    op.add_column('codex', sa.Column('shared', key))


def downgrade() -> None:
    op.drop_column('codex', 'shared')
    op.drop_index('ix_merges_book', table_name='merges')
    op.drop_table('merges')
    op.drop_table('lineages')
    op.drop_table('branches')
