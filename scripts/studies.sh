#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The long studies: what is too slow for every run of the tests.
set -euo pipefail
cd "$(dirname "$0")/.."
for program in build/bin/study_*; do
  [ -x "$program" ] || continue
  echo "== $(basename "$program")"
  "$program" "$@"
done
