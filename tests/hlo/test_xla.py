"""XLA itself reads what `isomer hlo show` prints, as the same module; its opcodes have the attributes of our table."""

import json
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
PROGRAM = os.environ.get("ISOMER_PROGRAM", str(FOLDER.parents[1] / "build/release/isomer"))
PYTHON = os.environ.get("ISOMER_JAXLIB_PYTHON", sys.executable)

# Each text in a process of its own: a failed check of XLA ends the process that it is in.
CANONICAL = """
import json, os, sys
from jax._src.lib import xla_client
options = xla_client.hlo.HloPrintOptions()
options.print_large_constants = True

def canonical(text):
    try:
        return [True, xla_client.hlo.hlo_module_from_text(text).to_string(options)]
    except Exception as error:
        return [False, str(error)]

def apart(text):
    end, start = os.pipe()
    if os.fork() == 0:
        with os.fdopen(start, "w") as pipe:
            json.dump(canonical(text), pipe)
        os._exit(0)
    os.close(start)
    with os.fdopen(end) as pipe:
        answer = pipe.read()
    os.wait()
    return json.loads(answer) if answer else [False, "XLA ended"]

json.dump([apart(text) for text in json.load(sys.stdin)], sys.stdout)
"""


def has_jaxlib() -> bool:
    return subprocess.run([PYTHON, "-c", "import jax._src.lib"], capture_output=True).returncode == 0


def in_xla(texts: list[str]) -> list[tuple[bool, str]]:
    """Per text whether XLA reads it, and how XLA prints it (or what it says)."""
    done = subprocess.run([PYTHON, "-c", CANONICAL], input=json.dumps(texts), capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"XLA ended with {done.returncode}: {done.stderr[-2000:]}")
    return [tuple(pair) for pair in json.loads(done.stdout)]


def show(dialect: str, path: Path) -> str:
    return subprocess.run([PROGRAM, "hlo", "show", dialect, path], capture_output=True, text=True, check=True).stdout


def rows() -> dict[str, tuple[int | None, set[str]]]:
    """Opcode: number of operands, attributes of its own; read from our tables."""
    source = FOLDER.parents[1] / "src/hlo"
    spelled = dict(re.findall(r'HLO_ATTRIBUTE\(\s*(k\w+),\s*"([^"]+)"', (source / "attributes.inc").read_text()))
    pattern = r'HLO_OPCODE\(\s*k\w+,\s*"([^"]+)",\s*(\w+),\s*\w+,\s*SET\(([^)]*)\),\s*SET\(([^)]*)\)\)'
    out = {}
    for opcode, arity, required, optional in re.findall(pattern, (source / "opcodes.inc").read_text()):
        names = {spelled[name.strip()] for name in (required + "," + optional).split(",") if name.strip()}
        out[opcode] = (int(arity) if arity.isdigit() else None, names)
    return out


COMMON = {"sharding", "frontend_attributes", "statistics", "parameter_replication", "control-predecessors", "origin", "metadata",
          "backend_config"}


def probes(opcode: str, arity: int | None) -> list[str]:
    """Modules in which an instruction has an attribute that none has: XLA answers with those that it may have."""
    lists = [["a"] * arity] if arity is not None else [["a"], ["p", "a", "a"], ["i", "a"], ["a", "a"]]
    out = []
    for operands in lists:
        inside = {"parameter": "4", "constant": "{1,2}"}.get(opcode, ", ".join(operands))
        for shape in ("f32[2]", "((f32[2]), f32[2], s32[])", "(f32[2])", "(f32[2],f32[2])"):
            source = "s" if opcode in ("async-update", "async-done") else inside
            out.append("HloModule m\nf {\n x = f32[2] parameter(0)\n ROOT r = f32[2] negate(x)\n}\nENTRY e {\n a = f32[2] parameter(0)\n"
                       " p = pred[] parameter(1)\n i = s32[] parameter(2)\n t = token[] parameter(3)\n"
                       " s = ((f32[2]), f32[2], s32[]) async-start(a), calls=f\n"
                       f" ROOT r = {shape} {opcode}({source}), no_such_attribute=3\n}}")
    return out


@unittest.skipUnless(has_jaxlib(), "the package jaxlib is not installed")
class Xla(unittest.TestCase):
    def test_reads_what_we_print(self):
        paths = sorted(path for path in FOLDER.rglob("*") if path.suffix in (".txt", ".hlo"))
        self.assertGreater(len(paths), 60)
        originals = in_xla([path.read_text() for path in paths])
        for dialect in ("--short", "--long"):
            printed = in_xla([show(dialect, path) for path in paths])
            for path, (read, original), (again, ours) in zip(paths, originals, printed, strict=True):
                with self.subTest(path=path.name, dialect=dialect):
                    self.assertTrue(read, original)
                    self.assertTrue(again, ours)
                    # XLA reads its own -0 as 0: ours keeps the sign.
                    self.assertEqual(ours, original)

    def test_opcodes_have_the_attributes_of_our_table(self):
        asked = 0
        texts = [(opcode, text) for opcode, (arity, _) in rows().items() for text in probes(opcode, arity)]
        answers: dict[str, list[str]] = {}
        for (opcode, _), (_, answer) in zip(texts, in_xla([text for _, text in texts]), strict=True):
            answers.setdefault(opcode, []).append(answer)
        for opcode, (_, ours) in rows().items():
            found = [re.search(r"Allowed attributes: ([^\n]*)", answer) for answer in answers[opcode]]
            allowed = {name for match in found if match for name in match[1].split(", ")}
            with self.subTest(opcode=opcode):
                if allowed:
                    asked += 1
                    self.assertEqual(ours, allowed - COMMON)
        self.assertGreater(asked, 125)


if __name__ == "__main__":
    unittest.main()
