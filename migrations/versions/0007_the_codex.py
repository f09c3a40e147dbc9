"""the codex"""

import sqlalchemy as sa
from alembic import op

revision = '0007'
down_revision = '0006'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('codex',
    sa.Column('id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=False),
    sa.Column('book', sa.Text(), nullable=False),
    sa.Column('kind', sa.Text(), nullable=False),
    sa.Column('slug', sa.Text(), nullable=False),
    sa.Column('version', sa.Integer(), nullable=False),
    sa.Column('is_current', sa.Boolean(), nullable=False),
    sa.Column('is_removed', sa.Boolean(), nullable=False),
    sa.Column('data', sa.Text(), nullable=False),
    sa.Column('origin', sa.Text(), nullable=False),
    sa.Column('origins', sa.Text(), nullable=False),
    sa.Column('document', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=True),
    sa.Column('step', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=True),
    sa.Column('recorded_at', sa.Float(), nullable=False),
    sa.ForeignKeyConstraint(['book'], ['books.id'], name=op.f('fk_codex_book'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_codex')),
    sa.UniqueConstraint('book', 'kind', 'slug', 'version', name=op.f('uq_codex_book_kind_slug_version'))
    )
    op.create_index('ix_codex_current', 'codex', ['book', 'kind', 'is_current', 'slug'])
    op.create_table('codex_suggestions',
    sa.Column('id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=False),
    sa.Column('book', sa.Text(), nullable=False),
    sa.Column('kind', sa.Text(), nullable=False),
    sa.Column('slug', sa.Text(), nullable=False),
    sa.Column('version', sa.Integer(), nullable=False),
    sa.Column('path', sa.Text(), nullable=False),
    sa.Column('present', sa.Text(), nullable=False),
    sa.Column('wanted', sa.Text(), nullable=False),
    sa.Column('status', sa.Text(), nullable=False),
    sa.Column('document', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=True),
    sa.Column('step', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=True),
    sa.Column('recorded_at', sa.Float(), nullable=False),
    sa.ForeignKeyConstraint(['book'], ['books.id'], name=op.f('fk_codex_suggestions_book'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_codex_suggestions'))
    )
    op.create_index('ix_codex_suggestions_record', 'codex_suggestions', ['book', 'kind', 'slug', 'status'])


def downgrade() -> None:
    op.drop_index('ix_codex_suggestions_record', table_name='codex_suggestions')
    op.drop_table('codex_suggestions')
    op.drop_index('ix_codex_current', table_name='codex')
    op.drop_table('codex')
