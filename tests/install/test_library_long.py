"""Another project, examples/cpp, finds and links the library that `make install` brings; the library finds its rules and workers."""

import os
import unittest
from pathlib import Path

from install.installed import ROOT, VERSION, Installed, run


class Library(Installed):
    def test_the_example_is_built_and_makes_a_model_faster(self):
        build, faster = Path(self.folder.name, "build"), Path(self.folder.name, "faster.onnx")
        run("cmake", "-S", ROOT / "examples/cpp", "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", build)
        found = {name: value for name, value in os.environ.items() if not name.startswith("ISOMER_") or name == "ISOMER_PYTHON"}
        said = run(build / "faster", ROOT / "tests/data/runtime/layer.onnx", faster, env=found)
        self.assertIn(f"isomer {VERSION}", said)
        self.assertTrue(faster.exists())


if __name__ == "__main__":
    unittest.main()
