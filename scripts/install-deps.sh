#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs the Debian packages that Daedal needs for a task:
# install-deps.sh build|test|cluster|python|bench|check|report|docs|packages [--local].
# Returns at once when all are there. DAEDAL_NO_INSTALL=1: only report what is missing. --local: unpack them into the
# folder .deps of the project, where the Makefile finds them; nobody needs to be root for that.
set -euo pipefail
local_folder=$(cd "$(dirname "$0")/.." && pwd)/.deps

build=(
  g++ cmake ninja-build make
  libeigen3-dev         # dense linear algebra
  libsundials-dev       # IDA and CVODE
  libsuitesparse-dev    # KLU, AMD
  libasmjit-dev         # machine code
  libfmt-dev nlohmann-json3-dev libcli11-dev
  libjs-chart.js        # plots of the HTML reports; one file of 200 kB, without a tree of packages
)
test=("${build[@]}" git python3 ccache libgtest-dev libgmock-dev
  python3-dev pybind11-dev python3-numpy python3-pytest)  # the Python package and its tests
# Sweeps and runs by PETSc in several processes.
cluster=("${test[@]}" libopenmpi-dev openmpi-bin libpetsc-real-dev pkg-config)
# What the Python package can work with beside numpy, and what installs it.
python=("${test[@]}" python3-venv python3-pip python3-setuptools python3-wheel
  python3-sympy python3-scipy python3-matplotlib python3-pandas mypy)
bench=("${build[@]}" ccache libbenchmark-dev)
# Format and lint checks, sanitizers and fuzzing.
check=("${test[@]}" clang-19 clang-tidy-19 clang-format-19 libclang-rt-19-dev)

report=("${test[@]}" chromium)
# The guide as a site, its schemas, the commands of its pages.
docs=("${python[@]}" mkdocs mkdocs-material doxygen python3-jsonschema pkg-config)
# Debian packages, and the shells whose completions are tried.
debian=("${test[@]}" dpkg-dev debhelper dh-python lintian pkg-config zsh fish man-db)

task=${1:-build}
case "$task" in
  build) packages=("${build[@]}") ;;
  test) packages=("${test[@]}") ;;
  cluster) packages=("${cluster[@]}") ;;
  python) packages=("${python[@]}") ;;
  bench) packages=("${bench[@]}") ;;
  check) packages=("${check[@]}") ;;
  report) packages=("${report[@]}") ;;
  docs) packages=("${docs[@]}") ;;
  packages) packages=("${debian[@]}") ;;
  *)
    echo "install-deps.sh: '$task' is not one of build, test, cluster, python, bench, check, report, docs, packages." >&2
    exit 2
    ;;
esac

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' \
    || grep -qsx "$package" "$local_folder/unpacked" || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

echo "Daedal needs these Debian packages to $task: ${missing[*]}"
if [ "${DAEDAL_NO_INSTALL:-0}" = 1 ]; then
  echo "DAEDAL_NO_INSTALL is set: install them yourself, then try again." >&2
  exit 1
fi

# Downloads the packages, with what they depend on, and unpacks them; lists and cache are the folder's own.
unpack_locally() {
  for tool in g++ make; do
    command -v "$tool" > /dev/null || { echo "--local needs a compiler that is installed: '$tool' is not there." >&2; exit 1; }
  done
  mkdir -p "$local_folder"/{lists,cache}/partial
  apt=(apt-get -qq -o "Dir::State::Lists=$local_folder/lists" -o "Dir::Cache=$local_folder/cache" -o Debug::NoLocking=1)
  "${apt[@]}" update
  mapfile -t all < <("${apt[@]}" -s --no-install-recommends install "${missing[@]}" | awk '/^Inst / {print $2}')
  (cd "$local_folder/cache" && "${apt[@]}" download "${all[@]}")
  for archive in "$local_folder"/cache/*.deb; do dpkg-deb -x "$archive" "$local_folder"; done
  # libx.so of a -dev package points to the library beside it, which may be installed already.
  find "$local_folder/usr" -xtype l | while IFS= read -r link; do
    installed=$(dirname "/${link#"$local_folder"/}")/$(readlink "$link")
    [ ! -e "$installed" ] || ln -sfn "$installed" "$link"
  done
  printf '%s\n' "${all[@]}" >> "$local_folder/unpacked"
  rm -rf "$local_folder"/{lists,cache}
  echo "Unpacked into $local_folder; make finds them there."
}

if [ "${2:-}" = --local ]; then
  unpack_locally
  exit 0
fi
if [ "$(id -u)" -eq 0 ]; then
  as_root=()
elif command -v sudo > /dev/null && { sudo -n true 2> /dev/null || { [ -t 0 ] && sudo -v; }; }; then
  as_root=(sudo)
else
  cat >&2 << END
You are not root and cannot become it with sudo. One of these leads on:
  - ask an administrator to run:  apt-get install ${missing[*]}
  - unpack them into this folder, where make finds them:  scripts/install-deps.sh $task --local
  - build a container without root:  podman build -t daedal .
END
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" > /dev/null
echo "Installed."
