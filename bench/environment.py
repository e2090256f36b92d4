#!/usr/bin/env python3
"""environment.py [MODEL] [--episodes N] ...: steps a second of isomer/EGraph-v0, many episodes side by side.

Actions are drawn from all rules (most are masked and change nothing) and from those that the mask allows; transitions that
an episode met are kept for the others, and are not. The times are those
of envs.step with observations and masks, CPU seconds over all threads, and wall seconds (which say something on a machine that does
nothing else); drawing actions is not counted. Needs gymnasium (`tools/setup`) and
the Python package: PYTHONPATH=build/release/python.
"""

import argparse
import itertools
import statistics
import time

import gymnasium
import numpy as np

import isomer.envs  # noqa: F401  registers the environment


def draw(rng, masks, allowed):
    """One action for each episode; an episode that is over has an empty mask, and its action is ignored."""
    if not allowed:
        return rng.integers(masks.shape[1], size=len(masks))
    return np.where(masks != 0, rng.random(masks.shape), -1.0).argmax(axis=1)


def measure(envs, rng, allowed, steps):
    _, info = envs.reset()
    seconds, wall, taken, changed, ended, nodes = 0.0, 0.0, 0, 0, 0, 0.0
    while taken < steps:
        actions = draw(rng, info["action_mask"], allowed)
        begin, begin_wall = time.process_time(), time.perf_counter()
        observation, _, terminated, truncated, info = envs.step(actions)
        seconds += time.process_time() - begin
        wall += time.perf_counter() - begin_wall
        taken += len(actions)
        changed += int((observation["egraph"][:, 4] > 0).sum())
        ended += int((terminated | truncated).sum())
        nodes += float(observation["egraph"][:, 0].sum())
    return taken / seconds, taken / wall, changed / taken, ended, nodes / taken


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", nargs="?", default="squeezenet")
    parser.add_argument("--episodes", type=int, default=64)
    parser.add_argument("--steps", type=int, default=40_000, help="of a run")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--extraction", default="corrected")
    parser.add_argument("--node-limit", type=int, default=2000)
    parser.add_argument("--max-steps", type=int, default=200)
    parser.add_argument("--cache-megabytes", type=int, default=256)
    parser.add_argument("--threads", type=int, default=None, help="default: one for each core")
    parser.add_argument("--regions", type=int, default=1)
    parser.add_argument("--draw", choices=("all", "allowed"), action="append", help="default: both")
    a = parser.parse_args()
    caches = (a.cache_megabytes, 0) if a.cache_megabytes else (0,)
    print("| actions drawn from | transitions kept | extraction | steps / CPU s (median, least, most) | steps / wall s | added e-nodes | looked up | episodes | "
          "mean share of the limit |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for kind, cache in itertools.product(a.draw or ("all", "allowed"), caches):
        rates, walls = [], []
        for run in range(a.runs):
            envs = gymnasium.make_vec("isomer/EGraph-v0", num_envs=a.episodes, vectorization_mode="vector_entry_point",
                                      model=a.model, extraction=a.extraction, node_limit=a.node_limit, max_steps=a.max_steps,
                                      cache_megabytes=cache, threads=a.threads, regions=a.regions)
            rate, wall, changed, ended, nodes = measure(envs, np.random.default_rng(run), kind == "allowed", a.steps)
            known = envs.statistics()
            rates.append(rate)
            walls.append(wall)
        kept = f"{cache} MB" if cache else "none"
        print(f"| {kind} | {kept} | {a.extraction} | {statistics.median(rates):,.0f} ({min(rates):,.0f} to {max(rates):,.0f}) | "
              f"{statistics.median(walls):,.0f} | "
              f"{100 * changed:.0f} % | {100 * known['looked_up'] / known['steps']:.0f} % | {ended} | {100 * nodes:.0f} % |",
              flush=True)


if __name__ == "__main__":
    main()
