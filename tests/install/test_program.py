"""What `make install` brings is enough by itself: the program runs with the workers and rules beside it."""

import os
import unittest

from install.installed import VERSION, Installed, run


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

    def test_nothing_else_is_installed(self):
        """The Python package is pip's: `make build` does not build it."""
        self.assertEqual(sorted(path.name for path in self.prefix.iterdir()), ["bin", "include", "lib", "share"])


if __name__ == "__main__":
    unittest.main()
