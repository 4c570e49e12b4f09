#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Fuzzes the model text reader with sanitizers for the given number of seconds.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-600}
cmake --preset fuzz -Wno-dev > /dev/null
cmake --build --preset fuzz --target parse_model_fuzz -j "$(nproc)"
mkdir -p build-fuzz/corpus
build-fuzz/bin/parse_model_fuzz -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
  -print_final_stats=1 -dict=tests/fuzz/model.dict build-fuzz/corpus tests/fuzz/corpus
