# Every target sets up .venv by itself: a machine needs only Python 3.11 or later, and make.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
CORES := $(shell nproc 2>/dev/null || echo 2)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# What Python made of a file is kept, whatever the machine says: tests start many processes.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help demo test slow statuses floors check lint types layers bench docs figures screenshots format clean

help: ## Show this list
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 10

.venv/run: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable .
	touch $@

.venv/dev: .venv/run
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[dev]"
	touch $@

.venv/docs: .venv/run
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[docs]"
	touch $@

demo: .venv/run ## Train a model on a built-in table and print its certificate
	$(BIN)/surelearn demo

test: .venv/dev ## Run the tests
	$(BIN)/python -m pytest -q -n $(CORES) --dist worksteal

slow: .venv/dev ## Run the long simulations, four thousand repetitions each, and new random examples
	$(BIN)/python -m pytest -q -n $(CORES) --dist worksteal -m slow --timeout 0
	HYPOTHESIS_PROFILE=default $(BIN)/python -m pytest -q -n $(CORES) $$(grep -rl "from hypothesis" tests --include="test_*.py")

statuses: .venv/dev ## Rewrite the reviewed tables of what is stated about each assumption
	PYTHONPATH=tests $(BIN)/python -m contracts.certificate_tables --write
	git diff --stat -- tests/contracts

floors: ## Install the oldest versions allowed, in a folder of their own, and try them
	rm -rf .cache/floors
	$(PYTHON) scripts/floors.py .cache/floors

check: lint types layers test ## What CI runs: lint, types, layers, tests

lint: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/dev
	$(BIN)/basedpyright

layers: .venv/dev
	$(BIN)/lint-imports

bench: .venv/dev ## Time everything against its peers and print the ratios
	for script in benchmarks/speed/bench_*.py; do $(BIN)/python $$script || exit 1; done

figures: .venv/dev ## Draw the figures of the documentation again
	printf '%s\n' examples/plot_*.py | OPENBLAS_NUM_THREADS=1 xargs -n 1 -P $(CORES) $(BIN)/python

screenshots: .venv/dev ## Take the pictures of the README again (needs Chromium)
	$(BIN)/python scripts/screenshots.py

docs: .venv/dev .venv/docs figures ## Build the documentation into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

format: .venv/dev ## Format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean: ## Remove what was built
	rm -rf .venv .cache site surelearn-demo
