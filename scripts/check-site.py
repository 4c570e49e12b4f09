#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Follows every link of a folder of HTML pages: check-site.py FOLDER

Files and anchors must exist, code blocks must be blocks, and nothing may be fetched from a network to show a page."""
import html.parser
import pathlib
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    """The anchors of a page, where it leads, and what it loads."""

    def __init__(self, path):
        super().__init__()
        self.anchors, self.links, self.loads = set(), set(), set()
        self.has_fence = False  # a code block that was not understood
        self.feed(path.read_text(errors="replace"))

    def handle_data(self, data):
        self.has_fence |= "```" in data

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        for name in ("id", "name"):
            if values.get(name):
                self.anchors.add(values[name])
        if tag == "a" and values.get("href"):
            self.links.add(values["href"])
        if values.get("src"):
            self.loads.add(values["src"])
        if tag == "link" and values.get("rel") in ("stylesheet", "icon"):
            self.loads.add(values["href"])


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    pages = {path: Page(path) for path in root.rglob("*.html")}
    # The page that a server shows instead of one that is not there has absolute links.
    pages.pop(root / "404.html", None)
    troubles = []
    for path, page in pages.items():
        if path.is_relative_to(root / "api"):  # doxygen's own
            continue
        if page.has_fence:
            troubles.append(f"{path.relative_to(root)}: a code block is shown as text")
        for link in sorted(page.links | page.loads):
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in page.loads and parts.scheme not in ("data", "javascript"):
                    troubles.append(f"{path.relative_to(root)}: loads '{link}'")
                continue
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            if not target.exists():
                troubles.append(f"{path.relative_to(root)}: '{link}' leads nowhere")
            elif parts.fragment and target in pages and \
                    urllib.parse.unquote(parts.fragment) not in pages[target].anchors:
                troubles.append(f"{path.relative_to(root)}: '{link}' has no such place")
    print("\n".join(troubles + [f"{len(pages)} pages, {len(troubles)} troubles"]))
    return 1 if troubles else 0


if __name__ == "__main__":
    sys.exit(main())
