# Every target does its own set-up: a virtual environment in .venv with what it needs from PyPI.
#
# What is built is kept: C++ objects under build/, the environment under .venv. A stamp in .venv
# says when a step was last done, so a target that is up to date starts at once.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

# Folders are listed too, so that a file taken away counts as a change.
SOURCES := pyproject.toml CMakeLists.txt $(shell find src core/arcwise bindings \
             -name __pycache__ -prune -o -not -name '*.so' -print)
CPP_FILES = $(shell find core bindings -name '*.hpp' -o -name '*.cpp')

# $(call wanted,KEYS): the requirements at project KEYS of pyproject.toml, quoted for the shell.
wanted = $(shell $(BIN)/python -c "import tomllib; \
    print(*map(repr, tomllib.load(open('pyproject.toml', 'rb'))$(1)))")
say = @printf '%s\n' "$(1)"

.PHONY: help demo coverage faults fuzz fuzz-sanitize test test-python test-core test-browser test-gpu test-install test-oldest docs lint format sanitize stubs benchmark speed-gate wheels test-compilers cross-compile test-emulated papers test-neighbours clean
.NOTPARALLEL:

help:  ## this list
	@echo "make TARGET, where TARGET is one of:"
	@sed -n 's/^\([a-z-]*\):.*  ## \(.*\)/  \1\t\2/p' Makefile | expand -t 18

demo: $(VENV)/installed.stamp  ## learn the bundled example: its edges, and a report page to look at
	@mkdir -p build/demo
	$(BIN)/arcwise simulate asia --rows 2000 --seed 1 --out build/demo/asia.csv
	$(BIN)/arcwise learn build/demo/asia.csv --max-indegree 3 --seed 1 --title "ASIA" \
	    --out build/demo
	$(call say,Look at build/demo/report.html in a browser.)

test: test-core test-python  ## all tests

# Over the objects of the extension, and without installing it again when they change.
test-core: build/python/build.ninja  ## the tests of the C++ core, without Python
	$(call say,Testing the core:)
	@$(BIN)/cmake --build build/python --target core_tests -- --quiet
	@$(call run_core_tests,build/python)

# Every core has a process of tests already, and threads of BLAS would only wait for each other.
# Bytecode is kept: each of these processes, and of those that tests start, would compile all
# modules anew.
ONE_THREAD := OPENBLAS_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=
# One process more than there are cores, as some tests wait.
PYTEST = pytest -n $$(($$(nproc) + 1)) --dist worksteal tests --pyargs arcwise

test-python: $(VENV)/test.stamp  ## the tests of the Python package, examples in docstrings included
	$(call say,Testing the package:)
	@$(ONE_THREAD) $(BIN)/python -m $(PYTEST)

# Processes that tests start in other folders find the file by its whole name.
coverage: export COVERAGE_FILE := $(abspath build/coverage/lines)
coverage: $(VENV)/coverage.stamp  ## which lines of the package its tests run
	@rm -rf build/coverage && mkdir -p build/coverage
	@$(ONE_THREAD) $(BIN)/python -m coverage run -m $(PYTEST)
	@$(BIN)/python -m coverage combine --quiet
	@$(BIN)/python -m coverage report

# Twice as many processes as cores: half of them wait for a process to start or a disk to write.
faults: $(VENV)/test.stamp  ## runs killed, disks filled, ledgers damaged; some minutes
	$(call say,Killing runs and damaging their files:)
	@$(ONE_THREAD) $(BIN)/python -m pytest -n $$((2 * $$(nproc))) --dist worksteal tests/faults

# make fuzz SECONDS=3600 PROCESSES=64 SEED=7 ARGUMENTS="--target npz"
SECONDS ?= 300
PROCESSES ?= $(shell nproc)
SEED ?= 0
FUZZ := tests/fuzz/run.py --seconds $(SECONDS) --processes $(PROCESSES) --seed $(SEED) $(ARGUMENTS)

fuzz: $(VENV)/test.stamp  ## hostile files, arrays and arguments, for SECONDS on PROCESSES cores
	$(call say,Fuzzing for $(SECONDS) s:)
	@$(BIN)/python $(FUZZ)

