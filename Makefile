# Every target does its own set-up: a virtual environment in .venv with what it needs from PyPI.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := pyproject.toml CMakeLists.txt $(shell find src core/include core/src bindings -type f \
             -not -path '*/__pycache__/*' -not -name '*.so')
CPP_FILES := $(shell find core bindings -name '*.hpp' -o -name '*.cpp')

.PHONY: demo test test-python test-core lint format sanitize stubs benchmark clean

demo: $(VENV)/installed.stamp  ## score the bundled example and print the best parent sets
	mkdir -p build/demo
	$(BIN)/arcwise simulate asia --rows 2000 --seed 1 --out build/demo/asia.csv
	$(BIN)/arcwise score build/demo/asia.csv --score bdeu --max-indegree 3 \
	    --out build/demo/asia.jkl

test: test-core test-python  ## all tests

test-python: $(VENV)/installed.stamp
	$(BIN)/python -m pytest -n auto tests --pyargs arcwise

test-core: $(VENV)/tools.stamp
	$(BIN)/cmake -S . -B build/core-tests -G Ninja -DARCWISE_CORE_TESTS=ON \
	    -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja
	$(BIN)/cmake --build build/core-tests --target core_tests
	$(BIN)/ctest --test-dir build/core-tests --output-on-failure

sanitize: $(VENV)/tools.stamp  ## the tests of the core under address and undefined sanitizers
	$(BIN)/cmake -S . -B build/sanitize -G Ninja -DARCWISE_CORE_TESTS=ON -DARCWISE_SANITIZE=ON \
	    -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja
	$(BIN)/cmake --build build/sanitize --target core_tests
	$(BIN)/ctest --test-dir build/sanitize --output-on-failure

lint: $(VENV)/installed.stamp $(VENV)/tools.stamp  ## ruff, mypy, clang-format, stub up to date
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run -Werror $(CPP_FILES)
	$(BIN)/python -m nanobind.stubgen -q -m arcwise._core -o build/_core.pyi
	diff build/_core.pyi src/arcwise/_core.pyi

format: $(VENV)/tools.stamp  ## put everything into the form `lint` wants
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CPP_FILES)

stubs: $(VENV)/installed.stamp $(VENV)/tools.stamp  ## the types of the extension module
	$(BIN)/python -m nanobind.stubgen -q -m arcwise._core -o src/arcwise/_core.pyi

benchmark: $(VENV)/installed.stamp  ## speed and memory, as ratios measured side by side
	$(BIN)/python benchmarks/scoring.py
	$(BIN)/python benchmarks/sums.py

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/tools.stamp: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet cmake ninja nanobind "numpy>=1.26" $(shell \
	    $(PYTHON) -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['project']['optional-dependencies']['lint'])")
	touch $@

$(VENV)/installed.stamp: $(BIN)/python $(SOURCES)
	$(BIN)/python -m pip install --quiet ".[test]"
	touch $@

clean:
	rm -rf build $(VENV)
