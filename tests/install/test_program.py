"""What `make install` brings is enough by itself: the program runs with the workers and rules beside it."""

import os
import subprocess
import unittest

from install.installed import BUILD, VERSION, Installed, run


class Program(Installed):
    def test_it_runs_with_what_was_installed(self):
        program = self.prefix / "bin/isomer"
        elsewhere = {name: value for name, value in os.environ.items() if not name.startswith("ISOMER_")}
        self.assertIn(VERSION, run(program, "--version", env=elsewhere))
        self.assertIn("rules", run(program, "rules", "list", env=elsewhere))
        needed = run("ldd", program)
        self.assertIn(str(self.prefix), next(line for line in needed.splitlines() if "highs" in line))
        for name in ("workers/protocol.py", "rules"):
            self.assertTrue((self.prefix / "share/isomer" / name).exists(), name)

    def test_it_compiles_with_what_was_installed(self):
        """The archive that shared objects are linked with, and the library that holds LLVM where the build had one."""
        private = list(self.prefix.glob("lib*/**/isomer/libisomer_model.a"))
        self.assertEqual(len(private), 1)
        built = (BUILD / "libisomer_llvm.so").exists()
        self.assertEqual((private[0].parent / "libisomer_llvm.so").exists(), built)
        elsewhere = {name: value for name, value in os.environ.items() if not name.startswith("ISOMER_")}
        graph = self.prefix / "relu.graph"
        graph.write_text('graph {\n  %x = input{name="x"} : f32[8]\n  %y = relu(%x) : f32[8]\n  return %y\n}\n')
        done = subprocess.run([self.prefix / "bin/isomer", "compile", graph, "-o", self.prefix / "relu.so"], env=elsewhere,
                              capture_output=True, text=True)
        for path in self.prefix.glob("relu.*"):
            path.unlink()
        self.assertEqual(done.returncode, 0 if built else 5, done.stderr)

    def test_nothing_else_is_installed(self):
        """The Python package is pip's: `make build` does not build it."""
        self.assertEqual(sorted(path.name for path in self.prefix.iterdir()), ["bin", "include", "lib", "share"])


if __name__ == "__main__":
    unittest.main()