# The extension with its sanitizers goes beside the sources, in a package of its own. Python itself
# is not built with them, so their library comes first and what Python leaves is not looked for.
fuzz-sanitize: $(VENV)/test.stamp  ## the readers of files fuzzed under address and undefined sanitizers
	$(call say,Building the extension with sanitizers:)
	@rm -rf build/sanitized && mkdir -p build/sanitized && cp -r src/arcwise build/sanitized/arcwise
	@rm -f build/sanitized/arcwise/_core*.so
	@$(BIN)/cmake -S . -B build/sanitize-extension -G Ninja -DSKBUILD=1 -DARCWISE_SANITIZE=ON \
	    -DSKBUILD_PROJECT_VERSION="$$($(BIN)/python -c 'import arcwise; print(arcwise.__version__)')" \
	    -DARCWISE_TESTING=ON -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja \
	    -DPython_EXECUTABLE=$(abspath $(BIN))/python >/dev/null
	@$(BIN)/cmake --build build/sanitize-extension --target extensions -- --quiet
	@cp build/sanitize-extension/_core*.so build/sanitized/arcwise/
	$(call say,Fuzzing the readers for $(SECONDS) s:)
	@PYTHONPATH=build/sanitized LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) \
	    $$($(CXX) -print-file-name=libubsan.so) $$($(CXX) -print-file-name=libstdc++.so)" \
	    ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:handle_segv=0 \
	    UBSAN_OPTIONS=print_stacktrace=1 $(BIN)/python $(FUZZ) --readers

test-browser: docs $(VENV)/test-browser.stamp  ## report page and documentation in a real browser, Debian's chromium
	@command -v chromium >/dev/null || { echo "The report page is tested in chromium, which is" \
	    "not there; on Debian: apt-get install chromium"; exit 1; }
	$(call say,Testing the report page:)
	@$(BIN)/python -m pytest tests/browser

# $(call wheel,TESTING): ON for a wheel that tests run with, OFF for one as users have it. The objects
# of the extension are those that are there; an old wheel may have another name.
define wheel
@rm -rf build/wheel
@$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation \
    --config-settings build-dir=build/python --config-settings cmake.define.ARCWISE_TESTING=$(1) \
    $(STRICT) --wheel-dir build/wheel .
endef

