# SPDX-License-Identifier: BSD-3-Clause
"""For `pip install --no-build-isolation .`: the Python package alone, against a library that is installed, or that `make lib` has left in
build/. pyproject.toml has the rest."""
import os

from setuptools import setup

folder = "build-pip"  # build/ is CMake's
os.makedirs(folder, exist_ok=True)
setup(cffi_modules=["bindings/python/build_c.py:builder"],
      options={"build": {"build_base": folder}, "egg_info": {"egg_base": folder}})
