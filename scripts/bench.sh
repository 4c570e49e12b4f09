#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds and runs every benchmark; arguments go to each program (--benchmark_filter=...).
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset bench -Wno-dev > /dev/null
cmake --build --preset bench -j "$(nproc)"
for program in build-bench/bin/*_bench; do
  echo "== $(basename "$program")"
  "$program" "$@"
done
echo "== peers of the integrators"
bench/integrators_peers.sh
