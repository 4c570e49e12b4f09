#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the program and solves a first model from its text.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset release -Wno-dev -DDAEDAL_BUILD_TESTS=OFF -DDAEDAL_PRECOMPILE=ON > /dev/null
cmake --build build --target daedal_app -j "$(nproc)"
model=examples/pendulum.mo
echo
echo "\$ build/bin/daedal simulate $model -o build/pendulum.csv"
build/bin/daedal simulate "$model" -o build/pendulum.csv
echo
echo "The first and last lines of build/pendulum.csv:"
head -n 3 build/pendulum.csv
echo "..."
tail -n 1 build/pendulum.csv
