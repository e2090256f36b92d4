"""tools/site: links of pages, and how the reference reads what the program prints."""

import importlib.machinery
import importlib.util
import re
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2].resolve()
sys.path.insert(0, str(ROOT / "tools"))

import site_reference  # noqa: E402

_LOADER = importlib.machinery.SourceFileLoader("tools_site", str(ROOT / "tools/site"))
site = importlib.util.module_from_spec(importlib.util.spec_from_loader("tools_site", _LOADER))
_LOADER.exec_module(site)

HELP = """what it is for
Usage: isomer thing [OPTIONS] file

Positionals:
  file TEXT REQUIRED          a file

Options:
  -h,--help                   Print this help message and exit
  --a-very-long-name TEXT:{one,two}=one
                              in the next line
  --plain                     here; `this` too

isomer MODEL.onnx [OPTIONS] is short for isomer optimize MODEL.onnx [OPTIONS].
"""


class Links(unittest.TestCase):
    def rewritten(self, text: str, page: str = "docs/mcts.md") -> tuple[str, list[str]]:
        with tempfile.TemporaryDirectory() as folder:
            staging = site.Staging(Path(folder))
            out = re.sub(site.LINK, lambda m: staging.link(m, Path(page), 7), text)
        return out, staging.faults

    def test_links(self):
        for text, page, wanted in (
                ("[a](mugraph.md#files)", "docs/mcts.md", "[a](mugraph.md#files)"),
                ("![a](docs/report.png)", "CONTRIBUTING.md", "![a](report.png)"),
                ("[a](../CHANGELOG.md)", "docs/mcts.md", "[a](changes.md)"),
                ("[a](reference/rules.md)", "docs/mcts.md", "[a](reference/rules.md)"),
                ("[a](https://example.org)", "docs/mcts.md", "[a](https://example.org)"),
                ("[an example](../examples/cpp)", "docs/installing.md", "an example (`examples/cpp`)"),
                ("[examples/cpp](../examples/cpp)", "docs/installing.md", "`examples/cpp`")):
            with self.subTest(text):
                self.assertEqual(self.rewritten(text, page), (wanted, []))

    def test_link_to_nothing(self):
        self.assertEqual(self.rewritten("[a](gone.md)")[1], ["docs/mcts.md:7: a link to gone.md, which is not there"])


class Reference(unittest.TestCase):
    def test_help(self):
        about, usage, sections = site_reference.help_sections(HELP)
        self.assertEqual((about, usage), ("what it is for", "isomer thing [OPTIONS] file"))
        self.assertEqual(sections["Positionals"], [("file TEXT REQUIRED", "a file")])
        self.assertEqual(sections["Options"][1:], [("--a-very-long-name TEXT:{one,two}=one", "in the next line"),
                                                   ("--plain", "here; `this` too")])

    def test_plain_text(self):
        self.assertEqual(site_reference.plain("a_b `c_d` *e*"), r"a\_b `c_d` \*e\*")


if __name__ == "__main__":
    unittest.main()
