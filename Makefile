# The front door. CMake does the work; these are the words to remember.
#
#   make            installs what the build needs and builds what can be built, in build/: without root, too
#   make lib        the library and the drop-in library alone
#   make demo       installs what is missing, builds, runs the main job, shows the result
#   make quick      builds, and runs what finds most mistakes in a minute
#   make test       installs what is missing, builds, runs every test
#   make test-all   the same with the full product of algorithms, patterns and ranks
#   make bench      side-by-side benchmarks
#   make bench-node     ours against MPI, PetscSF and Zoltan on one node, for more than an hour
#   make bench-couple   what building coupling schedules costs, in a minute
#   make bench-cluster  ours against MPI on an emulated cluster, as root, for most of an hour
#   make bench-networks the window that finds itself, and the default against MPI, on ten emulated networks, as root, for two hours
#   make bench-auto     what plans choose by themselves against a search, on those networks and on one node, for some hours
#   make bench-preload  unmodified programs with the drop-in library and without, as root
#   make sim        builds the command and some programs for simulated machines, in build-sim/ (scripts/sim)
#   make experiments    figures of the papers on simulated machines, and whether they confirm what was found there
#   make package    Debian packages, in packages/
#   make format     clang-format on every source
#   make clean      removes what was built

BUILD ?= build
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
CMAKE_OPTIONS ?=

# TARGETS [FOLDER OPTIONS-OF-CMAKE]. Quiet when it works, but for what is left out; when it does not, the end of the log.
define build
	@echo "building $(1) in $(or $(2),$(BUILD))/ ..."
	@{ cmake -S . -B $(or $(2),$(BUILD)) -G Ninja $(3) $(CMAKE_OPTIONS) && cmake --build $(or $(2),$(BUILD)) -j $(JOBS) --target $(1); } \
		> $(or $(2),$(BUILD)).log 2>&1 || { tail -n 30 $(or $(2),$(BUILD)).log >&2; \
		echo "the build failed; the whole log is in $(or $(2),$(BUILD)).log" >&2; exit 1; }
	@sed -n 's/^-- left out:/left out:/p' $(or $(2),$(BUILD)).log
endef

.PHONY: all lib demo quick test test-all bench bench-node bench-couple bench-cluster bench-networks bench-auto bench-preload sim experiments package format setup clean bench-programs

all:
	@scripts/setup build --or-without command python
	$(call build,all)

lib:
	@scripts/setup build
	$(call build,quadrille-libraries)

setup:
	@scripts/setup

demo:
	@scripts/setup build command run
	$(call build,quadrille-command,,-DQDR_COMMAND=ON)
	@scripts/demo $(BUILD)

quick: setup
	@scripts/test --quick

test: setup
	@scripts/test

test-all: setup
	@scripts/test --all

# Benchmarks need the command.
bench bench-node bench-couple bench-cluster bench-networks bench-auto bench-preload: bench-programs
bench-programs:
	@scripts/setup build command run
	$(call build,all,,-DQDR_COMMAND=ON)

bench:
	@scripts/bench $(BUILD)

bench-node:
	@scripts/bench-node --build $(BUILD)

bench-couple:
	@BUILD=$(BUILD) scripts/bench-couple

bench-cluster:
	@scripts/bench-cluster --build $(BUILD)

bench-networks:
	@scripts/bench-networks --build $(BUILD)

bench-auto:
	@scripts/bench-auto --wisdom --build $(BUILD)

bench-preload:
	@scripts/bench-preload --build $(BUILD)

# The command of the ordinary build describes the machines.
sim:
	@scripts/setup build command simulate
	$(call build,quadrille-command,,-DQDR_COMMAND=ON)
	$(call build,sim,build-sim,-DMPI_C_COMPILER=smpicc -DCMAKE_BUILD_TYPE=Release)
	@echo "for example: scripts/sim 64 cm5 build-sim/tools/quadrille bench random:density=0.2,bytes=4K -m cm5"

experiments: bench-programs sim
	@experiments/resolve/run --build $(BUILD)
	@experiments/cm5/run --build $(BUILD) || true
	@experiments/model/run --build $(BUILD)
	@experiments/couple/run --build $(BUILD) --out $(BUILD)/experiments/couple/results

package:
	@scripts/setup build command python package
	@JOBS=$(JOBS) scripts/package

format:
	@git ls-files -co --exclude-standard '*.c' '*.h' '*.cpp' '*.hpp' | xargs clang-format -i

clean:
	rm -rf build build-* *.log demo packages
