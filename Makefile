# make demo    own environment, install, and an editorial examined
# make test    installs what the tests need and runs them
# make check   format, lint, types, tests, docs examples
# make test LOCKED=1   the same with the versions of constraints-dev.txt, which make lock writes
# make fuzz    thousands of broken inputs through the commands: N=2000 SEED=1
# make docs    the documentation site, in site/
# make lowest  the tests with the oldest versions that pyproject.toml allows
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
LOCK := $(if $(LOCKED),--constraint constraints-dev.txt)
SUDO := $(shell [ "$$(id -u)" = 0 ] || command -v sudo)

.PHONY: demo test check lowest clean

$(VENV)/installed: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "fallax needs Python 3.11 or newer: make PYTHON=python3.11 ...")'
	@echo "Making a virtual environment in $(VENV) and installing fallax into it: one to three minutes"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --disable-pip-version-check $(LOCK) --editable .
	touch $@

$(VENV)/tested: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(LOCK) --group dev
	touch $@

demo: $(VENV)/installed
	@$(BIN)/fallax detect --explain examples/editorial.txt
	@printf '%s\n' \
	  'Each passage above is a place to look, not a verdict; docs/detectors.md says where the detector is weak.' \
	  'Next, your own text:          $(BIN)/fallax detect MY_TEXT.txt' \
	  'To type "fallax" alone:       . $(BIN)/activate' \
	  'The same in a browser:        $(BIN)/pip install --editable ".[serve]" && $(BIN)/fallax serve'

# SWI-Prolog is a system package; where it cannot be installed, the tests that need it skip and say so.
.PHONY: prolog
prolog:
	@command -v swipl > /dev/null || { command -v apt-get > /dev/null && \
	  { $(SUDO) apt-get update -qq && $(SUDO) apt-get install -y -qq --no-install-recommends swi-prolog-nox > /dev/null; } || \
	  { command -v brew > /dev/null && brew install --quiet swi-prolog; }; } || \
	  echo "SWI-Prolog could not be installed: the tests of the oracle will skip"

# The test of the pages checks them with axe-core, one file from npm; without npm that part of it skips and says so.
AXE := $(VENV)/axe/node_modules/axe-core/axe.min.js
.PHONY: axe
axe:
	@[ -f $(AXE) ] || { command -v npm > /dev/null && mkdir -p $(VENV)/axe && \
	  npm install --silent --no-audit --no-fund --no-save --prefix $(VENV)/axe axe-core@4 > /dev/null 2>&1; } || \
	  echo "axe-core could not be fetched: the accessibility of the pages is not checked"

test: $(VENV)/tested prolog axe
	$(BIN)/python -m pytest -n auto

check: $(VENV)/tested prolog axe
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n auto

.PHONY: fuzz
N ?= 1000
fuzz: $(VENV)/tested
	$(BIN)/python -m tests.support.fuzzing --n $(N) $(if $(SEED),--seed $(SEED))

.PHONY: docs
$(VENV)/documented: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[docs]"
	touch $@

docs: $(VENV)/documented
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict
	@echo "Open site/index.html, or: $(BIN)/python -m http.server --directory site"

# For all platforms and Pythons that pyproject.toml allows.
.PHONY: lock
lock: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip compile pyproject.toml --group dev --universal --python-version 3.11 --no-emit-index-url --no-annotate \
	  --quiet --custom-compile-command "make lock" --output-file constraints-dev.txt

# The lower bounds of pyproject.toml are what the tests pass with.
lowest:
	$(PYTHON) -m venv $(VENV)-lowest
	$(VENV)-lowest/bin/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1" uv
	$(VENV)-lowest/bin/uv pip install --quiet --python $(VENV)-lowest/bin/python --resolution lowest-direct --editable .
	$(VENV)-lowest/bin/python -m pip install --quiet --disable-pip-version-check --group dev
	$(VENV)-lowest/bin/python -m pytest -n auto

clean:
	rm -rf $(VENV) $(VENV)-lowest .mypy_cache .pytest_cache .ruff_cache
