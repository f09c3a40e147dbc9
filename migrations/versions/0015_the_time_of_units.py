"""when a unit happens in the story, as a StoryTime; null for units of which nobody has said, as all that are there"""

import sqlalchemy as sa
from alembic import op

revision = '0015'
down_revision = '0014'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('nodes', sa.Column('story_time', sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column('nodes', 'story_time')
