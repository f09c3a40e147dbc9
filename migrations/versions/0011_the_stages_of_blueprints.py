"""which member of which stage of a blueprint a task is, and where its page stands in the vault"""

import sqlalchemy as sa
from alembic import op

revision = '0011'
down_revision = '0010'
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ('stage', 'stage_title', 'folder'):
        op.add_column('nodes', sa.Column(name, sa.Text(), nullable=False, server_default=''))


def downgrade() -> None:
    for name in ('folder', 'stage_title', 'stage'):
        op.drop_column('nodes', name)
