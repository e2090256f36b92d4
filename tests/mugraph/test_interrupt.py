"""Ctrl-C while muGraphs are searched, verified or benchmarked: each ends within seconds with what there is."""
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

PROGRAM = os.environ.get("ISOMER_PROGRAM", "build/release/isomer")
TICKS = os.sysconf("SC_CLK_TCK")
QUICKLY = 10  # seconds; one or two on an idle machine


class Interrupt(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="isomer-interrupt-")
        self.path = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def interrupted(self, cpu_seconds: float, *command: str) -> subprocess.CompletedProcess:
        """Its end after Ctrl-C, which it gets once it has used so much CPU time."""
        process = subprocess.Popen([PROGRAM, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=dict(os.environ, ISOMER_CACHE=str(self.path / "cache")))
        used = 0.0
        while used < cpu_seconds:
            self.assertIsNone(process.poll(), "ended by itself")
            fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
            used = (int(fields[11]) + int(fields[12])) / TICKS
            time.sleep(0.02)
        begin = time.time()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertLess(time.time() - begin, QUICKLY)
        return subprocess.CompletedProcess(command, process.returncode, out, err)

    def test_a_search_keeps_what_it_has_found(self):
        file = str(self.path / "found.json")
        for cpu_seconds in (3, 6, 12):  # how long the first takes differs between machines
            run = self.interrupted(cpu_seconds, "mugraph", "search", "gqa_heads", "--fresh", "--json", "-o", file)
            if run.returncode == 0:
                break
            self.assertIn("interrupted before a muGraph was found", run.stderr)
        self.assertEqual(run.returncode, 0, run.stderr)
        result = json.loads(run.stdout)
        self.assertEqual(result["stop_reason"], "interrupted")
        self.assertEqual(result["best"]["verdict"], "proved")
        judged = subprocess.run([PROGRAM, "mugraph", "verify", file, "--program", "gqa_heads", "--no-floats", "--tests", "1",
                                 "--json"], stdout=subprocess.PIPE, check=True)
        verdicts = json.loads(judged.stdout)
        self.assertEqual(verdicts["accepted"], result["verified"])
        # Verifying all of it with all tests takes longer.
        run = self.interrupted(0.3, "mugraph", "verify", file, "--program", "gqa_heads", "--json")
        self.assertEqual(run.returncode, 130, run.stderr)
        verdicts = json.loads(run.stdout)
        self.assertEqual(verdicts["accepted"], verdicts["judged"])
        self.assertEqual(len(verdicts["results"]), verdicts["judged"])
        self.assertLess(verdicts["judged"], verdicts["mugraphs"])

    def test_a_search_that_has_found_nothing_writes_nothing(self):
        file = self.path / "found.json"
        run = self.interrupted(0.2, "mugraph", "search", "ntrans", "--fresh", "-o", str(file))
        self.assertEqual((run.returncode, run.stdout), (130, ""))
        self.assertEqual(run.stderr, "isomer: search of ntrans: interrupted before a muGraph was found\n")
        self.assertFalse(file.exists())

    def test_a_bench_ends_with_the_search_that_is_under_way(self):
        run = self.interrupted(1, "bench", "mirage-search", "gqa", "programs", "--min-block-ops", "9", "--max-block-ops", "9",
                               "--json")
        self.assertEqual(run.returncode, 0, run.stderr)
        rows = [json.loads(line) for line in run.stdout.splitlines()]
        self.assertEqual([r["table"] for r in rows], ["gqa"] * 3)  # one row of three searches
        self.assertEqual([r["stop_reason"] for r in rows], ["interrupted"] * 3)


if __name__ == "__main__":
    unittest.main()
