"""the uses of tools"""

import sqlalchemy as sa
from alembic import op

revision = '0005'
down_revision = '0004'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('tool_uses',
    sa.Column('step', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=False),
    sa.Column('book', sa.Text(), nullable=False),
    sa.Column('ordinal', sa.Integer(), nullable=False),
    sa.Column('tool', sa.Text(), nullable=False),
    sa.Column('arguments', sa.Text(), nullable=False),
    sa.Column('status', sa.Text(), nullable=False),
    sa.Column('response', sa.Text(), nullable=False),
    sa.Column('duration_millis', sa.Integer(), nullable=False),
    sa.Column('lease_token', sa.BigInteger(), nullable=False),
    sa.Column('recorded_at', sa.Float(), nullable=False),
    sa.ForeignKeyConstraint(['book'], ['books.id'], name=op.f('fk_tool_uses_book'), ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['step'], ['steps.id'], name=op.f('fk_tool_uses_step'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('step', name=op.f('pk_tool_uses'))
    )
    op.create_index('ix_tool_uses_book', 'tool_uses', ['book', 'step'])


def downgrade() -> None:
    op.drop_index('ix_tool_uses_book', table_name='tool_uses')
    op.drop_table('tool_uses')
