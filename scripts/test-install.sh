#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs into a scratch prefix and builds the outside project of tests/install against it.
set -euo pipefail
cd "$(dirname "$0")/.."
# Every line of C++ in the README is a line of the outside project.
awk '/^```/ { inside = /^```cpp/; next } inside && NF' README.md | while IFS= read -r line; do
  grep -qF -- "$line" tests/install/main.cpp || { echo "README: not in tests/install: $line"; exit 1; }
done
prefix=build/install-test/prefix
rm -rf build/install-test
cmake --install build --prefix "$prefix" > /dev/null
cmake -S tests/install -B build/install-test/project -G Ninja \
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$PWD/$prefix" > /dev/null
cmake --build build/install-test/project > /dev/null
LD_LIBRARY_PATH=$(dirname "$(find "$PWD/$prefix" -name 'libdaedal.so' | head -n 1)") \
  build/install-test/project/pendulum
echo "install: an outside project finds, links and runs the library"
