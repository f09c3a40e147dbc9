"""edits that wait until the worker of a book takes them in"""

import sqlalchemy as sa
from alembic import op

revision = '0020'
down_revision = '0019'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('edits',
    sa.Column('id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=False),
    sa.Column('book', sa.Text(), nullable=False),
    sa.Column('target', sa.Text(), nullable=False),
    sa.Column('seen', sa.Integer(), nullable=False),
    sa.Column('body', sa.Text(), nullable=False),
    sa.Column('state', sa.Text(), nullable=False),
    sa.Column('outcome', sa.Text(), server_default='', nullable=False),
    sa.Column('created_at', sa.Float(), nullable=False),
    sa.Column('settled_at', sa.Float(), nullable=True),
    sa.ForeignKeyConstraint(['book'], ['books.id'], name=op.f('fk_edits_book'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_edits'))
    )
    op.create_index('ix_edits_waiting', 'edits', ['book', 'state', 'id'])


def downgrade() -> None:
    op.drop_index('ix_edits_waiting', table_name='edits')
    op.drop_table('edits')
