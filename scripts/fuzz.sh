#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Fuzzes with sanitizers for the given number of seconds: half of them the model text reader, guided by what it covers,
# half the whole program with model texts, options and CSV files.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=$((${1:-600} / 2))
cmake --preset fuzz -Wno-dev > /dev/null
cmake --build --preset fuzz --target parse_model_fuzz -j "$(nproc)"
mkdir -p build-fuzz/corpus
build-fuzz/bin/parse_model_fuzz -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
  -print_final_stats=1 -dict=tests/fuzz/model.dict build-fuzz/corpus tests/fuzz/corpus
cmake --preset asan -Wno-dev > /dev/null
cmake --build --preset asan --target daedal_app -j "$(nproc)"
tests/fuzz/program_fuzz.py --seconds "$seconds" --seed "$RANDOM"
