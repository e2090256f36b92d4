"""help() says something of every public name: beside its signature, which the compiled module gives by itself."""

import importlib
import inspect
import re
import unittest

MODULES = ("isomer", "isomer.hlo", "isomer.native", "isomer.cluster", "isomer.envs")
SIGNATURE = re.compile(r"^\s*(\d+\. ``)?\w*\(.*\)( -> .*)?$")


def words(thing):
    """The documentation without lines that are signatures."""
    lines = (getattr(thing, "__doc__", None) or "").splitlines()
    return "\n".join(line for line in lines if line.strip() and not SIGNATURE.match(line) and line != "Overloaded function.")


def public(module):
    """Names and things: of the module, then of its classes."""
    for name in getattr(module, "__all__", None) or [n for n in vars(module) if not n.startswith("_")]:
        thing = getattr(module, name)
        own = (getattr(thing, "__module__", None) or "").startswith("isomer")
        if not own or not (inspect.isclass(thing) or inspect.isroutine(thing)):
            continue
        yield name, thing
        if inspect.isclass(thing):
            for of_class, member in vars(thing).items():
                if not of_class.startswith("_"):
                    yield f"{name}.{of_class}", getattr(member, "__func__", member)


class Documentation(unittest.TestCase):
    def test_every_public_name_has_words(self):
        for name in MODULES:
            try:
                module = importlib.import_module(name)
            except ImportError as missing:
                if missing.name not in ("gymnasium", "numpy"):
                    raise
                continue
            for thing, what in public(module):
                with self.subTest(f"{name}.{thing}"):
                    self.assertTrue(words(what))

    def test_a_signature_alone_is_no_word(self):
        def said(text):
            return words(type("Thing", (), {"__doc__": text}))
        self.assertFalse(said("find(self, eclass: int) -> int"))
        self.assertFalse(said("(self) -> list[int]"))
        self.assertTrue(said("find(self, eclass: int) -> int\n\nThe class that stands for this one."))


if __name__ == "__main__":
    unittest.main()
