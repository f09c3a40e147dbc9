"""texts by row: in SQLite a text is appended, no longer put among the others by its hash"""

import sqlalchemy as sa
from alembic import op

revision = '0003'
down_revision = '0002'
branch_labels = None
depends_on = None


def upgrade() -> None:
    _move_texts(with_rowid=True)


def downgrade() -> None:
    _move_texts(with_rowid=False)


def _move_texts(*, with_rowid: bool) -> None:
    if op.get_bind().dialect.name != 'sqlite':
        return  # Postgres has it so from the first
    op.rename_table('texts', 'former_texts')
    op.create_table('texts',
    sa.Column('book', sa.Text(), nullable=False),
    sa.Column('hash', sa.Text(), nullable=False),
    sa.Column('body', sa.LargeBinary(), nullable=False),
    sa.ForeignKeyConstraint(['book'], ['books.id'], name=op.f('fk_texts_book'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('book', 'hash', name=op.f('pk_texts')),
    sqlite_with_rowid=with_rowid
    )
    op.execute('INSERT INTO texts (book, hash, body) SELECT book, hash, body FROM former_texts')
    op.drop_table('former_texts')
