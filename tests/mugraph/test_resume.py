"""A search that is killed goes on where it was, and finds what it would have found."""
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

PROGRAM = os.environ.get("ISOMER_PROGRAM", "build/release/isomer")


class Resume(unittest.TestCase):
    def search(self, folder: pathlib.Path, output: str, *more: str) -> subprocess.Popen:
        return subprocess.Popen(
            [PROGRAM, "mugraph", "search", "qknorm_gqa", "--max-block-ops", "7", "--no-floats", "--fresh", "--json", "-o",
             str(folder / output), *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=dict(os.environ, ISOMER_CACHE=str(folder / "cache")))

    def finish(self, process: subprocess.Popen) -> dict:
        out, err = process.communicate()
        self.assertEqual(process.returncode, 0, err)
        return json.loads(out)

    def test_killed_again_and_again(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            begin = time.time()
            whole = self.finish(self.search(folder, "whole.json"))
            # Late enough for something to have been kept (each second), early enough to be in the midst of it.
            alive = max(1.2, min(2.5, (time.time() - begin) / 2))
            checkpoint = ["--checkpoint", str(folder / "search.sqlite")]
            killed = 0
            for threads in ("1", "2", "2"):
                process = self.search(folder, "killed.json", "--threads", threads, *checkpoint)
                deadline = time.time() + alive
                while process.poll() is None and time.time() < deadline:
                    time.sleep(0.05)
                if process.poll() is None:
                    process.send_signal(signal.SIGKILL)
                    killed += 1
                process.communicate()
            resumed = self.finish(self.search(folder, "resumed.json", *checkpoint))
            self.assertGreater(killed, 0)
            self.assertGreater(resumed["resumed"], 0)
            for key in ("states", "queries", "pruned", "candidates", "tested", "passed", "verified", "unique"):
                self.assertEqual(resumed[key], whole[key], key)
            self.assertEqual((folder / "resumed.json").read_bytes(), (folder / "whole.json").read_bytes())


if __name__ == "__main__":
    unittest.main()
