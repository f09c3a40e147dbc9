"""the structure of documents, kept beside their text"""

import sqlalchemy as sa
from alembic import op

revision = '0004'
down_revision = '0003'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('documents', sa.Column('data_hash', sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column('documents', 'data_hash')
