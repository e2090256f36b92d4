"""examples/hlo_agent.py: on sub-graphs of the corpus a short training comes to less than pick-first on modules kept apart, in the
same way each time, and steers a tree search."""

import importlib.util
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

try:
    import gymnasium  # noqa: F401
    import isomer
    import numpy as np
except ImportError as error:
    raise unittest.SkipTest(f"isomer, numpy and gymnasium are needed: {error}") from error

ROOT = Path(__file__).parents[2]
PROGRAM = os.environ.get("ISOMER_PROGRAM", "build/release/isomer")


def load():
    spec = importlib.util.spec_from_file_location("hlo_agent", ROOT / "examples/hlo_agent.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class HloAgent(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="isomer-agent-")
        cls.addClassCleanup(folder.cleanup)
        cls.set = Path(folder.name) / "parts"
        subprocess.run([PROGRAM, "-q", "hlo", "dataset", "subgraphs", ROOT / "tests/hlo/corpus", "-o", cls.set, "--passes", "algsimp",
                        "--seed", "1"], check=True, capture_output=True)
        cls.example = load()

    def test_it_beats_pick_first_where_it_was_not_trained(self):
        agent, found = self.example.run(self.set, ["algsimp"], seed=0, epochs=3)
        self.assertGreater(found["modules"], 10)
        self.assertLess(found["agent"], 0.995)
        self.assertGreater(found["better"], found["worse"])
        self.assertLessEqual(found["mcts with the agent"], found["agent"] + 1e-12)
        again, same = self.example.run(self.set, ["algsimp"], seed=0, epochs=3)
        self.assertEqual(found, same)
        self.assertTrue((agent.policy == again.policy).all())

    def test_some_are_kept_apart_however_few_there_are(self):
        def split(parts):
            with tempfile.TemporaryDirectory(prefix="isomer-agent-") as folder:
                lines = [json.dumps({"file": f"{i}.hlo", "package": "", "hash": str(i), "part_of": part}) + "\n" for i, part in enumerate(parts)]
                (Path(folder) / "manifest.jsonl").write_text("".join(lines))
                return tuple(map(len, self.example.split(Path(folder))))

        for names in ("ab", "ci", "abc", "abcdefghij"):  # of the first none falls into the fifth that is tried, of the second all do
            training, trial = split(names)
            self.assertEqual(training + trial, len(names))
            self.assertGreater(min(training, trial), 0, names)
        with self.assertRaises(SystemExit):
            split("aaa")

    def test_the_environment_shows_what_the_graph_has(self):
        training, _ = self.example.split(self.set)
        env = self.example.make(training[0], ["algsimp"])
        seen, _ = env.reset()
        graph = isomer.HloEnv(training[0], ["algsimp"]).dry_run()
        for a, b in zip(self.example.of_observation(seen), self.example.of_graph(graph), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4)


if __name__ == "__main__":
    unittest.main()
