#!/usr/bin/env python3
"""Whether what bench/hlo_drivers/lower.py writes of a package are the modules that XLA dumps when it compiles the same calls.

    python3 bench/hlo_lowered.py --python ENV/bin/python [--only optax,flax] [--sizes 3] [--most 40] [--limit 600]

ENV is that of bench/hlo_packages.py. The first `--most` calls of a package are lowered, and lowered and compiled in another process;
each goes into a data set. The two have to hold the same modules, told by their DAG hashes. Exit status 1 where they do not, or where a
package could not be asked.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from hlo_packages import PACKAGES, collect


def modules(arguments, package, *more):
    """Hashes of what a package's calls come to, and what `collect` said of it."""
    with tempfile.TemporaryDirectory(prefix="isomer-lowered-") as folder:
        said = collect(Path(folder), arguments.python, package, arguments.sizes, arguments.limit, ["--most", str(arguments.most), *more])
        return {file.stem for file in Path(folder, "modules").glob("*.hlo")}, said


def compare(arguments, package):
    """Whether both ways come to the same modules, and a line about it."""
    lowered, said = modules(arguments, package)
    dumped, said_of_dumps = modules(arguments, package, "--compile")
    if lowered and lowered == dumped and not any("time limit" in line for line in (said, said_of_dumps)):
        return True, f"{package}: {len(lowered)} modules, the same"
    return False, (f"{package}: {len(lowered & dumped)} modules the same, {len(lowered - dumped)} lowered only, "
                   f"{len(dumped - lowered)} dumped only ({said}; {said_of_dumps})")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable, help="of the environment that has the packages")
    parser.add_argument("--only", default=",".join(PACKAGES))
    parser.add_argument("--sizes", default="3")
    parser.add_argument("--most", type=int, default=40, help="calls of a package")
    parser.add_argument("--limit", type=float, default=600, help="seconds of a command")
    arguments = parser.parse_args()
    differ = []
    for package in arguments.only.split(","):
        same, line = compare(arguments, package)
        print(line, flush=True)
        if not same:
            differ.append(package)
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
