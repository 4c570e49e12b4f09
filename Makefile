# SPDX-License-Identifier: BSD-3-Clause
# The front door. `make demo` and `make test` do everything on a fresh Debian 12 machine:
# install what is missing, configure, build, run.

JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 600
# How sources are compiled together. From scratch the layers are quickest; who edits wants UNITY=folders, or cmake's
# presets. A build folder keeps what it was made with.
UNITY ?= $(or $(shell sed -n 's/^DAEDAL_UNITY:STRING=//p' build/CMakeCache.txt 2> /dev/null),layers)
VERSION := $(shell awk '/^project/ {print $$3}' CMakeLists.txt)

# Packages that a user without root has unpacked (scripts/install-deps.sh TASK --local).
LOCAL := $(CURDIR)/.deps/usr
ifneq ($(wildcard $(LOCAL)),)
comma := ,
space := $() $()
TRIPLET := $(shell g++ -print-multiarch)
LOCAL_LIBRARIES := $(CURDIR)/.deps/lib/$(TRIPLET) $(addprefix $(LOCAL)/lib/$(TRIPLET),/ /blas /lapack)
export PATH := $(LOCAL)/bin:$(PATH)
export CMAKE_PREFIX_PATH := $(LOCAL)
export CMAKE_INCLUDE_PATH := $(LOCAL)/share/javascript/chart.js
export LD_LIBRARY_PATH := $(subst $(space),:,$(LOCAL_LIBRARIES))
export LDFLAGS := -Wl,--disable-new-dtags $(addprefix -Wl$(comma)-rpath$(comma),$(LOCAL_LIBRARIES))
endif

.DEFAULT_GOAL := build
.PHONY: peers gauntlet faults
.PHONY: configure build demo test test-cluster test-report test-walk docs test-docs python test-python msl bench studies check tidy asan tsan fuzz verify install packages dist test-packages clean
.PHONY: deps-build deps-test deps-cluster deps-python deps-bench deps-check deps-report deps-docs deps-packages

# Each task installs what it needs and no more.
deps-build deps-test deps-cluster deps-python deps-bench deps-check deps-report deps-docs deps-packages: deps-%:
	@scripts/install-deps.sh $*

configure: deps-test
	@cmake --preset release -Wno-dev -DDAEDAL_UNITY=$(UNITY) -DDAEDAL_BUILD_TESTS=ON -DDAEDAL_BUILD_PYTHON=ON > build-configure.log 2>&1 || { cat build-configure.log; rm -f build-configure.log; exit 1; }
	@rm -f build-configure.log

build: configure
	@cmake --build build -j $(JOBS)

demo: deps-build
	@UNITY=$(UNITY) scripts/demo.sh

test: build
	@ctest --test-dir build --output-on-failure -j $(JOBS) -LE cluster
	@scripts/test-install.sh
	@echo "Not run here: make test-cluster, test-report, test-walk, test-docs, test-packages, test-python (make verify runs them)"

# Sweeps and runs by PETSc in several processes of mpirun. Each plug-in is one source, built beside the program.
test-cluster: deps-cluster configure
	@cmake -DDAEDAL_WITH_MPI=ON -DDAEDAL_WITH_PETSC=ON build > /dev/null
	@cmake --build build -j $(JOBS) --target daedal_app test_cluster
	@build/bin/test_cluster

# The HTML reports in a real browser.
test-report: build deps-report
	@python3 tests/report/report_test.py build/bin/daedal

# The walk of a newcomer: a clean clone, make demo in it, the first chapter of the guide, a mistake at each step.
test-walk: deps-report
	@tests/report/walk_test.py

# The guide as a site, build/site.
docs: deps-docs
	@scripts/docs.sh

# The commands of the documents, their links, and the schemas of the JSON documents.
test-docs: build docs
	@/usr/bin/python3 scripts/test-docs.py build/bin/daedal
	@/usr/bin/python3 scripts/test-schemas.py build/bin/daedal

