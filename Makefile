# pario: the commands of README.md. CMake does the building; this file only
# knows the trees: build/openmpi, build/mpich, build/serial and build/nompiio
# (MPI for synchronisation only).
#
#   make run            set up, build, run the main job on 4 processes
#   make test           set up, build all trees, run all tests
#   make check          what a change needs first: unit and command line tests
#   make lint           clang-format, clang-tidy, cppcheck, layering, man pages
#   make asan|tsan|valgrind   the tests under these tools
#   make test-cluster   Slurm and file systems that the tests start (as root)
#   make scaling        counts, model and curves of docs/scaling.md (as root)
#   make sheet          pages of the suites on one sheet: build/sheet.png
#   make truth          figures against a device of known speed (as root)
#   make fuzz           the readers against any bytes, FUZZ_SECONDS each
#   make attack         bad surroundings, sudden ends, hostile input: an hour
#   make deb            Debian packages into dist/ (script/deb --try: and tried)
#   make build|bench|install|dist

MPI ?= openmpi
NP ?= 4
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
WERROR ?= $(if $(CI),ON,OFF)

CMAKE = cmake -G Ninja -DPARIO_WERROR=$(WERROR)
MPI_FLAGS = -DMPI_C_COMPILER=mpicc.$(1) -DMPIEXEC_EXECUTABLE=$$(command -v mpirun.$(1))
TREES = openmpi mpich serial nompiio
# Most of a test is waiting: more at a time than there are cores.
TESTS_AT_A_TIME = $(shell expr 3 \* $(JOBS))
CTEST = ctest --output-on-failure --no-tests=error -j $(TESTS_AT_A_TIME)
# Without MPI-IO only the unit tests and PRIOmark differ: the rest is tested
# in the other trees; reports know nothing of the MPI library. What is labelled
# one-tree takes long and is the same everywhere: Open MPI's tree runs it; ceph,
# which `make test-cluster` installs, and wide, many processes, are left to that.
WHICH_nompiio = -L 'unit|prio' -LE one-tree
WHICH_openmpi = -LE 'ceph|wide'
WHICH_mpich = -LE 'report|fuzz|one-tree|ceph|wide'
WHICH_serial = -LE 'report|one-tree'
RUN_TESTS = ./script/run-tests build/$(1) -j $(TESTS_AT_A_TIME) $(WHICH_$(1))

.PHONY: run test check test-cluster build lint asan tsan valgrind fuzz attack truth scaling sheet bench bench-shipio bench-gains install dist deb setup setup-tests setup-cluster clean \
	$(TREES:%=build-%) $(TREES:%=test-%)

run: build-$(MPI)
	./script/run-main build/$(MPI)/bin/pario $(NP)

build: $(TREES:%=build-%)

test: setup-tests build
	@status=0; \
	$(foreach tree,$(TREES),echo "== tests of build/$(tree)"; \
	    $(call RUN_TESTS,$(tree)) || status=1;) \
	echo "== fuzzing"; $(MAKE) --no-print-directory fuzz || status=1; \
	exit $$status

test-cluster: setup-cluster build-openmpi build-mpich
	@status=0; \
	$(foreach tree,openmpi mpich,./script/run-tests build/$(tree) -j $(TESTS_AT_A_TIME) -L cluster || status=1;) \
	exit $$status

check: setup-tests build-$(MPI)
	./script/run-tests build/$(MPI) -j $(TESTS_AT_A_TIME) -L 'unit|cli'

build/openmpi/build.ninja build/mpich/build.ninja: build/%/build.ninja: | setup
	$(CMAKE) -S . -B build/$* $(call MPI_FLAGS,$*)
build/serial/build.ninja: | setup
	$(CMAKE) -S . -B build/serial -DPARIO_MPI=OFF

build/nompiio/build.ninja: | setup
	$(CMAKE) -S . -B build/nompiio $(call MPI_FLAGS,openmpi) -DPARIO_MPIIO=OFF

$(TREES:%=build-%): build-%: build/%/build.ninja
	cmake --build build/$* -j $(JOBS)

$(TREES:%=test-%): test-%: build-%
	$(call RUN_TESTS,$*)

# Testing needs more than running.
setup:
	@./script/setup
setup-tests:
	@./script/setup --tests
setup-cluster:
	@./script/setup --cluster

lint: setup-tests build-openmpi
	./script/lint build/openmpi

asan: setup-tests
	$(CMAKE) -S . -B build/asan -DPARIO_SANITIZE=ON -DCMAKE_BUILD_TYPE=Debug \
	    $(call MPI_FLAGS,$(MPI))
	cmake --build build/asan -j $(JOBS)
	cd build/asan && ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0 \
	    $(CTEST) -L 'unit|mpi|cli|beffio|iot|prio'
	$(call SHIPIO_TREE,asan-shipio,openmpi,-DSHIPIO_SANITIZE=address$(COMMA)undefined)
	cd build/asan-shipio && $(ASAN_SHIPIO) $(CTEST)
	$(call SHIPIO_TREE,asan-shipio-mpich,mpich,-DSHIPIO_SANITIZE=address$(COMMA)undefined)
	cd build/asan-shipio-mpich && $(ASAN_SHIPIO) $(CTEST) -L asan_mpich

# shipio alone, linked into its tests: sanitizers must be there first. Which
# tests a label names stands in shipio/tests/CMakeLists.txt.
COMMA = ,
SUPPRESSIONS = $(CURDIR)/shipio/tests/suppressions
ASAN_SHIPIO = ASAN_OPTIONS=verify_asan_link_order=0:fast_unwind_on_malloc=0 \
    LSAN_OPTIONS=suppressions=$(SUPPRESSIONS)/lsan.txt:print_suppressions=0
