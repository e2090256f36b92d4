"""An empty folder in which a test types commands as a reader would: `isomer` and `python` are on the PATH, and what
is kept between runs is kept there."""

import os
from pathlib import Path

ROOT = Path(__file__).parent.parent.resolve()


def sandbox(folder: Path, build: Path) -> tuple[Path, dict]:
    """The folder for the commands, below `folder`, and their environment."""
    tools, work = folder / "bin", folder / "work"
    tools.mkdir()
    (tools / "isomer").symlink_to(build / "isomer")
    work.mkdir()
    environment = dict(os.environ, SRC=str(ROOT), LC_ALL="C.UTF-8", XDG_CACHE_HOME=str(folder / "cache"),
                       PATH=f"{tools}:{ROOT / '.venv/bin'}:{os.environ['PATH']}")
    environment.pop("ISOMER_CACHE", None)  # it would come before that
    environment.setdefault("ISOMER_PYTHON", str(ROOT / ".venv/bin/python"))
    return work, environment
