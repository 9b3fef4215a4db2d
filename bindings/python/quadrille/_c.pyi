# SPDX-License-Identifier: BSD-3-Clause
from typing import Any

ffi: Any
lib: Any
