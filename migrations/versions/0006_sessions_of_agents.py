"""the sessions of agents"""

import sqlalchemy as sa
from alembic import op

revision = '0006'
down_revision = '0005'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('sessions',
    sa.Column('id', sa.Text(), nullable=False),
    sa.Column('book', sa.Text(), nullable=True),
    sa.Column('tab', sa.Text(), nullable=False),
    sa.Column('agent', sa.Text(), nullable=False),
    sa.Column('model', sa.Text(), server_default='', nullable=False),
    sa.Column('title', sa.Text(), server_default='', nullable=False),
    sa.Column('parent', sa.Text(), nullable=True),
    sa.Column('is_initialized', sa.Boolean(), nullable=False),
    sa.Column('dropped_turns', sa.Integer(), nullable=False),
    sa.Column('created_at', sa.Float(), nullable=False),
    sa.Column('updated_at', sa.Float(), nullable=False),
    sa.ForeignKeyConstraint(['book'], ['books.id'], name=op.f('fk_sessions_book'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_sessions')),
    sqlite_with_rowid=False
    )
    op.create_table('session_messages',
    sa.Column('session', sa.Text(), nullable=False),
    sa.Column('ordinal', sa.Integer(), autoincrement=False, nullable=False),
    sa.Column('body', sa.Text(), nullable=False),
    sa.Column('size', sa.Integer(), nullable=False),
    sa.Column('recorded_at', sa.Float(), nullable=False),
    sa.ForeignKeyConstraint(['session'], ['sessions.id'], name=op.f('fk_session_messages_session'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('session', 'ordinal', name=op.f('pk_session_messages')),
    sqlite_with_rowid=False
    )


def downgrade() -> None:
    op.drop_table('session_messages')
    op.drop_table('sessions')
