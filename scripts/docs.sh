#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The guide as a site in build/site, with the C++ interface from the headers; every link of it is followed.
set -euo pipefail
cd "$(dirname "$0")/.."
/usr/bin/mkdocs build --quiet --strict
doxygen docs/Doxyfile
scripts/check-site.py build/site
echo "Open in a browser: $PWD/build/site/index.html"
echo "The search of the site needs a server: python3 -m http.server --directory build/site"
