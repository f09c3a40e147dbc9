"""the studio's cap"""

import sqlalchemy as sa
from alembic import op

revision = '0002'
down_revision = '0001'
branch_labels = None
depends_on = None


def upgrade() -> None:
    studio = op.create_table('studio',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('deleted_cost', sa.BigInteger(), nullable=False),
    sa.Column('deleted_tokens', sa.BigInteger(), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_studio'))
    )
    op.bulk_insert(studio, [{'id': 1, 'deleted_cost': 0, 'deleted_tokens': 0}])
    op.create_table('allowances',
    sa.Column('book', sa.Text(), nullable=False),
    sa.Column('cost', sa.BigInteger(), nullable=False),
    sa.Column('tokens', sa.BigInteger(), nullable=False),
    sa.ForeignKeyConstraint(['book'], ['books.id'], name=op.f('fk_allowances_book'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('book', name=op.f('pk_allowances'))
    )


def downgrade() -> None:
    op.drop_table('allowances')
    op.drop_table('studio')
