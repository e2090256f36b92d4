#!/usr/bin/env python3
"""A data set of HLO modules from packages of the Python package index (HloEnv, appendix A.1, took its own from 26 repositories).

    python3 bench/hlo_packages.py OUT --python ENV/bin/python [--sizes 3,4] [--only flax,optax] [--minutes 60] [--limit 600]
        [--parts training] [--forms tangent] [--print-commands]

`ENV` is an environment that has jax and the packages (`--print-packages | xargs pip install`, then `pip install --force-reinstall
--no-deps tfp-nightly`: what some of them ask for, tensorflow-probability, cannot be imported beside a current jax). For each package
`isomer hlo collect` runs bench/hlo_drivers/lower.py for all sizes, so that what is slow, importing the package, is done once; compiled
sources are kept in OUT/bytecode. `--parts` and `--forms` are those of lower.py. Commands that ran to their end are not run again; packages
whose last command the limit ended, and which begin again, come after the others. At the end OUT/summary.json has modules, instructions,
version and licence of each package. The modules belong to nobody's repository: they are made again by this script.
`--print-commands` runs nothing: it prints what `python -m isomer.cluster hlo collect` takes, to have packages beside each other, or on
many machines.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = os.environ.get("ISOMER_PROGRAM", ROOT / "build/release/isomer")
DRIVER = ROOT / "bench/hlo_drivers/lower.py"
PACKAGES = ["jax", "flax", "equinox", "dm-haiku", "objax", "penzai", "e3nn-jax", "jraph", "flowjax",
            "optax", "jaxopt", "optimistix", "lineax", "evosax", "qdax", "kfac-jax", "tree-math",
            "numpyro", "distrax", "blackjax", "tinygp", "dynamax", "gpjax",
            "rlax", "mctx", "gymnax", "pgx", "jumanji", "flashbax", "brax",
            "diffrax", "jax-md", "ott-jax", "dm-pix", "jaxlie", "interpax", "quadax", "jax-cosmo", "matfree", "quax", "chex"]
ABOUT = """
import sys
from importlib.metadata import metadata, version, PackageNotFoundError
try:
    m = metadata(sys.argv[1])
except PackageNotFoundError:
    sys.exit(0)
of = [c.split("::")[-1].strip() for c in m.get_all("Classifier") or [] if c.startswith("License")]
text = m.get("License-Expression") or (of[0] if of else (m.get("License") or "").strip().split("\\n")[0])
print(version(sys.argv[1]), text[:60], sep="\\n")
"""


def about(python, package):
    """Version and licence, as the installed package says; nothing where it is not installed."""
    done = subprocess.run([python, "-c", ABOUT, package], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    return (lines[0], lines[1] if len(lines) > 1 else "") if lines else None


def print_commands(python, packages, sizes, more):
    """JSON lines for `python -m isomer.cluster hlo collect`."""
    for package in packages:
        found = about(python, package)
        if found is None:
            print(f"{package}: not installed", file=sys.stderr)
            continue
        words = ["env", "JAX_PLATFORMS=cpu", python, str(DRIVER), package, "--sizes", sizes, *more]
        print(json.dumps({"command": words, "package": package, "version": found[0], "licence": found[1]}))


def collect(out, python, package, sizes, limit, more):
    version, licence = about(python, package) or ("", "")
    if not version:
        return f"{package}: not installed"
    # Code generation is no part of what is collected; its lowest level makes it short.
    environment = {**os.environ, "JAX_PLATFORMS": "cpu", "PYTHONPYCACHEPREFIX": str(out.resolve() / "bytecode"),
                   "XLA_FLAGS": "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [PROGRAM, "-q", "hlo", "collect", out, "--package", package, "--package-version", version, "--licence", licence,
               "--time-limit", f"{limit}s", "--json", "--", python, os.path.relpath(DRIVER), package, "--sizes", sizes, *more]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        return f"{package}: {done.stderr.strip().splitlines()[-1:]}"
    found = json.loads(done.stdout)
    said = [line for line in done.stderr.splitlines() if line.startswith(package)]
    with open(out / "drivers.log", "a", encoding="utf-8") as log:
        log.write("".join(line + "\n" for line in said))
    if found["done_before"]:
        return None
    end = ", ended by the time limit" if found["timed_out"] else ""
    return (f"{package} {version}, sizes {sizes}: {found['dumped']} dumped, {found['added']} new, {found['refused']} refused, "
            f"{found['seconds']:.0f} s{end}; {found['total']} modules")


def timed_out_last(packages, out):
    """The packages, those behind the others whose last command the limit ended."""
    commands = out / "commands.jsonl"
    lines = commands.read_text(encoding="utf-8").splitlines() if commands.exists() else []
    whole = [json.loads(line) for line in lines if line.endswith("}")]
    last = {line["package"]: line["timed_out"] for line in whole}
    return sorted(packages, key=lambda package: last.get(package, False))


def summary(out):
    done = subprocess.run([PROGRAM, "hlo", "dataset", "stats", out, "--json"], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    refused = out / "refused.jsonl"
    found["refused_texts"] = len(refused.read_text().splitlines()) if refused.exists() else 0
    (out / "summary.json").write_text(json.dumps(found, indent=1) + "\n")
    print(f"{found['modules']} modules from {len(found['packages'])} packages, {found['instructions']} instructions; {found['refused_texts']} texts refused")
    print("| package | version | licence | modules | instructions |\n| --- | --- | --- | --- | --- |")
    for p in sorted(found["packages"], key=lambda p: -p["modules"]):
        print(f"| {p['package']} | {p['version']} | {p['licence']} | {p['modules']} | {p['instructions']} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", nargs="?", type=Path)
    parser.add_argument("--python", default=sys.executable, help="of the environment that has the packages")
    parser.add_argument("--sizes", default="3,4")
    parser.add_argument("--only", default="")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--limit", type=float, default=600, help="seconds of a command")
    parser.add_argument("--parts", default="", help="files of drivers; all where none is named")
    parser.add_argument("--forms", default="", help="forms of a case; all where none is named")
    parser.add_argument("--print-packages", action="store_true")
    parser.add_argument("--print-commands", action="store_true")
    arguments = parser.parse_args()
    if arguments.print_packages:
        return print("\n".join(PACKAGES))
    packages = arguments.only.split(",") if arguments.only else PACKAGES
    more = [word for name in ("parts", "forms") if getattr(arguments, name) for word in (f"--{name}", getattr(arguments, name))]
    if arguments.print_commands:
        return print_commands(arguments.python, packages, arguments.sizes, more)
    if arguments.out is None:
        parser.error("OUT is missing")
    end = time.monotonic() + 60 * arguments.minutes
    for package in timed_out_last(packages, arguments.out):
        if time.monotonic() > end:
            break
        said = collect(arguments.out, arguments.python, package, arguments.sizes, arguments.limit, more)
        if said:
            print(said, flush=True)
    if arguments.out.exists():
        summary(arguments.out)


if __name__ == "__main__":
    main()
