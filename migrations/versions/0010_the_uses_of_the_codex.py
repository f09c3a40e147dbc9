"""which state of the codex each document was made from, and what of it was kept from its prompts"""

import sqlalchemy as sa
from alembic import op

revision = '0010'
down_revision = '0009'
branch_labels = None
depends_on = None

_KEY = sa.BigInteger().with_variant(sa.Integer(), 'sqlite')


def upgrade() -> None:
    op.create_table('codex_uses',
    sa.Column('document', _KEY, nullable=False),
    sa.Column('effect', sa.Text(), nullable=False),
    sa.Column('record', _KEY, nullable=False),
    sa.ForeignKeyConstraint(['document'], ['documents.id'], name=op.f('fk_codex_uses_document'), ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['record'], ['codex.id'], name=op.f('fk_codex_uses_record'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('document', 'effect', 'record', name=op.f('pk_codex_uses')),
    sqlite_with_rowid=False,
    )


def downgrade() -> None:
    op.drop_table('codex_uses')
