"""into what a unit is divided where that is not left to its length, and which were written before"""

import sqlalchemy as sa
from alembic import op

revision = '0012'
down_revision = '0011'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('nodes', sa.Column('child_level', sa.Text(), nullable=True))
    op.add_column('nodes', sa.Column('is_brought_in', sa.Boolean(), nullable=False, server_default=sa.false()))


def downgrade() -> None:
    op.drop_column('nodes', 'is_brought_in')
    op.drop_column('nodes', 'child_level')
