"""The sources of the kernels, as one text that is compiled at run time.

They stand in `core/arcwise/kernels`, where the tests compile them as plain C++, and are
installed beside this file.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from arcwise.errors import MissingDependencyError

_HERE = Path(__file__).resolve().parent
# Where a wheel has them, and where a source tree does.
_FOLDERS = (_HERE / "kernels", _HERE.parents[2] / "core" / "arcwise" / "kernels")
# Each after those it includes.
_FILES = (
    "platform.hpp",
    "wide.hpp",
    "family_sums.hpp",
    "order_modular.hpp",
    "scaled.hpp",
    "modular_tables.hpp",
    "modular_sets.hpp",
    "modular_tiles.hpp",
    "modular.hpp",
    "random.hpp",
    "order_draws.hpp",
    "elementary.hpp",
    "canonical_weights.hpp",
    "canonical_states.hpp",
    "canonical_orders.hpp",
    "canonical_draws.hpp",
    "relocation.hpp",
    "replicas.hpp",
    "set_walks.hpp",
    "discrete_scores.hpp",
    "gaussian_scores.hpp",
)


@cache
def kernel_source() -> str:
    """Return the kernels as one text without includes of each other.

    Examples
    --------
    >>> "__global__ void forward_sums" in kernel_source()
    True
    >>> '#include "arcwise' in kernel_source()
    False
    """
    folder = next((each for each in _FOLDERS if (each / _FILES[0]).is_file()), None)
    if folder is None:
        raise MissingDependencyError(
            f"the sources of the kernels are missing from '{_FOLDERS[0]}'; install arcwise again"
        )
    lines: list[str] = []
    for name in _FILES:
        for line in (folder / name).read_text(encoding="utf-8").splitlines():
            if not line.startswith(('#include "arcwise', "#pragma once")):
                lines.append(line)
    return "\n".join(lines) + "\n"
