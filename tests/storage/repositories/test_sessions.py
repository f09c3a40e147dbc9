"""Sessions on both databases: new, resumed, forked, mended, and never too long."""

import pytest
from sqlalchemy import delete, update

from bookwright.failpoints import Failpoint
from bookwright.models.errors import SessionNotFound, SessionNotStarted
from bookwright.models.talk.session import INTERRUPTED, Turn, TurnKind
from bookwright.storage.repositories.sessions import SessionRepository
from bookwright.storage.tables import session_messages
from tests.storage.conftest import BACKINGS


@pytest.fixture(params=BACKINGS)
def backing(request):
    """Both databases."""
    return str(request.param)


@pytest.fixture
def sessions(database):
    with database.write(Failpoint.EDIT_BOOK) as connection:
        yield SessionRepository(connection, most_characters=400)


def say(text):
    return Turn(kind=TurnKind.SAY, text=text)


def answer(text):
    return Turn(kind=TurnKind.ANSWER, text=text)


def use(text="Action: LS[{}]"):
    return Turn(kind=TurnKind.USE, text=text)


def result(text="Observation: a file"):
    return Turn(kind=TurnKind.RESULT, text=text)


def texts(history):
    return [turn.text for turn in history.turns]


def stored(sessions, *turns, **values):
    session = sessions.create("researcher", "talk", **values)
    sessions.append(session.id, turns)
    return session.id


def test_a_session_is_new_until_something_is_said_and_then_holds_it(sessions):
    session = sessions.create("researcher", "talk", model="openai:x")

    sessions.append(session.id, [say("Who keeps the lamp?\nSay."), answer("Ada.")])

    after = sessions.get(session.id[:8])
    assert (session.initialized, after.initialized) == (False, True)
    assert (after.title, after.model, after.agent) == ("Who keeps the lamp? Say.", "openai:x", "researcher")
    assert texts(sessions.history(session.id)) == ["Who keeps the lamp?\nSay.", "Ada."]
    assert sessions.history(session.id).repairs == ()


def test_a_fork_begins_with_what_was_said_and_goes_its_own_way(sessions):
    origin = stored(sessions, say("a"), answer("b"))

    branch = sessions.fork(origin, "other")
    sessions.append(branch.id, [say("c")])

    assert (branch.parent, branch.initialized, branch.tab) == (origin, True, "other")
    assert texts(sessions.history(branch.id)) == ["a", "b", "c"]
    assert texts(sessions.history(origin)) == ["a", "b"]


def test_a_session_in_which_nothing_was_said_cannot_be_forked(sessions):
    session = sessions.create("researcher", "talk")

    with pytest.raises(SessionNotStarted, match="nothing was said"):
        sessions.fork(session.id, "other")

    assert [each.id for each in sessions.all()] == [session.id]


def test_sessions_are_found_by_an_unambiguous_beginning_only(sessions):
    for identity in ("ab1", "ab2", "ab"):
        sessions.create("x", "talk", identity=identity)

    assert sessions.get("ab").id == "ab"
    assert sessions.get("ab2").id == "ab2"
    for identity in ("a", "", "%", "zz"):
        with pytest.raises(SessionNotFound):
            sessions.get(identity)


def test_sessions_of_a_book_go_with_it_and_those_of_none_stay(storage):
    with storage.write() as stores:
        repository = SessionRepository(stores.connection)
        of_book = stored(repository, say("a"), book=storage.book)
        of_none = stored(repository, say("b"))
        assert [each.id for each in repository.all(book=storage.book)] == [of_book]

        stores.books.delete(storage.book)

        assert [each.id for each in repository.all()] == [of_none]


