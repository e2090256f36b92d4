"""Nothing is ever half-written: the main job is killed at a hundred moments, and writes to file systems of many sizes, all too small or
just large enough. What lies under a name afterwards is what was there before, or whole."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import numpy as np
import onnx
import onnxruntime

PROGRAM = os.environ.get("ISOMER_PROGRAM", "build/release/isomer")
MAKE = Path(__file__).parents[1] / "data/files/make.py"
MOMENTS = 100
WORDS = ("--cost", "roofline:cpu", "--pairs", "6", "--dim", "n=3")
HAS_MOUNTS = subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False).returncode == 0 if shutil.which("unshare") else False


def computes_as(path, original):
    """Whether the model is whole: it is read, checked, and computes what the original does."""
    onnx.checker.check_model(str(path), full_check=True)
    x = {"x": np.random.default_rng(0).standard_normal((3, 8)).astype(np.float32)}
    got, want = (onnxruntime.InferenceSession(p, providers=["CPUExecutionProvider"]).run(None, x)[0] for p in (path, original))
    return np.allclose(got, want, atol=1e-5)


class HalfWritten(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="isomer-half-")
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)
        subprocess.run([sys.executable, MAKE], check=True, cwd=self.path)
        self.out = self.path / "out"
        self.environment = {**os.environ, "ISOMER_CACHE": str(self.path / "cache")}

    def command(self, source, *words):
        return [PROGRAM, "-q", "optimize", self.path / source, "-o", self.out / source, "--record", self.out / "record.json", *WORDS, *words]

    def judge(self, folder, source, before):
        """Of what lies there: the model, its weights, the report, the record. `before`: what lay there, by name."""
        for path in folder.iterdir():
            if path.name.startswith(".isomer-"):
                continue
            data = path.read_bytes()
            if before.get(path.name) == data:
                continue
            if path.suffix == ".onnx":
                self.assertTrue(computes_as(path, self.path / source), path)
            elif path.suffix == ".html":
                self.assertTrue(data.rstrip().endswith(b"</html>"), path)
            elif path.suffix == ".json":
                self.assertTrue(data.rstrip().endswith(b"}"), path)
            else:
                self.assertTrue(path.name.endswith((".data", ".bin")), path)
        for name in before:
            self.assertTrue((folder / name).exists(), f"{name} is gone")

    def fresh(self, source, kept):
        """An output folder; `kept`: where another model lies under the name that will be written."""
        shutil.rmtree(self.out, ignore_errors=True)
        self.out.mkdir()
        if kept:
            shutil.copy(self.path / "m.onnx", self.out / source)
        return {p.name: p.read_bytes() for p in self.out.iterdir()}

    def test_killed_at_any_moment(self):
        for _ in range(2):  # the first one keeps verdicts and costs, as what is killed finds them: the second is timed
            self.fresh("m.onnx", False)
            begin = time.monotonic()
            subprocess.run(self.command("m.onnx"), check=True, env=self.environment, stdout=subprocess.DEVNULL)
            whole = time.monotonic() - begin
        ended = 0
        for moment in range(MOMENTS):
            source, kept = ("m.onnx", "parted.onnx")[moment % 2], moment % 4 < 2
            with self.subTest(moment=moment, source=source, kept=kept):
                before = self.fresh(source, kept)
                process = subprocess.Popen(self.command(source), env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                time.sleep(1.05 * whole * moment / MOMENTS)
                ended += process.poll() is not None
                process.send_signal(signal.SIGKILL)
                process.wait()
                self.judge(self.out, source, before)
        self.assertLess(ended, MOMENTS // 2, "most were killed too late")
        subprocess.run(self.command("m.onnx"), check=True, env=self.environment, stdout=subprocess.DEVNULL)
        self.assertEqual([p.name for p in self.out.iterdir() if p.name.startswith(".isomer-")], [], "what killed ones left")
        subprocess.run([PROGRAM, "cache", "info"], check=True, env=self.environment, stdout=subprocess.DEVNULL)

    def on_a_disk_of(self, kib, where, command):
        """With a file system of that size at `where`, kept beside it afterwards."""
        seen = self.path / "seen"
        shutil.rmtree(seen, ignore_errors=True)
        script = f'mount -t tmpfs -o size={kib}k tmpfs "$0" && cp -a "$1/." "$0/" && shift && "$@"; s=$?; cp -a "{where}" "{seen}"; exit $s'
        held = self.path / "held"
        held.mkdir(exist_ok=True)
        done = subprocess.run(["unshare", "-rm", "bash", "-c", script, where, held, *command], env=self.environment, capture_output=True, text=True, check=False)
        return done, seen

    @unittest.skipUnless(HAS_MOUNTS, "no file system can be mounted here (unshare -rm)")
    def test_full_disk(self):
        """4 KiB is a page, the least that such a file system has."""
        statuses = set()
        for source in ("m.onnx", "parted.onnx"):
            for pages in (1, 2, 3, 4, 5, 6, 8, 12, 20, 40, 100, 1000):
                with self.subTest(source=source, pages=pages):
                    self.fresh(source, False)
                    done, seen = self.on_a_disk_of(4 * pages, self.out, self.command(source))
                    statuses.add(done.returncode)
                    self.assertIn(done.returncode, (0, 3), done.stderr)
                    if done.returncode == 3:
                        self.assertIn("No space left on device", done.stderr)
                    self.assertEqual([p.name for p in seen.iterdir() if p.name.startswith(".isomer-")], [])
                    self.judge(seen, source, {})
        self.assertEqual(statuses, {0, 3})

    @unittest.skipUnless(HAS_MOUNTS, "no file system can be mounted here (unshare -rm)")
    def test_full_disk_for_what_is_kept_between_runs(self):
        """The job is done all the same."""
        cache = self.path / "cache"
        cache.mkdir()
        for pages in (1, 4, 12):
            with self.subTest(pages=pages):
                self.fresh("m.onnx", False)
                done, _ = self.on_a_disk_of(4 * pages, cache, self.command("m.onnx"))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.judge(self.out, "m.onnx", {})


if __name__ == "__main__":
    unittest.main()
