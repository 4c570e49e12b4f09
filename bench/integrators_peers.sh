#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs the peers of integrators_bench, or says that they are absent.
set -euo pipefail
if ! command -v Rscript > /dev/null; then
  echo "R (package r-cran-desolve) absent"
  exit 0
fi
exec Rscript "$(dirname "$0")/peers.R"
