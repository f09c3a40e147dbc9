"""when the next request may go to each provider whose rate is limited"""

import sqlalchemy as sa
from alembic import op

revision = '0018'
down_revision = '0015'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('paces',
    sa.Column('provider', sa.Text(), nullable=False),
    sa.Column('next_free', sa.Float(), nullable=False),
    sa.PrimaryKeyConstraint('provider', name=op.f('pk_paces'))
    )


def downgrade() -> None:
    op.drop_table('paces')
