# Two commands: `make demo` does the main job on the example, `make test` is everything that CI runs.
# Both need Python 3.11 or newer and make, nothing else: Node comes from a Python package.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
CONFIG ?= examples/acme/monitoring.yaml

.PHONY: demo test test-deploy install install-dev lock format golden clean

demo: $(VENV)/.runtime  ## Validate and synthesise the example into cdk.out/, draw two incidents into demo/
	$(BIN)/bedrock-monitor validate $(CONFIG)
	$(BIN)/bedrock-monitor synth $(CONFIG) --out cdk.out
	$(BIN)/python -m monitoring.demo --out demo

test: $(VENV)/.dev  ## Everything that CI runs, with a time table per stage
	$(BIN)/python -m tests.stages

test-deploy: $(VENV)/.dev  ## The example's stacks on a local CloudFormation, read back through the API
	$(BIN)/python -m tests.deploy

install: $(VENV)/.runtime
install-dev: $(VENV)/.dev

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "bedrock-monitor needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version). Say which: make PYTHON=python3.12 demo"; exit 2; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: requirements/runtime.txt pyproject.toml dashboards/preview/package-lock.json | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/runtime.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	PATH="$(abspath $(BIN)):$$PATH" npm ci --loglevel=error --no-audit --no-fund --ignore-scripts --prefix dashboards/preview
	@touch $@

$(VENV)/.dev: requirements/dev.txt $(VENV)/.runtime
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@touch $@

lock: $(VENV)/.dev  ## Write requirements/*.txt anew from pyproject.toml
	$(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url --upgrade --quiet \
		pyproject.toml --group build -o requirements/runtime.txt
	$(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url --upgrade --quiet \
		-c requirements/runtime.txt pyproject.toml --group build --group dev -o requirements/dev.txt
	$(BIN)/uv pip compile --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url --upgrade --quiet \
		requirements/localstack.in -o requirements/localstack.txt

golden: $(VENV)/.dev  ## Write the golden pages and alarms anew; look at the difference before you commit it
	$(BIN)/python -m pytest -q tests/dashboards/test_golden_pages.py tests/alarms/test_golden_alarms.py --rewrite-golden

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf cdk.out demo .mypy_cache .ruff_cache .pytest_cache
