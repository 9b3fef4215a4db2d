# The front door. CMake does the work; these are the words to remember.
#
#   make demo       installs what is missing, builds, runs the main job, shows the result
#   make test       installs what is missing, builds, runs every test
#   make test-all   the same with the full product of algorithms, patterns and ranks
#   make bench      side-by-side benchmarks
#   make format     clang-format on every source

JOBS ?= $(shell nproc 2>/dev/null || echo 2)
BUILD ?= build

.PHONY: all demo test test-all bench format setup clean

all: setup
	@cmake -S . -B $(BUILD) -G Ninja > $(BUILD).log 2>&1 || { cat $(BUILD).log >&2; exit 1; }
	@cmake --build $(BUILD) -j $(JOBS)

setup:
	@scripts/setup

demo: all
	@scripts/demo $(BUILD)

test: setup
	@scripts/test

test-all: setup
	@scripts/test --all

bench: all
	@scripts/bench $(BUILD)

format:
	@git ls-files '*.c' '*.h' | xargs clang-format -i

clean:
	rm -rf build build-* *.log demo
