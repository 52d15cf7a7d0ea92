# make demo    own environment, install, and an editorial examined
# make test    installs what the tests need and runs them
# make check   format, lint, types, tests, docs examples
# make lowest  the tests with the oldest versions that pyproject.toml allows
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
SUDO := $(shell [ "$$(id -u)" = 0 ] || command -v sudo)

.PHONY: demo test check lowest clean

$(VENV)/installed: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "fallax needs Python 3.11 or newer: make PYTHON=python3.11 ...")'
	@echo "Making a virtual environment in $(VENV) and installing fallax into it: one to three minutes"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --disable-pip-version-check --editable .
	touch $@

$(VENV)/tested: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group dev
	touch $@

demo: $(VENV)/installed
	@$(BIN)/fallax detect --explain examples/editorial.txt
	@printf '%s\n' \
	  'Each passage above is a place to look, not a verdict; docs/detectors.md says where the detector is weak.' \
	  'Next, your own text:          $(BIN)/fallax detect MY_TEXT.txt' \
	  'To type "fallax" alone:       . $(BIN)/activate' \
	  'A page to open in a browser:  $(BIN)/fallax detect --explain --output html --out page.html MY_TEXT.txt'

# SWI-Prolog is a system package; where it cannot be installed, the tests that need it skip and say so.
.PHONY: prolog
prolog:
	@command -v swipl > /dev/null || { command -v apt-get > /dev/null && \
	  { $(SUDO) apt-get update -qq && $(SUDO) apt-get install -y -qq --no-install-recommends swi-prolog-nox > /dev/null; } || \
	  { command -v brew > /dev/null && brew install --quiet swi-prolog; }; } || \
	  echo "SWI-Prolog could not be installed: the tests of the oracle will skip"

test: $(VENV)/tested prolog
	$(BIN)/python -m pytest -n auto

check: $(VENV)/tested prolog
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n auto

# The lower bounds of pyproject.toml are what the tests pass with.
lowest:
	$(PYTHON) -m venv $(VENV)-lowest
	$(VENV)-lowest/bin/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1" uv
	$(VENV)-lowest/bin/uv pip install --quiet --python $(VENV)-lowest/bin/python --resolution lowest-direct --editable .
	$(VENV)-lowest/bin/python -m pip install --quiet --disable-pip-version-check --group dev
	$(VENV)-lowest/bin/python -m pytest -n auto

clean:
	rm -rf $(VENV) $(VENV)-lowest .mypy_cache .pytest_cache .ruff_cache
