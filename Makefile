# Each target works from a fresh clone with nothing but python3 >= 3.11, a C++ compiler and make.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/ready

.PHONY: demo test lint bench stubs pages gallery clean

demo: $(READY)
	$(BIN)/novikoff demo

test: $(READY)
	$(BIN)/pytest -n 2 -q

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(READY)
	$(BIN)/python bench/epoch.py
	$(BIN)/python bench/convergence.py
	$(BIN)/python bench/startup.py
	$(BIN)/python bench/watching.py
	$(BIN)/python bench/certify.py --million
	$(BIN)/python bench/threshold_functions.py
	$(BIN)/python bench/text.py
	$(BIN)/python bench/decimals.py
	$(BIN)/python bench/halving.py
	$(BIN)/python bench/winnow.py
	$(BIN)/python bench/multiclass.py
	$(BIN)/python bench/one_at_a_time.py
	$(BIN)/python bench/fuzz.py --inputs 1000000

# The type stubs of the compiled module are generated and committed; a test says when they are stale.
stubs: $(READY)
	$(BIN)/python tools/make_stubs.py

# What the pages quote of commands, their help and their output, is written by running them; a test says when it is stale.
pages: $(READY)
	$(BIN)/python tools/make_pages.py

# The figures of docs/gallery.md are drawn by the code that the page shows; a test says when they are stale.
gallery: $(READY)
	$(BIN)/python docs/make_gallery.py

$(READY): pyproject.toml CMakeLists.txt $(wildcard cpp/*/*)
	@echo "Building and installing into .venv (a minute or two the first time) ..."
	test -d .venv || $(PYTHON) -m venv .venv
	SKBUILD_CMAKE_DEFINE=NOVIKOFF_STRICT=ON $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

clean:
	rm -rf .venv build
