"""when a book was asked to rest last; a wish that stands is as old as the last change of its book's row"""

import sqlalchemy as sa
from alembic import op

revision = '0024'
down_revision = '0023'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('books', sa.Column('stop_requested_at', sa.Float(), nullable=False, server_default='0'))
    op.execute('UPDATE books SET stop_requested_at = updated_at WHERE stop_requested')


def downgrade() -> None:
    op.drop_column('books', 'stop_requested_at')