define SHIPIO_TREE
$(CMAKE) -S shipio -B build/$(1) -DSHIPIO_LINK_TESTS=ON \
    -DCMAKE_BUILD_TYPE=Debug $(call MPI_FLAGS,$(2)) $(3)
cmake --build build/$(1) -j $(JOBS)
endef

# -R: the sanitizer finds its place in memory only where that is not random.
# UCX, below MPICH, steps into calls that the sanitizer makes for new threads.
TSAN_SHIPIO = UCX_MEM_EVENTS=no TSAN_OPTIONS="suppressions=$(SUPPRESSIONS)/tsan.txt \
    ignore_noninstrumented_modules=1 exitcode=66" setarch -R
tsan: setup-tests
	$(call SHIPIO_TREE,tsan,openmpi,-DSHIPIO_SANITIZE=thread)
	cd build/tsan && $(TSAN_SHIPIO) $(CTEST)
	$(call SHIPIO_TREE,tsan-mpich,mpich,-DSHIPIO_SANITIZE=thread)
	cd build/tsan-mpich && $(TSAN_SHIPIO) $(CTEST) -L tsan_mpich

MEMCHECK = valgrind;-q;--error-exitcode=9;--leak-check=full;--show-leak-kinds=definite$(COMMA)possible;--errors-for-leak-kinds=definite$(COMMA)possible;--suppressions=$(SUPPRESSIONS)/valgrind.txt
valgrind: setup-tests
	$(call SHIPIO_TREE,valgrind,openmpi,'-DSHIPIO_TEST_WRAPPER=$(MEMCHECK)')
	cd build/valgrind && $(CTEST) -L 'valgrind$$'
	$(call SHIPIO_TREE,valgrind-mpich,mpich,'-DSHIPIO_TEST_WRAPPER=$(MEMCHECK)')
	cd build/valgrind-mpich && $(CTEST) -L valgrind_mpich

# A short run with every `make test`, ten minutes after a change to a reader:
# as it is built for users, and without optimisation, where the compiler leaves
# out no access that the checks could find.
FUZZ_SECONDS ?= 3
FUZZ_READERS = timings result prio iot hints keywords trace history import jobs
FUZZ_LEVELS = O0 O2
fuzz: setup-tests
	for level in $(FUZZ_LEVELS); do \
	    $(CMAKE) -S . -B build/fuzz-$$level -DCMAKE_C_COMPILER=clang \
	        -DCMAKE_BUILD_TYPE=None $(call MPI_FLAGS,openmpi) -DPARIO_SANITIZE=ON \
	        -DPARIO_FUZZ=ON -DPARIO_WERROR=OFF \
	        -DCMAKE_C_FLAGS="-$$level -fsanitize=fuzzer-no-link,bounds" >/dev/null && \
	    cmake --build build/fuzz-$$level -j $(JOBS) \
	        --target $(FUZZ_READERS:%=fuzz_%) && \
	    (cd build/fuzz-$$level && mkdir -p $(FUZZ_READERS:%=new/%) && \
	        printf '%s\n' $(FUZZ_READERS) | xargs -P $(JOBS) -I{} sh -c \
	            'exec bin/fuzz_{} -max_total_time=$(FUZZ_SECONDS) -verbosity=0 \
	            -rss_limit_mb=1024 -timeout=10 -artifact_prefix=new/ new/{} \
	            $(CURDIR)/tests/fuzz/corpus/{}') || exit 1; done

# A standing attack: bad surroundings, sudden ends, hostile input. The whole
# takes an hour; ATTACK_SECONDS=300 is a part of it, another one each time.
ATTACK_SECONDS ?= 3600
attack: setup-tests build-$(MPI)
	./tests/attack/attack.py --build build/$(MPI) --seconds $(ATTACK_SECONDS)

# The table of docs/measuring.md, its lines in build/truth.md; ROWS=name,name
# for a part of it.
truth: setup-tests build-openmpi build-mpich
	@rm -f build/truth.md; for tree in openmpi mpich; do \
	    python3 tests/truth/truth.py --tree build/$$tree --folder build --table build/truth.md $(if $(ROWS),--rows $(ROWS)) || status=1; \
	done; exit $${status:-0}

# Counts of messages against formulas, a model of times, curves to 100,000
# ranks: results in build/scaling, the picture in docs/img.
scaling: setup-tests build-openmpi
	./bench/scaling all $(SCALING)

sheet: setup-tests build-openmpi
	python3 tests/report/sheet.py build/openmpi/bin/pario web build/sheet.png

bench: setup-tests build
	./bench/run build

# shipio against what MPICH and Open MPI offer; ARGS=--quick for a subset.
bench-shipio: setup-tests build-openmpi build-mpich
	for tree in openmpi mpich; do cmake --build build/$$tree --target mpiio_work mpiyield; done
	./shipio/bench/bench-shipio --openmpi build/openmpi --mpich build/mpich $(ARGS)
	$(MAKE) bench-gains

# What each of shipio's optimisations is worth; GAINS=options of the script.
bench-gains: build-openmpi
	cmake --build build/openmpi --target slowfs
	./shipio/bench/bench-gains --build build/openmpi $(GAINS)

install: build-$(MPI)
	cmake --install build/$(MPI) --prefix $(PREFIX)

dist: setup
	./script/dist

deb:
	@./script/setup --packages
	./script/deb

clean:
	rm -rf build dist
