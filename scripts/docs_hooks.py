# SPDX-License-Identifier: BSD-3-Clause
"""Hooks of mkdocs: the documents at the root of the project are pages too, and links between them and
docs/ lead to the pages of the site."""
import pathlib
import re

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parents[1]
AT_ROOT = ("ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")


def on_files(files, config):
    for name in AT_ROOT:
        files.append(File(name, str(ROOT), config["site_dir"], config["use_directory_urls"]))
    return files


def on_page_markdown(markdown, page, config, files):
    # Words behind the language of a block are for scripts/test-docs.py; a name is a title.
    markdown = re.sub(r"^```(\w+) .*?file=([\w.]+)$", r'```\1 title="\2"', markdown, flags=re.M)
    markdown = re.sub(r"^```(\w+) (?!title=).*$", r"```\1", markdown, flags=re.M)
    if page.file.src_path in AT_ROOT:
        return markdown.replace("](docs/", "](")
    up = "../" * (page.file.src_path.count("/") + 1)

    def page_or_name(link):
        text, target = link[1], link[2]
        return f"[{text}]({up[3:]}{target})" if target in AT_ROOT else f"`{target}`"

    # What lies outside of docs/ is a page, or a file of the sources that the reader finds by its name.
    return re.sub(r"\[([^\]]+)\]\(%s([^)]+)\)" % re.escape(up), page_or_name, markdown)
