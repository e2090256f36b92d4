#!/usr/bin/env python3
"""zoo_table.py FOLDER [--faults]: the records of zoo.py as tables, a line a model, and what the goals ask of all together.

A speed-up is the median over the loads of a load's median ratio, the original's time over the version's, with its 95 % interval; all
lines of times.jsonl of a model count together. A peer is ahead where the interval of ours over its lies above 1. `--faults`: only what
is not as it should be.
"""

import argparse
import json
import statistics
import sys
from collections import Counter
from itertools import takewhile
from pathlib import Path

from peers import median_interval
from zoo import PEERS, is_right, rows_of

OTHERS = (*PEERS, "openvino")
MOST_BEHIND = 1.02  # that the lower bound of a peer may say
ALLOWED = (3, 300)  # times the model, and MB
KINDS = {"bench/models": "Networks of papers", "onnx": "ONNX's light networks", "torch": "Exports of PyTorch"}


class Model:
    """All that the records say of one."""

    def __init__(self, name: str, steps: dict, times: list):
        self.name = name
        self.ours, self.check, self.peers = (steps[step].get(name, {}) for step in ("isomer", "check", "peers"))
        own = [t for t in times if t["model"] == name]
        self.times = [t for t in own if "failed" not in t]
        # A timing that failed counts until a later one succeeds.
        after = list(takewhile(lambda t: "failed" in t, reversed(own)))[::-1]
        self.failures = [row["failed"] for row in (self.ours, self.check, *after) if "failed" in row]

    @property
    def kind(self) -> str:
        return KINDS.get(self.ours.get("package", "").partition("==")[0], "Models out of Python packages")

    def interval(self, what: str, version: str):
        """what: "speed" over the original, or "ahead": how much faster the version is than ours."""
        ratios = [r for t in self.times for r in t[what].get(version, [])]
        return median_interval(ratios) if ratios else None

    def opaque(self) -> int:
        return sum((self.ours.get("opaque_operators") or {}).values())

    def behind(self) -> list:
        found = {peer: self.interval("ahead", peer) for peer in PEERS}
        return [(peer, i) for peer, i in found.items() if i and i[1] > 1]

    def beyond(self) -> bool:
        size = max(self.ours.get(key) or 0 for key in ("bytes", "bytes_as_run", "weight_bytes_before"))
        return self.ours.get("megabytes", 0) > ALLOWED[0] * size / 1e6 + ALLOWED[1]


def models_of(folder: Path) -> list:
    steps = {step: rows_of(folder / f"{step}.jsonl") for step in ("isomer", "check", "peers")}
    times = folder / "times.jsonl"
    lines = [json.loads(line) for line in times.read_text().splitlines()] if times.exists() else []
    return [Model(name, steps, lines) for name in steps["isomer"]]


def said(interval) -> str:
    return "-" if interval is None else "{:.3f} ({:.3f} to {:.3f})".format(*interval)


def of_peer(model: Model, peer: str) -> str:
    found = model.peers.get(peer, {})
    if "failed" in found:
        return "fails"
    if found and not is_right(found["difference"]):
        return "wrong"
    ahead = dict(model.behind()).get(peer)
    return said(model.interval("speed", peer)) + (f", ahead {said(ahead)}" if ahead else "")


def line_of(model: Model) -> str:
    ours = model.ours
    if model.failures:
        return f"| {model.name} | {model.failures[0]} |"
    wrong = "difference" in model.check and not is_right(model.check["difference"])
    gain = "**wrong**" if wrong else said(model.interval("speed", "isomer")) if ours["changed"] else "1 (as it was)"
    run = f"{model.times[-1]['milliseconds']['original']:.3g}" if model.times else "-"
    opaque = ", ".join(f"{n} {op}" for op, n in (ours["opaque_operators"] or {}).items())
    return (f"| {model.name} | {ours['bytes'] / 1e6:.1f} | {ours['nodes_before']} | {run} | {gain} | {of_peer(model, 'onnxslim')} | "
            f"{of_peer(model, 'onnxsim')} | {said(model.interval('speed', 'openvino'))} | {ours['seconds']:.1f} | "
            f"{ours['megabytes']:.0f}{' (beyond)' if model.beyond() else ''} | {opaque} |")


def faults_of(model: Model) -> list:
    out = list(model.failures)
    if "difference" not in model.check:
        out.append("not checked")
    elif not is_right(model.check["difference"]):
        out.append(f"wrong: {model.check['difference']}")
    if not model.times:
        out.append("not timed")
    elif model.ours.get("changed") and (speed := model.interval("speed", "isomer")) and speed[2] < 1:
        out.append(f"slower: {said(speed)}")
    return out + [f"behind {peer}: {said(interval)}" for peer, interval in model.behind() if interval[1] > MOST_BEHIND]


def summary(models: list) -> list:
    good = [m for m in models if "failed" not in m.ours]
    operators, opaque = (sum(counts) for counts in zip(*((m.ours["nodes_before"], m.opaque()) for m in good)))
    written = [m for m in good if m.ours["changed"]]
    surely = [m for m in written if (speed := m.interval("speed", "isomer")) and speed[1] > 1]
    out = [f"{len(models)} models, status 0 of {len(good)}, timed {sum(bool(m.times) for m in models)}; written as faster {len(written)}, "
           f"of which the second timing is sure of {len(surely)}",
           f"opaque: {opaque} of {operators} operators, {100 * opaque / operators:.2f} %"]
    for what, unit in (("seconds", "s"), ("cpu", "CPU s"), ("megabytes", "MB")):
        values = [m.ours[what] for m in good]
        out.append(f"{unit}: median {statistics.median(values):.1f}, most {max(values):.1f}")
    out.append(f"beyond three times the model and 300 MB: {sum(m.beyond() for m in good)}")
    for peer in PEERS:
        found = [m.peers.get(peer, {}) for m in models]
        right = [f for f in found if "difference" in f and is_right(f["difference"])]
        out.append(f"{peer}: fails on {sum('failed' in f for f in found)}, wrong {sum('difference' in f for f in found) - len(right)}"
                   + (f"; CPU s: median {statistics.median(f.get('cpu', 0) for f in right):.1f}" if right else ""))
    behind = [f"{m.name}: {peer} by {said(i)}" for m in models for peer, i in m.behind()]
    return [*out, f"a peer is ahead on {len(behind)}: " + "; ".join(behind)]


def reasons(models: list) -> list:
    """Why operators are opaque, of all models: the most frequent first."""
    counts = Counter()
    for model in models:
        for note in model.ours.get("opaque") or []:
            number, cause = note.split(" x opaque ", 1)
            counts[cause.split(", got ")[0]] += int(number)
    return counts.most_common()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--faults", action="store_true")
    args = parser.parse_args()
    models = models_of(args.folder)
    faults = [f"{m.name}: {fault}" for m in models for fault in faults_of(m)]
    if not args.faults:
        for kind in dict.fromkeys(m.kind for m in models):
            print(f"\n## {kind}\n\n| model | MB | operators | ms | Isomer | onnxslim | onnxsim | OpenVINO | s | MB used | opaque |\n"
                  "| --- | --: | --: | --: | --- | --- | --- | --- | --: | --: | --- |")
            print("\n".join(line_of(m) for m in models if m.kind == kind))
        print("\n## Opaque operators\n\n| operators | which, and why |\n| --: | --- |")
        print("\n".join(f"| {count} | {cause} |" for cause, count in reasons(models)))
        print("\n## All together\n", *(f"- {line}" for line in summary(models)), sep="\n")
        if faults:
            print("\n## Not as it should be\n")
    print(*(f"- {fault}" for fault in faults), sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
