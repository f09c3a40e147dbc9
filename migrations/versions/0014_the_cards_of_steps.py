"""what a step's prompt was rendered from, by the hashes of its texts; null for the steps that are there already"""

import sqlalchemy as sa
from alembic import op

revision = '0014'
down_revision = '0013'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('steps', sa.Column('card', sa.Text()))


def downgrade() -> None:
    op.drop_column('steps', 'card')
