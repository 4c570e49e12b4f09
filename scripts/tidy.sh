#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# tidy.sh quick: the bug-finding checks over the library's own sources (part of `make check`).
# tidy.sh broad: every check of .clang-tidy.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset tidy -Wno-dev > /dev/null
checks=()
if [ "$1" = quick ]; then
  checks=(--checks='-*,bugprone-use-after-move,bugprone-infinite-loop,bugprone-dangling-handle,bugprone-sizeof-expression,bugprone-string-constructor,bugprone-unused-raii,performance-for-range-copy,readability-identifier-naming')
fi
log=build-tidy/tidy.log
if ! git ls-files 'src/*.cpp' 'apps/*.cpp' \
    | xargs -P "$(nproc)" -n 4 clang-tidy-19 -p build-tidy --quiet --warnings-as-errors='*' \
      "${checks[@]}" > "$log" 2>&1; then
  grep -E 'error|warning: ' "$log" | grep -v 'warnings generated' | sort -u
  exit 1
fi
echo "tidy ($1): clean"
