# SPDX-License-Identifier: BSD-3-Clause
"""What is installed: the library once, and the licence of everything that is compiled into it."""
import importlib.metadata
import re

import pytest


@pytest.fixture(scope="module")
def files():
    return importlib.metadata.files("daedal")


def test_every_part_has_its_licence_text(files):
    (parts,) = [file for file in files if file.name == "THIRD-PARTY.md"]
    table = parts.read_text().partition("A wheel contains no copy")[0]
    named = re.findall(r"^\| [^|]+ \| ([^|]+) \| (\S+) \|", table, re.MULTILINE)[1:]
    assert len(named) == 7
    for licence, text in named:
        (file,) = [file for file in files if file.name == text and "dist-info" in str(file)]
        content = file.read_text()
        assert "Copyright" in content
        assert {"MIT": "without restriction", "BSD-3-Clause": "Redistribution and use",
                "Zlib": "provided 'as-is'", "MPL-2.0": "Mozilla Public License Version 2.0"}[licence.strip()] in content


def test_the_library_is_there_once(files):
    assert len([file for file in files if file.name.startswith("libdaedal.so")]) == 1


def test_the_metadata_names_the_licence_and_what_is_optional():
    metadata = importlib.metadata.metadata("daedal")
    assert metadata["License"] == "BSD-3-Clause"
    assert set(metadata.get_all("Provides-Extra")) >= {"sympy", "plot", "pandas", "progress"}
    required = [item for item in importlib.metadata.requires("daedal") if "extra ==" not in item]
    assert [re.match(r"\w+", item).group() for item in required] == ["numpy"]
