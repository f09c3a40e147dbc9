"""gates"""

import sqlalchemy as sa
from alembic import op

revision = '0008'
down_revision = '0007'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('gates',
    sa.Column('id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=False),
    sa.Column('book', sa.Text(), nullable=False),
    sa.Column('node', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=False),
    sa.Column('revision', sa.Integer(), nullable=False),
    sa.Column('kind', sa.Text(), nullable=False),
    sa.Column('number', sa.Integer(), nullable=False),
    sa.Column('state', sa.Text(), nullable=False),
    sa.Column('note', sa.Text(), server_default='', nullable=False),
    sa.Column('draft', sa.Text(), server_default='', nullable=False),
    sa.Column('text', sa.Text(), server_default='', nullable=False),
    sa.Column('refusals', sa.Text(), server_default='[]', nullable=False),
    sa.Column('decider', sa.Text(), nullable=True),
    sa.Column('created_at', sa.Float(), nullable=False),
    sa.Column('decided_at', sa.Float(), nullable=True),
    sa.Column('is_settled', sa.Boolean(), nullable=False),
    sa.Column('told_at', sa.Float(), nullable=True),
    sa.Column('notice', sa.Text(), server_default='', nullable=False),
    sa.ForeignKeyConstraint(['book'], ['books.id'], name=op.f('fk_gates_book'), ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['node'], ['nodes.key'], name=op.f('fk_gates_node'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_gates')),
    sa.UniqueConstraint('node', 'revision', 'kind', 'number', name=op.f('uq_gates_node_revision_kind_number'))
    )
    op.create_index('ix_gates_unsettled', 'gates', ['book', 'is_settled', 'id'])


def downgrade() -> None:
    op.drop_index('ix_gates_unsettled', table_name='gates')
    op.drop_table('gates')
