"""who made each version of a document, of which one, and on whose word"""

import sqlalchemy as sa
from alembic import op

revision = '0009'
down_revision = '0008'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('documents', sa.Column('origin', sa.Text(), nullable=False, server_default='step'))
    op.add_column('documents', sa.Column('base', sa.Integer(), nullable=True))
    op.add_column('documents', sa.Column('note', sa.Text(), nullable=True))
    op.add_column('documents', sa.Column('made_at', sa.Float(), nullable=True))


def downgrade() -> None:
    for name in ('made_at', 'note', 'base', 'origin'):
        op.drop_column('documents', name)
