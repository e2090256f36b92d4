"""What `make install` and a wheel bring is all that the sources name, and shows nothing of other projects."""

import re
import tempfile
import tomllib
import unittest
from pathlib import Path

from install.installed import BUILD, ROOT, Installed, run

SOURCES = [file.read_text() for folder in ("src", "include") for file in sorted((ROOT / folder).rglob("*"))
           if file.suffix in (".cpp", ".h")]
DATA = "share/isomer"


def named(pattern: str) -> set[str]:
    """What the pattern's group finds in the sources; a pattern that finds nothing is out of date."""
    found = {name for text in SOURCES for name in re.findall(pattern, text)}
    assert found, pattern
    return found


def files_below(folder: Path, pattern: str = "*") -> set[str]:
    return {str(file.relative_to(folder)) for file in folder.rglob(pattern) if file.is_file()}


def exported(library: Path) -> list[str]:
    return [line.split()[-1] for line in run("nm", "-D", "--defined-only", library).splitlines()]


class Contents(Installed):
    def installed_library(self, name: str) -> Path:
        return next(self.prefix.glob(f"lib*/**/{name}"))

    def test_what_the_sources_look_for_is_there(self):
        for path in named(r'find_installed\(\s*\{"\w+", "([^"]+)"'):
            self.assertTrue((self.prefix / path).exists(), path)
        for library in ("libisomer_model.a", "libisomer_gpu_model.a"):
            self.assertTrue(self.installed_library(library).exists())

    def test_every_worker(self):
        there = files_below(self.prefix / DATA / "workers")
        self.assertEqual(there, files_below(ROOT / "workers", "*.py"))
        self.assertLessEqual(named(r'"(\w+_worker\.py)"'), there)

    def test_every_rule_file(self):
        there = files_below(self.prefix / DATA / "rules")
        self.assertEqual(there, files_below(ROOT / "rules"))
        self.assertLessEqual(named(r'"/(\w+\.rules|taso_\w+\.txt)"'), there)

    def test_every_start_graph(self):
        there = files_below(self.prefix / DATA / "start_graphs")
        self.assertEqual(there, files_below(ROOT / "tests/data/tensat/models/dag"))
        self.assertIn("squeezenet.dag", there)

    def test_every_hlo_module_with_its_licence(self):
        there = files_below(self.prefix / DATA / "hlo_modules")
        corpus = ROOT / "tests/hlo/corpus"
        self.assertEqual(there, {f for f in files_below(corpus) if not f.startswith("algsimp/")})
        self.assertIn("LICENSE-hloenv", there)

    def test_no_library_is_taken_from_the_build(self):
        for file in (self.prefix / "bin/isomer", self.installed_library("libisomer.so.*")):
            for path in re.findall(r"=> (/\S+)", run("ldd", file)):
                self.assertFalse(Path(path).is_relative_to(ROOT), f"{file.name} needs {path}")
            self.assertNotIn("not found", run("ldd", file))

    def test_libraries_show_only_names_of_ours(self):
        others = [name for name in exported(self.installed_library("libisomer.so.*")) if "6isomer" not in name]
        self.assertEqual(others, [])
        if (BUILD / "libisomer_llvm.so").exists():
            self.assertEqual(exported(self.installed_library("libisomer_llvm.so")), ["isomer_llvm_api"])


class Wheel(unittest.TestCase):
    """What pip puts into the package: components of the same installation, beside python/isomer."""

    def test_its_components_hold_the_command_the_module_and_the_headers(self):
        pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text())
        module_is_built = (BUILD / "python/isomer/_isomer.abi3.so").exists()
        with tempfile.TemporaryDirectory(prefix="isomer-wheel-") as package:
            for component in pyproject["tool"]["scikit-build"]["install"]["components"]:
                if component == "python" and not module_is_built:
                    continue
                run("cmake", "--install", BUILD, "--prefix", package, "--component", component)
            there = files_below(Path(package))
            self.assertLessEqual({"bin/isomer", "include/isomer/model.h"}, there)
            self.assertEqual([name for name in there if Path(package, name).is_symlink()], [], "a wheel holds no links")
            if module_is_built:
                self.assertEqual(exported(Path(package, "_isomer.abi3.so")), ["PyInit__isomer"])
        module, function = pyproject["project"]["scripts"]["isomer"].split(":")
        self.assertIn(f"def {function}(", (ROOT / "python" / f"{module.replace('.', '/')}.py").read_text())


if __name__ == "__main__":
    unittest.main()
