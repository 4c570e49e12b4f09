#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The Debian packages of build-packages: lintian finds nothing, and what they hold works when unpacked.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/check-container.py
packages=$PWD/build-packages
lintian --fail-on error,warning --allow-root "$packages"/*.deb

root=$packages/root
rm -rf "$root"
for package in daedal libdaedal0.1 libdaedal-dev python3-daedal; do
  dpkg-deb -x "$packages/${package}"_*.deb "$root"
  test -s "$root/usr/share/doc/$package/copyright"
done
triplet=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
libraries=$root/usr/lib/$triplet
readelf -d "$libraries/libdaedal.so.0.1" | grep -q 'SONAME.*\[libdaedal\.so\.0\.1\]'
dpkg-deb -f "$packages"/libdaedal0.1_*.deb Depends | grep -q libklu
dpkg-deb -f "$packages"/python3-daedal_*.deb Depends | grep -q 'libdaedal0.1 (= '

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
# The program, its manual page and its examples.
"$root/usr/bin/daedal" simulate "$root/usr/share/doc/daedal/examples/linkage.mo" -o linkage.csv --quiet
test -s linkage.csv
man --warnings -l "$root/usr/share/man/man1/daedal.1.gz" 2> man.log > /dev/null
test ! -s man.log
# The library, found by pkg-config.
export PKG_CONFIG_PATH=$libraries/pkgconfig LD_LIBRARY_PATH=$libraries
cp "$OLDPWD/tests/install/main.cpp" .
read -ra flags <<< "$(pkg-config --cflags --libs daedal)"
c++ -std=c++20 -O0 main.cpp "${flags[@]}" -o pendulum
./pendulum > /dev/null
# The Python package.
PYTHONPATH=$root/usr/lib/python3/dist-packages PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -c '
import daedal
result = daedal.solve_dae(lambda t, y, yp: [yp[0] + y[0], y[1] - y[0]], (0, 1), [1, 1], rtol=1e-8)
assert result.success and abs(result.y[0, -1] - 0.36787944) < 1e-6'
# What the shells complete.
completed() { # completed SHELL WANTED TEXT...
  grep -qx -- "$2" <<< "$3" || { echo "$1 does not complete to '$2' but to: $3"; exit 1; }
}
in_bash() {
  bash -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _daedal; printf "%s\n" "${COMPREPLY[@]}"' \
    - "$root/usr/share/bash-completion/completions/daedal" "$@"
}
completed bash simulate "$(in_bash daedal sim)"
completed bash --report "$(in_bash daedal simulate model.mo --rep)"
completed bash orthogonal-projection "$(in_bash daedal simulate model.mo --method ortho)"
completed bash linkage "$(in_bash daedal new li)"
completed bash linkage.csv "$(in_bash daedal simulate li)"
in_fish() { fish --no-config -c "source $root/usr/share/fish/vendor_completions.d/daedal.fish; complete -C '$1'" | cut -f1; }
completed fish simulate "$(in_fish 'daedal sim')"
completed fish --report "$(in_fish 'daedal simulate model.mo --rep')"
completed fish orthogonal-projection "$(in_fish 'daedal simulate model.mo --method ortho')"
zsh -n "$root/usr/share/zsh/vendor-completions/_daedal"
# A release can be configured where there is no history.
mkdir release
tar -xzf "$packages"/daedal-*.tar.gz -C release --strip-components=1
cmake -S release -B release/build -G Ninja -DCMAKE_BUILD_TYPE=Release -Wno-dev > /dev/null
echo "packages: lintian finds no fault; program, library, Python package and completions work"