test-install: $(VENV)/test.stamp  ## README's first snippet, in a fresh environment with the plain install
	$(call say,Trying README's first minute:)
	$(call wheel,OFF)
	@$(BIN)/python -m pytest tests/install

# make wheels PYTHONS="python3.11 /opt/python3.13/bin/python": these instead of all that are found.
PYTHONS ?=

wheels: $(BIN)/python  ## source archive and wheels: built, repaired, audited, and run in clean environments
	$(call say,Building and trying the wheels:)
	@$(BIN)/python tools/build_wheels.py --out build/wheels $(addprefix --python=,$(PYTHONS))

# The packages around arcwise are heavy and bind each other's versions, so that they have an
# environment of their own. pgmpy needs torch for its option torch only, which is not asked for.
# pathmc has one more, as it needs PyMC and a newer Python; make test-neighbours NEWER_PYTHON=...
# R finds arcwise by reticulate; on Debian: apt-get install r-cran-reticulate r-cran-lavaan
NEIGHBOURS := build/neighbours
# Not what is on the PATH but what runs: it may be the name of a version that is not there.
NEWER_PYTHON ?= $(shell for each in python3.13 python3.12 \
    $${PYENV_ROOT:-$$HOME/.pyenv}/versions/3.1[32].*/bin/python; do \
    $$each -c 'import sys; print(sys.executable)' 2>/dev/null && break; done)
RSCRIPT ?= $(shell Rscript -e 'library(reticulate); library(lavaan)' >/dev/null 2>&1 && command -v Rscript)

test-neighbours: $(NEIGHBOURS)/neighbours.stamp  ## scikit-learn, pgmpy, causal-learn, DoWhy, pathmc and R, as installed
	@if test -n "$(NEWER_PYTHON)"; then $(MAKE) --no-print-directory $(NEIGHBOURS)/pathmc.stamp; \
	    else echo "Without pathmc, as Python 3.12 or newer was not found: make NEWER_PYTHON=... ."; fi
	$(call say,Testing the neighbours:)
	@export ARCWISE_RSCRIPT="$(RSCRIPT)"; \
	    test -n "$$ARCWISE_RSCRIPT" || echo "Without R, as Rscript with reticulate and lavaan was not found."; \
	    export ARCWISE_PATHMC_PYTHON=$$(ls $(abspath $(NEIGHBOURS))/pathmc/bin/python 2>/dev/null); \
	    SCIPY_ARRAY_API=1 $(ONE_THREAD) $(NEIGHBOURS)/python/bin/python -m pytest -n $$(nproc) \
	    tests/neighbours

$(NEIGHBOURS)/neighbours.stamp: $(VENV)/installed.stamp
	$(call say,Setting up $(NEIGHBOURS)/python)
	@$(PYTHON) -m venv $(NEIGHBOURS)/python
	@$(subst $(BIN),$(NEIGHBOURS)/python/bin,$(PIP)) \
	    $(call wanted,['project']['optional-dependencies']['test-neighbours']) \
	    $(call wanted,['project']['dependencies'])
	$(call wheel,OFF)
	@$(subst $(BIN),$(NEIGHBOURS)/python/bin,$(PIP)) --no-deps --force-reinstall build/wheel/*.whl
	@touch $@

$(NEIGHBOURS)/pathmc.stamp:
	$(call say,Setting up $(NEIGHBOURS)/pathmc)
	@mkdir -p $(NEIGHBOURS)
	@$(NEWER_PYTHON) -m venv $(NEIGHBOURS)/pathmc
	@$(subst $(BIN),$(NEIGHBOURS)/pathmc/bin,$(PIP)) 'pathmc>=0.4'
	@touch $@

# Everything that pyproject.toml has a minimum of, in the environments of users and of tests, in just
# that version; `make test` has the newest of everything.
OLDEST := build/oldest

test-oldest: $(OLDEST)/oldest.stamp  ## the tests of the package with the oldest versions of all it needs
	$(call say,Testing the package with the oldest versions:)
	@$(ONE_THREAD) $(OLDEST)/python/bin/python -m $(PYTEST)

$(OLDEST)/oldest.stamp: $(VENV)/test.stamp
	$(call say,Setting up $(OLDEST)/python)
	@$(PYTHON) -m venv $(OLDEST)/python
	@$(subst $(BIN),$(OLDEST)/python/bin,$(PIP)) $(subst >=,==, \
	    $(call wanted,['project']['dependencies']) \
	    $(call wanted,['project']['optional-dependencies']['test']))
	$(call wheel,ON)
	@$(subst $(BIN),$(OLDEST)/python/bin,$(PIP)) --no-deps --force-reinstall build/wheel/*.whl
	@touch $@

# With the CuPy that is there, or that of `make test-gpu GPU=gpu-cuda13`.
GPU ?= gpu

test-gpu: $(VENV)/test.stamp  ## the kernels on a graphics processor, against plain C++ and the core
	@$(BIN)/python -c "import cupy" 2>/dev/null || \
	    $(PIP) $(call wanted,['project']['optional-dependencies']['$(GPU)'])
	$(call say,Testing the kernels on the device:)
	@ARCWISE_TEST_DEVICE=gpu $(BIN)/python -m pytest tests/gpu

# Examples are run and links are checked while it is built; any warning is an error. Always all of
# it: a page that did not change would keep what an earlier version of the package printed.
docs: $(VENV)/docs.stamp  ## the documentation site, in build/docs
	$(call say,Building the documentation:)
	@$(ONE_THREAD) $(BIN)/python -m sphinx --builder html --fresh-env --fail-on-warning --keep-going \
	    --quiet docs build/docs
	$(call say,Look at build/docs/index.html in a browser.)

sanitize: $(VENV)/tools.stamp  ## the tests of the core under address and undefined sanitizers
	$(call say,Testing the core with sanitizers:)
	@$(BIN)/cmake -S . -B build/sanitize -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja \
	    -DARCWISE_SANITIZE=ON -DARCWISE_WARNINGS_AS_ERRORS=ON >/dev/null
	@$(BIN)/cmake --build build/sanitize --target core_tests -- --quiet
	@$(call run_core_tests,build/sanitize)

# Two builds of the core that gcc's own does not show: by clang, and without what gcc and clang have
# beyond the standard, as other compilers get it.
test-compilers: $(VENV)/tools.stamp  ## the tests of the core by clang, and in plain C++
	@command -v clang++ >/dev/null || { echo "clang++ is not there; on Debian: apt-get install clang"; \
	    exit 1; }
	$(call say,Testing the core by clang:)
	@$(call build_core,build/clang,-DCMAKE_CXX_COMPILER=clang++)
	@$(call run_core_tests,build/clang)
	$(call say,Testing the core in plain C++:)
	@$(call build_core,build/plain,-DARCWISE_PLAIN=ON -DARCWISE_WARNINGS_AS_ERRORS=ON)
	@$(call run_core_tests,build/plain)

# $(call build_core,FOLDER,OPTIONS): the tests of the core alone.
build_core = $(BIN)/cmake -S . -B $(1) -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja \
    $(2) >/dev/null && \
    $(BIN)/cmake --build $(1) --target core_tests -- --quiet

# The compiler of other systems: clang with the headers and libraries of them all. It is not a cache's
# kind of compiler, and reads no precompiled headers.
ZIG = $(shell $(BIN)/python -c "import os, ziglang; print(os.path.dirname(ziglang.__file__))")/zig
foreign = -DCMAKE_CXX_COMPILER="$(ZIG);c++;-target;$(1)" -DCMAKE_CXX_COMPILER_LAUNCHER= \
    -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON

cross-compile: $(VENV)/zig.stamp  ## whether the core compiles for musl, ARM, macOS and Windows
	$(call say,Compiling the core for other systems:)
	@$(BIN)/python tools/cross_compile.py

# Linked statically, so that they run without the libraries of these systems.
test-emulated: $(VENV)/tools.stamp $(VENV)/zig.stamp  ## the tests of the core over musl, and on ARM in emulation
	@command -v qemu-aarch64-static >/dev/null || { echo "ARM is emulated by qemu, which is not" \
	    "there; on Debian: apt-get install qemu-user-static"; exit 1; }
	$(call say,Testing the core over musl:)
	@$(call build_core,build/musl,$(call foreign,x86_64-linux-musl))
	@$(call run_core_tests,build/musl)
	$(call say,Testing the core on ARM:)
	@$(call build_core,build/arm,$(call foreign,aarch64-linux-musl) -DCMAKE_SYSTEM_NAME=Linux \
	    -DCMAKE_SYSTEM_PROCESSOR=aarch64)
	@$(call run_core_tests,build/arm,qemu-aarch64-static)

EXTENSIONS := _core _core_testing
# $(call write_stubs,FOLDER)
write_stubs = for name in $(EXTENSIONS); do \
    $(BIN)/python -m nanobind.stubgen -q -m arcwise.$$name -o $(1)/$$name.pyi || exit 1; done

lint: $(VENV)/lint.stamp  ## ruff, mypy, clang-format, includes, the stubs of the extensions
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --quiet --check .
	$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/clang-format --dry-run -Werror $(CPP_FILES)
	@$(BIN)/python tools/include_cycles.py
	@$(BIN)/python tools/standard_includes.py
	@$(call write_stubs,build)
	@for name in $(EXTENSIONS); do diff build/$$name.pyi src/arcwise/$$name.pyi || \
	    { echo "src/arcwise/$$name.pyi is out of date; run make stubs"; exit 1; }; done

format: $(VENV)/lint.stamp  ## put everything into the form lint wants
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	@$(BIN)/clang-format -i $(CPP_FILES)

stubs: $(VENV)/installed.stamp  ## write the types of the extensions
	@$(call write_stubs,src/arcwise)

benchmark: $(VENV)/test.stamp  ## speed and memory, as ratios measured side by side
	$(BIN)/python benchmarks/run.py scoring sums exact sampling accuracy linear-extensions \
	    candidates candidate-times seconds cluster features

# make speed-gate BASE=v0.1.0 CASES="learn mcmc": cases whose names begin so.
BASE ?= HEAD~1
OF ?= HEAD

speed-gate: $(VENV)/test.stamp  ## the commit OF against BASE, in turns: which cases are slower
	@$(BIN)/python benchmarks/speed_gate.py --base $(BASE) --of $(OF) $(CASES)

# make papers DATA=~/tables, where DATA holds the data sets that docs/papers names, as CSV.
DATA ?= data
PAPERS := partial_orders annealed_importance_sampling efficient_structure_learning \
    exact_dag_sampling layering

papers: $(VENV)/test.stamp  ## the experiments of five papers, with the data sets in DATA: minutes each
	@set -e; for name in $(PAPERS); do $(BIN)/python papers/$$name.py --data $(DATA) \
	    --out build/papers/$$name; done

clean:  ## remove the environment and everything built
	rm -rf build $(VENV)

# $(call run_core_tests,FOLDER,EMULATOR): each core takes a share of the tests, and another when it
# is done.
SHARES := 16
run_core_tests = seq 0 $$(($(SHARES) - 1)) | \
    xargs -P $$(nproc) -I{} $(2) $(1)/core_tests "" {} $(SHARES)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and \
	    "arcwise needs Python 3.11 or newer: make PYTHON=python3.11 ...")'
	$(call say,Setting up $(VENV))
	@$(PYTHON) -m venv $(VENV) || \
	    { echo "On Debian, install the package python3-venv first."; rm -rf $(VENV); exit 1; }

$(VENV)/tools.stamp: $(BIN)/python pyproject.toml
	$(call say,Installing what builds the C++ core)
	@$(PIP) $(call wanted,['build-system']['requires']) 'cmake>=3.24' 'ninja>=1.11'
	@touch $@

# Warnings are errors for those who change arcwise. For those who try it, a compiler with new
# warnings must do; a folder where they are errors already stays so, rather than be built anew.
STRICT := $(if $(filter-out demo,$(MAKECMDGOALS)),\
    --config-settings cmake.define.ARCWISE_WARNINGS_AS_ERRORS=ON)

# Built with the tools above, not with a second copy of them; objects stay in build/python.
define install
$(call say,Building and installing arcwise)
@$(PIP) --no-build-isolation --config-settings build-dir=build/python \
    --config-settings cmake.define.ARCWISE_TESTING=ON $(STRICT) .
@touch $(VENV)/installed.stamp
endef

$(VENV)/installed.stamp: $(VENV)/tools.stamp $(SOURCES)
	$(install)

build/python/build.ninja: | $(VENV)/tools.stamp
	$(install)

$(VENV)/test.stamp: $(VENV)/installed.stamp
	@$(PIP) $(call wanted,['project']['optional-dependencies']['test'])
	@touch $@

$(VENV)/zig.stamp: | $(BIN)/python
	@$(PIP) 'ziglang>=0.14'
	@touch $@

$(VENV)/coverage.stamp: $(VENV)/test.stamp
	@$(PIP) $(call wanted,['project']['optional-dependencies']['coverage'])
	@touch $@

$(VENV)/test-browser.stamp: $(VENV)/installed.stamp
	@$(PIP) $(call wanted,['project']['optional-dependencies']['test-browser'])
	@touch $@

$(VENV)/docs.stamp: $(VENV)/installed.stamp
	@$(PIP) $(call wanted,['project']['optional-dependencies']['docs'])
	@touch $@

# The types of the tests are checked too, so what they import is wanted.
$(VENV)/lint.stamp: $(VENV)/test.stamp $(VENV)/test-browser.stamp
	@$(PIP) $(call wanted,['project']['optional-dependencies']['lint'])
	@touch $@
