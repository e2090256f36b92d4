"""What bench/zoo_table.py says of records: which faults it names, how loads of several times count together."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "bench")]

import zoo_table  # noqa: E402

SAME = {"plain": 0.0, "optimised": 0.0, "own": 0.0}
OURS = {"package": "p==1", "bytes": 10**6, "seconds": 1.0, "cpu": 1.0, "megabytes": 100, "changed": True, "nodes_before": 10,
        "opaque_operators": {"If": 1}}


def models(ours: dict, speed: list, ahead: list, difference: dict | None = None) -> list:
    """One model, timed once for each list of ratios."""
    with tempfile.TemporaryDirectory() as folder:
        def write(step, *rows):
            Path(folder, f"{step}.jsonl").write_text("".join(json.dumps({"model": "m", **row}) + "\n" for row in rows))
        write("isomer", {**OURS, **ours})
        write("check", {"difference": difference or SAME})
        write("peers", {"onnxslim": {"difference": SAME}, "onnxsim": {"failed": "?"}})
        write("times", *({"speed": {"isomer": s}, "ahead": {"onnxslim": a}, "milliseconds": {"original": 1}} for s, a in zip(speed, ahead)))
        return zoo_table.models_of(Path(folder))


class Faults(unittest.TestCase):
    def faults(self, *args, **kwargs):
        return zoo_table.faults_of(models(*args, **kwargs)[0])

    def test_none(self):
        self.assertEqual(self.faults({}, [[1.1] * 6], [[0.9] * 6]), [])

    def test_slower_wrong_and_behind_are_named(self):
        self.assertIn("slower", self.faults({}, [[0.9] * 6], [[1.0] * 6])[0])
        self.assertIn("wrong", self.faults({}, [[1.1] * 6], [[1.0] * 6], {**SAME, "plain": 1.0})[0])
        self.assertIn("behind onnxslim", self.faults({}, [[1.1] * 6], [[1.05] * 6])[0])

    def test_a_peer_within_the_limit_is_ahead_and_no_fault(self):
        model = models({}, [[1.1] * 6], [[1.01] * 6])[0]
        self.assertEqual(zoo_table.faults_of(model), [])
        self.assertEqual([peer for peer, _ in model.behind()], ["onnxslim"])

    def test_fewer_loads_than_make_an_interval_say_nothing(self):
        self.assertEqual(self.faults({}, [[0.9] * 5], [[1.2] * 5]), [])

    def test_loads_of_all_times_count_together(self):
        model = models({}, [[1.0] * 5, [1.2] * 5], [[1.0] * 5] * 2)[0]
        self.assertEqual(model.interval("speed", "isomer"), (1.1, 1.0, 1.2))

    def test_an_end_without_a_result_is_a_fault(self):
        self.assertIn("status 1", self.faults({"failed": "status 1"}, [[1.1] * 6], [[0.9] * 6])[0])


    def test_a_failed_timing_is_one_until_a_later_one_succeeds(self):
        good = {"model": "m", "speed": {}, "ahead": {}, "milliseconds": {"original": 1}}
        failed, other = {"model": "m", "failed": "killed"}, {**good, "model": "n"}
        steps = {step: {} for step in ("isomer", "check", "peers")}
        self.assertEqual(zoo_table.Model("m", steps, [failed, good]).failures, [])
        self.assertEqual(zoo_table.Model("m", steps, [good, failed, other]).failures, ["killed"])
        self.assertEqual(zoo_table.Model("m", steps, [failed]).failures, ["killed"])


class Summary(unittest.TestCase):
    def test_of_timings_without_an_interval(self):
        """Where ours is wrong none of its loads has a ratio."""
        wrong = {**SAME, "plain": 1.0}
        said = zoo_table.summary(models({}, [[], []], [[1.0] * 6] * 2, wrong))
        self.assertIn("written as faster 1, of which the second timing is sure of 0", said[0])
        self.assertTrue(zoo_table.line_of(models({}, [[]], [[]], wrong)[0]))

    def test_of_a_peer_that_is_never_right(self):
        said = zoo_table.summary(models({}, [[1.1] * 6], [[0.9] * 6]))
        self.assertIn("onnxsim: fails on 1, wrong 0", said)


if __name__ == "__main__":
    unittest.main()
