# SPDX-License-Identifier: BSD-3-Clause
"""Builds the extension module by CMake. With DAEDAL_BUILD_DIR the library is taken from, or built in,
that build folder; `make python` passes the one it has built already."""
import os
import pathlib
import re
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent.parent


class CMakeBuild(build_ext):
    def build_extension(self, ext):
        target = pathlib.Path(self.get_ext_fullpath(ext.name)).resolve().parent
        folder = pathlib.Path(os.environ.get("DAEDAL_BUILD_DIR") or ROOT / "build-python")
        if not (folder / "CMakeCache.txt").exists():
            subprocess.run(["cmake", "-S", str(ROOT), "-B", str(folder), "-G", "Ninja", "-Wno-dev",
                            "-DCMAKE_BUILD_TYPE=Release", "-DDAEDAL_BUILD_TESTS=OFF",
                            "-DDAEDAL_BUILD_PYTHON=ON", f"-DPython_EXECUTABLE={sys.executable}"],
                           check=True)
        subprocess.run(["cmake", "--build", str(folder), "--target", "daedal_python_core"], check=True)
        # What an earlier version has left there may have another name.
        for old in target.glob("libdaedal.so*"):
            old.unlink()
        subprocess.run(["cmake", "--install", str(folder), "--component", "python", "--prefix",
                        str(target)], check=True)
        # A wheel has no links: the library once, by the name that it is loaded by.
        for link in target.glob("libdaedal.so*"):
            if link.is_symlink():
                library = link.resolve()
                link.unlink()
                library.rename(link)


VERSION = re.search(r"project\(daedal VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)

setup(version=VERSION, ext_modules=[Extension("daedal._core", sources=[])],
      cmdclass={"build_ext": CMakeBuild})
