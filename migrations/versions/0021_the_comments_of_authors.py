"""comments of authors at passages of their texts"""

import sqlalchemy as sa
from alembic import op

revision = '0021'
down_revision = '0020'
branch_labels = None
depends_on = None


def upgrade() -> None:
    key = sa.BigInteger().with_variant(sa.Integer(), 'sqlite')
    op.create_table('comments',
    sa.Column('id', key, nullable=False),
    sa.Column('book', sa.Text(), nullable=False),
    sa.Column('node', key, nullable=False),
    sa.Column('quote', sa.Text(), nullable=False),
    sa.Column('before', sa.Text(), server_default='', nullable=False),
    sa.Column('after', sa.Text(), server_default='', nullable=False),
    sa.Column('words', sa.Text(), nullable=False),
    sa.Column('state', sa.Text(), nullable=False),
    sa.Column('seen', sa.Integer(), server_default='0', nullable=False),
    sa.Column('created_at', sa.Float(), nullable=False),
    sa.ForeignKeyConstraint(['book'], ['books.id'], name=op.f('fk_comments_book'), ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['node'], ['nodes.key'], name=op.f('fk_comments_node'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_comments'))
    )
    op.create_index('ix_comments_book', 'comments', ['book', 'state', 'node'])


def downgrade() -> None:
    op.drop_index('ix_comments_book', table_name='comments')
    op.drop_table('comments')
