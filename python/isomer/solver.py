"""HiGHS, the solver of the extraction, is a shared library in the package highsbox. The module `_isomer` needs it
by name; once it is loaded here, the dynamic linker takes it wherever highsbox is installed."""

import ctypes
import glob
import os


def load_solver() -> None:
    try:
        import highsbox
    except ImportError as error:
        raise ImportError("isomer needs the package highsbox (the HiGHS solver): pip install highsbox") from error
    folder = highsbox.highs_dist_dir()
    for library in sorted(glob.glob(os.path.join(folder, "lib*", "libhighs.so*"))):
        ctypes.CDLL(library)
        return
    raise ImportError(f"no libhighs.so in {folder}: reinstall highsbox")