# The Python package, in a virtual environment that sees the packages of the system.
python: deps-python configure
	@test -d build/venv || /usr/bin/python3 -m venv --system-site-packages build/venv
	@DAEDAL_BUILD_DIR=$(CURDIR)/build build/venv/bin/pip install --quiet --no-build-isolation --no-deps --force-reinstall ./python
	@echo "build/venv/bin/python has the package daedal"

# Everything about it: with sympy, scipy, matplotlib and pandas, and its types.
test-python: python
	@build/venv/bin/python -m pytest -q -p no:cacheprovider python/tests
	@cd python && mypy --cache-dir=$(CURDIR)/build/mypy --python-executable=$(CURDIR)/build/venv/bin/python

bench: deps-bench
	@scripts/bench.sh

# A folder of Base Modelica models with reference trajectories: make msl DIR=... [MSL_JSON=file]
msl: build
	@test -n "$(DIR)" || { echo "make msl DIR=folder: MODEL.bmo files with MODEL.csv beside them"; exit 2; }
	@scripts/msl.py "$(DIR)" --jobs $(JOBS) $(if $(MSL_JSON),--json "$(MSL_JSON)")

# The classical DAE codes beside this one, in one run; the folder holds their harness:
# make peers DIR=... [PEERS_ARGUMENTS="--quick"]
peers: build
	@test -x "$(DIR)/run.py" || { echo "make peers DIR=folder: the harness, with run.py in it"; exit 2; }
	@"$(DIR)/run.py" $(PEERS_ARGUMENTS)

# Problems with known answers: how many runs are right, warned of, refused and wrong.
gauntlet: build
	@tests/gauntlet/gauntlet.py --jobs $(JOBS)

# Faults from outside and inside: 1,000 signals at random instants, a full disk, a folder that is read-only, memory that
# runs out and functions without a value at random calls.
faults: build
	@tests/faults/faults.py --daedal build/bin/daedal --kills 1000
	@DAEDAL_FAULTS=1000 build/bin/test_faults

studies: build
	@scripts/studies.sh

check: deps-check
	@scripts/check-format.sh
	@scripts/check-layers.py
	@scripts/check-structure.py
	@scripts/tidy.sh quick

tidy: deps-check
	@scripts/tidy.sh broad

asan: deps-check
	@cmake --preset asan -Wno-dev > /dev/null
	@cmake --build --preset asan -j $(JOBS)
	@ctest --preset asan -j $(JOBS)

tsan: deps-check
	@cmake --preset tsan -Wno-dev > /dev/null
	@cmake --build --preset tsan -j $(JOBS) --target test_solve
	@build-tsan/bin/test_solve --gtest_filter='*Thread*:Ensemble*:*Lane*:Problem.*:Setting.*'

fuzz: deps-check
	@scripts/fuzz.sh $(FUZZ_SECONDS)

# All that a change has to pass: tests, those of Python, documents and packages too, checks, sanitizers, a short fuzzing; an hour
# and a half on two cores.
verify: test test-cluster test-report test-walk test-docs test-packages test-python check asan tsan
	@scripts/fuzz.sh 20

install: build
	@cmake --install build --prefix $(PREFIX)

# Debian packages in build-packages: the program, the library, its headers, the Python package.
packages: deps-packages
	@rm -f build-packages/*.deb
	@DEB_BUILD_OPTIONS="parallel=$(JOBS)" debian/rules binary > build-packages.log 2>&1 || { tail -n 40 build-packages.log; exit 1; }
	@rm -f build-packages.log
	@debian/rules clean > /dev/null
	@ls build-packages/*.deb

# The sources of the last commit as a release.
dist:
	@mkdir -p build-packages
	@git archive --prefix=daedal-$(VERSION)/ -o build-packages/daedal-$(VERSION).tar.gz HEAD
	@echo build-packages/daedal-$(VERSION).tar.gz

# lintian about the packages, and a use of each, unpacked; completions in their shells; a release.
test-packages: packages dist
	@scripts/test-packages.sh

clean:
	@rm -rf build build-*

# A target that is not there: what there is.
.DEFAULT:
	@echo "There is no target '$@'. To begin: make demo. To build, test and install: make, make test, make install;" >&2
	@echo "the others: $$(sed -n 's/^\.PHONY: configure //p' Makefile)." >&2
	@exit 2
