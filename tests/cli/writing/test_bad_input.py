"""Bad input of `write` and `estimate`: one clear line, exit code 2, nothing written, nothing paid."""

import sys

import pytest

from bookwright.failpoints import Failpoint
from bookwright.flows.library import opened_library
from bookwright.storage.engine import migrate
from bookwright.storage.engine.database import open_database
from bookwright.storage.repositories.books import BookRepository

PREMISE = ("--premise", "A keeper of a lighthouse counts ships.")


def refused(outcome, message):
    assert (outcome.code, outcome.out) == (2, "")
    assert len(outcome.err.splitlines()) == 1
    assert outcome.err.startswith("bookwright: ")
    assert message in outcome.err


@pytest.mark.parametrize("verb", ["write", "estimate"])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "the brief has no premise; name it in the brief, or with --premise"),
        (("--words", "900"), "the brief has no premise"),
        (("--premise", " ", "--words", "900"), "premise in the brief: is empty"),
        ((*PREMISE,), "the brief has no length; name it in the brief, or with --words"),
        ((*PREMISE, "--words", "0"), "length in the brief: Input should be greater than or equal to 50 (it is 0)"),
        ((*PREMISE, "--length", "-5"), "length in the brief: Input should be greater than or equal to 50 (it is -5)"),
        ((*PREMISE, "--words", "1000000000"), "length in the brief: Input should be less than or equal to 10000000"),
        ((*PREMISE, "--words", "many"), "Invalid value for '--words'"),
        ((*PREMISE, "--words", "900", "--language", "xx"), "language in the brief: Input should be 'en', 'zh'"),
        ((*PREMISE, "--words", "900", "--profile", "huge"), "Invalid value for '--profile'"),
        ((*PREMISE, "--words", "900", "--model", "nobody:x"), "no provider is called 'nobody'"),
        ((*PREMISE, "--words", "900", "--model", "openia:gpt-5.1"), "did you mean 'openai'?"),
        ((*PREMISE, "--words", "900", "--model", "gpt"), "a model is named provider:model"),
        (("--premise", "A bell\x07", "--words", "900"), "premise in the brief: holds the control character '\\x07'"),
        (("--premise", "A lone \ud800", "--words", "900"), "premise in the brief: "),
        (("missing.toml",), "the brief 'missing.toml' cannot be read: No such file or directory"),
        (("/",), "the brief '/' cannot be read: Is a directory"),
    ],
)
def test_a_brief_that_no_book_can_be_written_from(cli, home, verb, arguments, message):
    refused(cli(verb, *arguments), message)
    assert not home.exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'premis = "x"\nlength = 900', "did you mean 'premise'"),
        (b'premise = "x"\nlenght = 900\nlength = 900', "the brief has an unknown key 'lenght'; did you mean 'length'?"),
        (b'premise = "x"\nlength = 900\n[modles]\n', "did you mean 'models'?"),
        (b'premise = "x"\nlength = 900\n[models]\nwritter = "embedded:x"', "'writter' is no role"),
        (b'premise = "x', "the brief is not valid TOML"),
        (b'premise = "\xff\xfe"', "the brief is not UTF-8 text"),
        (b"premise = 900\nlength = 900", "premise in the brief: Input should be a valid string"),
        (b"#" + b"x" * 1_000_000, "has more than 262,144 bytes"),
    ],
)
def test_a_file_that_is_no_brief(cli, home, tmp_path, content, message):
    (tmp_path / "brief.toml").write_bytes(content)

    refused(cli("write", tmp_path / "brief.toml"), message)
    assert not home.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--model", "openai:gpt-5.1"), "openai needs an API key: set OPENAI_API_KEY"),
        (("--model", "embedded:nobody"), "no model file is at 'nobody'"),
        (("--model", "rehearsal:nope"), "the rehearsal author knows no mode 'nope'"),
        (("--model", "compatible:mine"), "compatible has no address: set LLM_BASE_URL"),
        (("--budget-usd", "0"), "budget.usd in the brief: Input should be greater than 0"),
        (("--budget-tokens", "-1"), "budget.tokens in the brief: Input should be greater than 0"),
        (("--seed", "-1"), "seed in the brief"),
        (("--until", "chapter"), "--until is 'chapter'; name a chapter (chapter 9, or 9), a label"),
        (("--words-today", "0"), "--words-today is 0; it must be at least 1"),
        (("--export", "epub,pdf"), "no export format is called 'pdf'; formats are md, txt, html, epub, docx, json"),
    ],
)
def test_a_book_that_could_not_be_written_to_its_end_is_not_begun(cli, home, arguments, message):
    refused(cli("write", *PREMISE, "--words", "900", *arguments), message)
    assert not home.exists()


