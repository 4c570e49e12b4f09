#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs the Debian packages that Daedal is built from. Returns at once when all are there.
# DAEDAL_NO_INSTALL=1: only report what is missing.
set -euo pipefail

packages=(
  g++ cmake ninja-build ccache make git python3
  libeigen3-dev         # dense linear algebra
  libsundials-dev       # IDA and CVODE
  libsuitesparse-dev    # KLU, AMD
  libfmt-dev nlohmann-json3-dev libcli11-dev
  libgtest-dev libgmock-dev libbenchmark-dev
  clang-19 clang-tidy-19 clang-format-19 libclang-rt-19-dev  # checks, sanitizers, fuzzing
)

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' \
    || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

echo "Daedal needs these Debian packages: ${missing[*]}"
if [ "${DAEDAL_NO_INSTALL:-0}" = 1 ]; then
  echo "DAEDAL_NO_INSTALL is set: install them yourself, then try again." >&2
  exit 1
fi
if [ "$(id -u)" -eq 0 ]; then
  as_root=()
elif command -v sudo > /dev/null; then
  as_root=(sudo)
else
  echo "Run as root, or install them yourself: apt-get install ${missing[*]}" >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" > /dev/null
echo "Installed."
