#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "$0")/.."
git ls-files '*.cpp' '*.hpp' | xargs clang-format-19 --dry-run --Werror
missing=$(git ls-files '*.cpp' '*.hpp' '*.sh' '*.py' '*.cmake' '*CMakeLists.txt' Makefile \
  | xargs grep -L 'SPDX-License-Identifier: BSD-3-Clause' || true)
if [ -n "$missing" ]; then
  echo "No SPDX line in:" && echo "$missing" && exit 1
fi
echo "format: clean"
