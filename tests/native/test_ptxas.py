"""What ptxas makes of a handful of kernels: registers and spilled bytes, as golden text (ptxas.txt); beside them the shared memory that
our launch asks for.

    test_ptxas.py --update    writes it anew

Registers depend on the versions of LLVM and ptxas, which are the file's first line: with others nothing is compared, and that is
said as a skip. That no kernel spills is asked in any case.
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from native.gpu_cases import ptxas

GOLDEN = Path(__file__).with_name("ptxas.txt")
PROCESSORS = ("sm_80", "sm_90a")


def graph(inputs, body, result):
    lines = [f'%{name} = input{{name="{name}"}} : {of}' for name, of in inputs.items()]
    return "\n".join(["graph {", *lines, *body, f"return %{result} }}"])


def product(of, rows, inner, columns):
    return graph({"a": f"{of}[{rows},{inner}]", "b": f"{of}[{inner},{columns}]"}, [f"%y = matmul(%a, %b) : {of}[{rows},{columns}]"], "y")


KERNELS = {
    "gelu": graph({"x": "f32[1024,1024]"}, ["%y = gelu(%x) : f32[1024,1024]"], "y"),
    "softmax of rows": graph({"x": "f32[1024,1024]"}, ["%y = softmax{axis=1}(%x) : f32[1024,1024]"], "y"),
    "transposition": graph({"x": "f32[1024,512]"}, ["%y = transpose{perm=[1,0]}(%x) : f32[512,1024]"], "y"),
    "sums of columns": graph({"x": "f32[4096,512]"}, ["%y = reduce_sum{axes=[0], keepdims=0}(%x) : f32[512]"], "y"),
    "product by threads": product("f32", 512, 512, 512),
    "product of halves": product("f16", 512, 512, 512),
    "vector by matrix": product("f16", 1, 4096, 512),
    "attention, a kernel with a schedule": """graph {
    %q = input{name="q"} : f16[2,16,64]
    %k = input{name="k"} : f16[2,64,512]
    %v = input{name="v"} : f16[2,512,64]
    %o = kernel{body={
      %a = input{name="a"} : f16[1,16,64]
      %b = input{name="b"} : f16[1,64,64]
      %c = input{name="c"} : f16[1,64,64]
      %s = matmul(%a, %b) : f16[1,16,64]
      %e = exp(%s) : f16[1,16,64]
      %n = accum.sum(%e) : f16[1,16,1]
      %p = matmul(%e, %c) : f16[1,16,64]
      %t = accum.add(%p) : f16[1,16,64]
      %u = broadcast{shape=[1,16,64]}(%n) : f16[1,16,64]
      %y = div(%t, %u) : f16[1,16,64]
      return %y
    }, grid=[2,1,1], loops=[8], imap=[0,-1,-1,0,-1,-1,0,-1,-1], fmap=[-1,2,1], omap=[0,-1,-1]}(%q, %k, %v) : f16[2,16,64]
    return %o }""",
}


def versions(assembler):
    """Of ptxas, and of the LLVM that this build was configured with."""
    of_ptxas = re.search(r"V([\d.]+)", subprocess.run([assembler, "--version"], capture_output=True, text=True).stdout)[1]
    cache = Path(os.environ["ISOMER_BINARY_DIR"], "CMakeCache.txt").read_text()
    folder = re.search(r"^LLVM_DIR:PATH=(.*)$", cache, re.M)
    config = Path(folder[1] if folder else "", "LLVMConfigVersion.cmake")
    if not config.is_file():
        raise unittest.SkipTest("this build has no LLVM: there are no kernels")
    of_llvm = re.search(r'PACKAGE_VERSION "([^"]+)"', config.read_text())[1]
    return f"ptxas {of_ptxas}, LLVM {of_llvm}"


def assembled(assembler, text, gpu, folder):
    """A line for each kernel of a program."""
    Path(folder, "program.graph").write_text(text)
    shown = subprocess.run([os.environ["ISOMER_PROGRAM"], "graph", "loops", Path(folder, "program.graph"), "--gpu", gpu, "--ptx"],
                           capture_output=True, text=True)
    if shown.returncode == 5:
        raise unittest.SkipTest(shown.stderr.strip())
    if shown.returncode != 0:
        raise AssertionError(shown.stderr)
    shared = dict(re.findall(r"^// (\w+): .* (\d+) bytes of shared memory$", shown.stdout, re.M))
    Path(folder, "kernels.ptx").write_text(shown.stdout[shown.stdout.index("\n.version") + 1:])
    said = subprocess.run([assembler, "-v", f"-arch={gpu}", "-o", Path(folder, "kernels.cubin"), Path(folder, "kernels.ptx")],
                          capture_output=True, text=True)
    if said.returncode != 0:
        raise AssertionError(said.stderr)
    lines = []
    for kernel in sorted(shared):
        about = said.stderr.split(f"'{kernel}'", 1)[1].split("Compiling entry", 1)[0]
        registers = re.search(r"Used (\d+) registers", about)[1]
        spilled = sum(map(int, re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", about).groups()))
        lines.append(f"{kernel.rsplit('_', 1)[1]}: {registers} registers, {spilled} bytes spilled, {shared[kernel]} bytes shared")
    return lines


def all_lines(assembler):
    lines = [versions(assembler)]
    with tempfile.TemporaryDirectory(prefix="isomer-") as folder:
        for name, text in KERNELS.items():
            for gpu in PROCESSORS:
                lines += [f"{name}, {gpu}, kernel {line}" for line in assembled(assembler, text, gpu, folder)]
    return lines


class Ptxas(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not (assembler := ptxas()):
            raise unittest.SkipTest("no ptxas here (requirements-gpu.txt)")
        cls.lines = all_lines(assembler)

    def test_nothing_is_spilled(self):
        self.assertEqual([line for line in self.lines[1:] if ", 0 bytes spilled" not in line], [])

    def test_registers_and_shared_memory_are_those_of_the_golden_text(self):
        golden = GOLDEN.read_text().splitlines()
        if golden[0] != self.lines[0]:
            self.skipTest(f"the golden text is of {golden[0]}; here is {self.lines[0]}")
        self.assertEqual(golden, self.lines)


if __name__ == "__main__":
    if sys.argv[1:] != ["--update"]:
        sys.exit(__doc__)
    GOLDEN.write_text("\n".join(all_lines(ptxas())) + "\n")
