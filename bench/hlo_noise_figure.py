#!/usr/bin/env python3
"""How far timings of equal modules lie apart, beside HloEnv's figure 5.

    isomer hlo noise M.hlo... --json > noise.json
    python3 bench/hlo_noise_figure.py noise.json -o FILE.png

A line a module: which share of its ratios is at most so large. Needs matplotlib.
"""

import json
from pathlib import Path

import one_figure


def draw_noise(plt, found):
    figure, axis = plt.subplots(figsize=(8, 4.2), layout="constrained")
    for module in found["modules"]:
        ratios = sorted(module["all_ratios"])
        axis.plot(ratios, [(i + 1) / len(ratios) for i in range(len(ratios))], linewidth=1,
                  label=f"{Path(module['file']).stem[:32]}, {module['runtime_us']:.0f} us")
    together = found["together"]
    for bound in together["bounds_99_9"]:
        axis.axvline(bound, color="C0", linewidth=1.5)
    published = found["published_bounds"]
    for bound in published:
        axis.axvline(bound, color="0.4", linestyle=":", linewidth=1.5)
    low, high = together["bounds_99_9"]
    within = "99.9 % within" if together["bounds_observed"] else "all within"
    axis.set_xlim(min(0.85, low - 0.02), max(1.15, high + 0.02))
    axis.set_title(f"{together['ratios']} ratios, {within} {low:.3f} to {high:.3f} (blue); HloEnv {published[0]} to {published[1]} (dotted)",
                   fontsize=9)
    axis.set_xlabel("ratio of two times of one module")
    axis.set_ylabel("share of ratios at most so large")
    axis.legend(fontsize=6, loc="lower right")
    return figure


if __name__ == "__main__":
    one_figure.main(__doc__, "NOISE.json", lambda plt, path: draw_noise(plt, json.loads(path.read_text())))
