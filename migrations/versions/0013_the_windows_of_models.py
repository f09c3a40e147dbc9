"""what the servers of a book's models said that these take, so that a resumed book asks the same"""

import sqlalchemy as sa
from alembic import op

revision = '0013'
down_revision = '0012'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('books', sa.Column('windows', sa.Text(), nullable=False, server_default='{}'))


def downgrade() -> None:
    op.drop_column('books', 'windows')