def test_an_estimate_knows_which_rehearsals_there_are(cli, home):
    refused(
        cli("estimate", *PREMISE, "--words", "900", "--model", "rehearsal:defualt"),
        "the rehearsal author knows no mode 'defualt'",
    )
    assert not home.exists()


def test_an_estimate_names_the_caps_that_a_book_may_pass(cli, home, tmp_path):
    home.mkdir()
    (home / "config.toml").write_text('[prices."ollama:mine"]\ninput = 1\noutput = 2\n')
    file = tmp_path / "brief.toml"
    said = []
    for budget in ("usd = 0.001\ntokens = 1000", "usd = 50"):
        file.write_text(
            f'premise = "Ships."\nlength = 300\nmodels = {{ default = "ollama:mine" }}\n[budget]\n{budget}\n'
        )
        said.append(cli("estimate", file).out)

    assert "Note: the book's budget of $0.0010 is less than it may cost" in said[0]
    assert "Note: the book's budget of 1,000 tokens is less than it may take" in said[0]
    assert "A rehearsal of 300 words" in said[1]
    assert "Note:" not in said[1]


def test_a_model_that_its_provider_does_not_have(cli, home, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")

    refused(cli("write", *PREMISE, "--words", "900", "--model", "openai:gpt-5.11"), "is not known to have a model")
    assert not home.exists()


def test_a_cap_in_money_needs_a_price(cli, home, monkeypatch):
    monkeypatch.setenv("LLM_BASE_URL", "http://127.0.0.1:9")

    outcome = cli("write", *PREMISE, "--words", "900", "--model", "compatible:mine", "--budget-usd", "5")

    refused(outcome, "the budget caps money and the price of compatible:mine is unknown")
    assert not home.exists()


def test_an_unknown_embedding(cli, home, monkeypatch):
    monkeypatch.setenv("BOOKWRIGHT_EMBEDDING", "nobody")

    refused(cli("write", *PREMISE, "--words", "900"), "embedding 'nobody' is unknown")
    assert not home.exists()


def test_a_data_folder_that_cannot_be_written(cli, home):
    home.write_text("a file stands where the folder should be")

    outcome = cli("write", *PREMISE, "--words", "900")

    refused(outcome, f"the data folder '{home}' cannot be written to")
    assert home.read_text() == "a file stands where the folder should be"


def test_a_database_of_a_newer_version(cli, settings):
    database = open_database(settings)
    migrate.upgrade(database)
    with database.write(Failpoint.EDIT_BOOK) as connection:
        connection.exec_driver_sql("update alembic_version set version_num = '9999'")

    refused(cli("write", *PREMISE, "--words", "900"), "install a newer bookwright")

    with database.read() as connection:
        assert connection.exec_driver_sql("select count(*) from books").scalar_one() == 0


@pytest.mark.parametrize("table", ["models", "fallbacks"])
def test_a_role_that_nobody_knows_in_the_configuration(cli, home, table):
    home.mkdir()
    value = '"rehearsal:exact"' if table == "models" else '["rehearsal:exact"]'
    (home / "config.toml").write_text(f"[{table}]\nwritter = {value}\n")

    outcome = cli("write", "--premise", "A keeper.", "--words", 300)

    assert (outcome.code, outcome.out) == (2, "")
    assert "'writter' is no role; did you mean 'writer'?" in outcome.err


@pytest.mark.parametrize(("words", "is_told"), [(900, False), (1_600, True)])
def test_the_built_in_model_is_told_of_before_it_writes_much(cli, home, monkeypatch, words, is_told):
    monkeypatch.setenv("BOOKWRIGHT_MODEL", "rehearsal:exact")
    monkeypatch.setenv("BOOKWRIGHT_MODELS", '{"writer": "embedded:smollm2"}')

    outcome = cli("estimate", "--premise", "A keeper.", "--words", words, "--profile", "economy")

    assert outcome.code == 0, outcome.err
    assert ("it shows that the engine works and does not write well" in outcome.err) is is_told
    assert "The calls take " in outcome.out


def test_a_typo_in_the_configuration(cli, home):
    home.mkdir()
    (home / "config.toml").write_text('modle = "rehearsal:exact"\n')

    refused(cli("write", *PREMISE, "--words", "900"), "unknown setting 'modle'; did you mean 'model'?")
    assert [file.name for file in home.iterdir()] == ["config.toml"]


def test_a_package_that_spans_need_is_named_before_anything_is_written(cli, settings, monkeypatch):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf")
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)

    refused(cli("write", *PREMISE, "--words", "300", "--no-prefect", "--json"), "pip install 'bookwright[tracing]'")
    with opened_library(settings) as database, database.read() as connection:
        assert [book.calls for book in BookRepository(connection).all()] == [0]
