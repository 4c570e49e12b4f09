#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# tidy.sh quick: the bug-finding checks over the library's own sources (part of `make check`), which are read folder by
# folder: headers take most of the time.
# tidy.sh broad: every check of .clang-tidy, each source by itself, which includes what it uses.
set -euo pipefail
cd "$(dirname "$0")/.."
options=()
unite=OFF
if [ "$1" = quick ]; then
  unite=folders
  # A source that is read with its folder counts as a header.
  options=(--header-filter='/(include/daedal|src|apps)/.*\.[ch]pp$'
    --checks='-*,bugprone-use-after-move,bugprone-infinite-loop,bugprone-dangling-handle,bugprone-sizeof-expression,bugprone-string-constructor,bugprone-unused-raii,performance-for-range-copy,readability-identifier-naming')
fi
cmake --preset tidy -Wno-dev -DDAEDAL_UNITY="$unite" > /dev/null
log=build-tidy/tidy.log
# What compiles a folder, and the sources that it does not hold.
folders=$(grep -oE '"file": "[^"]*/build-tidy/(src|apps)/[^"]*/Unity/[^"]*' build-tidy/compile_commands.json | cut -c 10- | sort -u || true)
read_there=$(cat /dev/null $folders | sed -n "s|^#include \"$PWD/\(.*\)\"|\1|p")
if ! { echo "$folders"; git ls-files 'src/*.cpp' 'apps/*.cpp' | grep -vxF "$read_there"; } \
    | xargs -P "$(nproc)" -n 1 clang-tidy-19 -p build-tidy --quiet --warnings-as-errors='*' \
      "${options[@]}" > "$log" 2>&1; then
  grep -E 'error|warning: ' "$log" | grep -v 'warnings generated' | sort -u
  exit 1
fi
echo "tidy ($1): clean"
