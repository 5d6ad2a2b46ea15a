# Each target works from a fresh clone with nothing but python3 >= 3.11, a C++ compiler and make.
# Another Python gets an environment of its own: make test PYTHON=python3.13 VENV=.venv-3.13
PYTHON ?= python3
VENV ?= .venv
TESTS ?=
BIN := $(VENV)/bin
READY := $(VENV)/ready
# Hundreds of tests start the program; without compiled modules each start takes a third of a second more.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test search lint machines attack lessons sanitize bench bench-quick stubs pages gallery docs wheel oldest release-check clean

demo: $(READY)
	$(BIN)/novikoff demo

test: $(READY)
	$(BIN)/pytest -n 2 --dist worksteal -q $(TESTS)

# The tests of drawn examples, with examples drawn anew; make test draws the same ones everywhere.
search: $(READY)
	$(BIN)/pytest -n 2 --dist worksteal -q --hypothesis-profile search -m hypothesis $(TESTS)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The same results without AVX2, on an older processor, and in other time zones and locales.
machines: $(READY)
	$(BIN)/pytest -q tests/test_machines.py --each-machine

# Hostile files, certificates, signals, threads and requests: make attack MINUTES=1 SEED=7
MINUTES ?= 10
attack: $(READY)
	PYTHONPATH=tools $(BIN)/python -m attack --minutes $(MINUTES) $(if $(SEED),--seed $(SEED))

# Every lesson of the page played by keyboard and by touch at several sizes, light and dark: make lessons SHOTS=folder AXE=axe.min.js
lessons: $(READY)
	PYTHONPATH=tests $(BIN)/python tools/play_lessons.py $(if $(SHOTS),--shots $(SHOTS)) $(if $(AXE),--axe $(AXE))

# The compiled parts under the sanitizers; QUICK=--quick runs fewer tests.
sanitize: $(READY)
	$(BIN)/python tools/sanitize.py $(QUICK)

# One table, into docs/speed.md: make bench DATA=folder-of-public-data PEERS=python-with-vowpalwabbit
BENCH = $(BIN)/python bench/speed.py $(if $(DATA),--data $(DATA)) $(if $(PEERS),--peers $(PEERS))
bench: $(READY)
	$(BENCH) --write docs/speed.md

bench-quick: $(READY)
	$(BENCH) --quick

# The type stubs of the compiled module are generated and committed; a test says when they are stale.
stubs: $(READY)
	$(BIN)/python tools/make_stubs.py

# What the pages quote of commands, their help and their output, is written by running them; a test says when it is stale.
pages: $(READY)
	$(BIN)/python tools/make_pages.py

# The figures of docs/gallery.md are drawn by the code that the page shows; a test says when they are stale.
gallery: $(READY)
	$(BIN)/python docs/make_gallery.py

# The site, into build/site; a warning is an error.
docs: $(BIN)/sphinx-build
	$(BIN)/sphinx-build -W --keep-going -q -b html docs build/site
	@echo "To read it with its lessons, which need a server: python3 -m http.server --directory build/site"

# The sdist and the wheels, into dist/, with the compiler that PyPI has; ONLY=3.12-x86_64 makes one.
wheel:
	$(PYTHON) tools/make_wheels.py $(if $(ONLY),--only $(ONLY))

# The wheel with the lowest version of each dependency; the estimators of other packages are not tested.
oldest:
	$(PYTHON) tools/check_wheels.py --oldest --python 3.11 tests/stream tests/ledger tests/learners tests/guarantees tests/models

# Everything that a release needs: two builds with the same bytes, each wheel in an environment without a
# compiler, the suite against it, the wheel for aarch64 in an emulator, the oldest dependencies, and the site.
release-check: docs
	$(PYTHON) tools/make_wheels.py --twice
	$(PYTHON) tools/check_wheels.py
	$(PYTHON) tools/check_wheels.py --emulated tests/ledger
	$(MAKE) oldest

$(BIN)/sphinx-build: $(READY)
	$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --no-build-isolation --config-settings=build-dir=$(VENV)/core --editable '.[docs]'
	touch $@

# The tools of the build stay in the environment, so that a second build compiles only what changed.
# Python compiles what it imports; compiling all nine thousand modules takes a minute.
$(READY): pyproject.toml CMakeLists.txt $(wildcard cpp/*/*)
	@echo "Building and installing into $(VENV) (a minute or two the first time) ..."
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check 'scikit-build-core>=0.11' 'nanobind>=2.9' cmake ninja
	SKBUILD_CMAKE_DEFINE=NOVIKOFF_STRICT=ON $(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check \
	    --no-build-isolation --config-settings=build-dir=$(VENV)/core --editable '.[dev]'
	touch $@

clean:
	rm -rf .venv .venv-* build dist docs/generated
