# pario: the commands of README.md. CMake does the building; this file only
# knows the trees: build/openmpi, build/mpich, build/serial and build/nompiio
# (MPI for synchronisation only).
#
#   make run            set up, build, run the main job on 4 processes
#   make test           set up, build all trees, run all tests
#   make lint           clang-format, clang-tidy, cppcheck, layering, man pages
#   make build|asan|bench|install|dist

MPI ?= openmpi
NP ?= 4
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
WERROR ?= $(if $(CI),ON,OFF)

CMAKE = cmake -G Ninja -DPARIO_WERROR=$(WERROR)
MPI_FLAGS = -DMPI_C_COMPILER=mpicc.$(1) -DMPIEXEC_EXECUTABLE=$$(command -v mpirun.$(1))
TREES = openmpi mpich serial nompiio
# Most of a test is waiting: more at a time than there are cores.
CTEST = ctest --output-on-failure --no-tests=error -j $(shell expr 2 \* $(JOBS))
# Without MPI-IO only the unit tests and PRIOmark differ: the rest is tested
# in the other trees.
CTEST_IN = if [ $(1) = nompiio ]; then $(CTEST) -L 'unit|prio'; else $(CTEST); fi

.PHONY: run test build lint asan bench bench-shipio install dist setup setup-tests clean \
	$(TREES:%=build-%) $(TREES:%=test-%)

run: build-$(MPI)
	./script/run-main build/$(MPI)/bin/pario $(NP)

build: $(TREES:%=build-%)

test: setup-tests build
	@status=0; for tree in $(TREES); do \
	    echo "== tests of build/$$tree"; \
	    (cd build/$$tree && $(call CTEST_IN,$$tree)) || status=1; \
	done; exit $$status

build/openmpi/build.ninja build/mpich/build.ninja: build/%/build.ninja: | setup
	$(CMAKE) -S . -B build/$* $(call MPI_FLAGS,$*)
build/serial/build.ninja: | setup
	$(CMAKE) -S . -B build/serial -DPARIO_MPI=OFF

build/nompiio/build.ninja: | setup
	$(CMAKE) -S . -B build/nompiio $(call MPI_FLAGS,openmpi) -DPARIO_MPIIO=OFF

$(TREES:%=build-%): build-%: build/%/build.ninja
	cmake --build build/$* -j $(JOBS)

$(TREES:%=test-%): test-%: build-%
	cd build/$* && $(call CTEST_IN,$*)

# Testing needs more than running.
setup:
	@./script/setup
setup-tests:
	@./script/setup --tests

lint: setup-tests build-openmpi
	./script/lint build/openmpi

asan: setup-tests
	$(CMAKE) -S . -B build/asan -DPARIO_SANITIZE=ON -DCMAKE_BUILD_TYPE=Debug \
	    $(call MPI_FLAGS,$(MPI))
	cmake --build build/asan -j $(JOBS)
	cd build/asan && ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0 \
	    $(CTEST) -L 'unit|mpi|cli|beffio|iot|prio'

bench: setup-tests build
	./bench/run build

# shipio against what MPICH and Open MPI offer; ARGS=--quick for a subset.
bench-shipio: setup-tests build-openmpi build-mpich
	for tree in openmpi mpich; do cmake --build build/$$tree --target mpiio_work mpiyield; done
	./shipio/bench/bench-shipio --openmpi build/openmpi --mpich build/mpich $(ARGS)

install: build-$(MPI)
	cmake --install build/$(MPI) --prefix $(PREFIX)

dist:
	mkdir -p dist
	git archive --prefix=pario/ -o dist/pario-$$(git describe --always).tar.gz HEAD

clean:
	rm -rf build dist
