"""The command `isomer`, as pip installs it: becomes the program that lies in the package."""

import os
import sys


def main() -> None:
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "isomer")
    if not os.path.exists(program):
        sys.exit(f"isomer: {program} is not there; reinstall isomer-opt")
    # Workers run in this very Python, which has their runtimes.
    if sys.executable:
        os.environ.setdefault("ISOMER_PYTHON", sys.executable)
    os.execv(program, ["isomer", *sys.argv[1:]])