@pytest.mark.parametrize(
    ("turns", "mended"),
    [
        ([say("a"), use()], ["a", "Action: LS[{}]", INTERRUPTED]),
        ([say("a"), use(), say("b")], ["a", "Action: LS[{}]", f"{INTERRUPTED}\n\nb"]),
        ([say("a"), answer("b"), answer("c")], ["a", "b\n\nc"]),
        ([say("a"), use(), answer("b")], ["a", "Action: LS[{}]", INTERRUPTED, "b"]),
        ([say("a"), answer("  \n"), say("b"), answer("c")], ["a\n\nb", "c"]),
        ([say("a"), result(), answer("c")], ["a", "c"]),
        ([answer("b"), say("a")], ["a"]),
    ],
)
def test_a_broken_history_is_mended_when_it_is_loaded(sessions, turns, mended):
    identity = stored(sessions, *turns)

    history = sessions.history(identity)

    assert texts(history) == mended
    assert [turn.is_agents for turn in history.turns] == [bool(place % 2) for place in range(len(mended))]
    assert history.repairs != ()


def test_a_record_that_was_cut_off_is_kept_as_far_as_it_can_be_read(sessions):
    identity = stored(sessions, say("a"), answer("it rained"), say("b"), answer("c"))
    for ordinal, body in ((2, '{"kind":"answer","text":"it ra'), (3, '{"ki')):
        where = (session_messages.c.session == identity) & (session_messages.c.ordinal == ordinal)
        sessions._connection.execute(update(session_messages).where(where).values(body=body))

    history = sessions.history(identity)

    assert texts(history) == ["a", "it ra\n\nc"]
    assert sum("cut off" in repair for repair in history.repairs) == 2


def test_missing_ordinals_are_told_and_the_rest_is_kept(sessions):
    identity = stored(sessions, say("a"), answer("b"), say("c"), answer("d"))
    gone = session_messages.c.ordinal.in_([2, 3])
    sessions._connection.execute(delete(session_messages).where(session_messages.c.session == identity, gone))

    history = sessions.history(identity)
    sessions.append(identity, [say("e")])

    assert texts(history) == ["a", "d"]
    assert history.repairs == ("2 turns are missing",)
    assert texts(sessions.history(identity)) == ["a", "d", "e"]


def test_a_session_that_grows_too_long_loses_its_oldest_exchanges_but_the_first(sessions):
    identity = stored(sessions, say("first " + "x" * 50), answer("one"))

    for number in range(9):
        sessions.append(identity, [say(f"{number} " + "y" * 60), use(), result(), answer("z" * 20)])

    history = sessions.history(identity)
    assert sum(len(turn.text) for turn in history.turns) <= 400 + 100
    assert texts(history)[:2] == ["first " + "x" * 50, "one"]
    assert texts(history)[2].startswith(f"({history.dropped_turns} turns of this talk")
    assert texts(history)[-4].startswith("8 y")
    assert history.dropped_turns == 28
    assert history.repairs == ()


def test_one_long_exchange_loses_its_oldest_uses_of_tools(sessions):
    pairs = [turn for number in range(9) for turn in (use(f"Action: LS[{number}]"), result("r" * 90))]
    identity = stored(sessions, say("why?"), *pairs, answer("so"))

    kept = texts(sessions.history(identity))

    assert (kept[0], kept[-1]) == ("why?", "so")
    assert [text for text in kept if text.startswith("Action")] == [f"Action: LS[{number}]" for number in (6, 7, 8)]


def test_a_turn_that_is_too_long_for_any_session_loses_its_middle(sessions):
    identity = stored(sessions, say("a" * 1_000 + "b" * 1_000))

    [text] = texts(sessions.history(identity))

    assert text.startswith("a" * 50)
    assert text.endswith("b" * 50)
    assert "1,900 characters were cut" in text


def test_texts_that_databases_refuse_are_taken(sessions):
    identity = stored(sessions, say("a\x00b\ud800c"), answer("灯塔"))

    assert len(texts(sessions.history(identity))) == 2


def test_a_deleted_session_leaves_no_turn_and_is_not_added_to(sessions):
    identity = stored(sessions, say("a"))

    sessions.delete(identity)

    with pytest.raises(SessionNotFound):
        sessions.append(identity, [say("b")])
    assert sessions._connection.execute(session_messages.select()).all() == []
