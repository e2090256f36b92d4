#!/usr/bin/env python3
"""trust.py [--size ci|paper] [NAME ...]: what the verifier says, of our rules and of somebody else's rewriting.

First `isomer rules check` on every shipped rule file: how many rules are identities at their instances (and with what error
probability), tested, refuted, and how many are less stable in float32 than they say. Then, for each network with an attention mask (default:
bert_base, bert_large), ONNX Runtime's own transformer optimizer writes its version, once as it comes and once told to keep
the mask, and `isomer verify` compares it with the original: equivalent or not, and where they part.

The optimizer needs onnxruntime's optional sympy (requirements-bench.txt).
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent.resolve()
HEADS = {("bert_base", "ci"): (4, 64), ("bert_large", "ci"): (4, 64),
         ("bert_base", "paper"): (12, 768), ("bert_large", "paper"): (16, 1024)}


def isomer(program, *args):
    done = subprocess.run([program, *args], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 4):
        sys.exit(f"isomer {' '.join(args)}: {done.stderr}")
    return json.loads(done.stdout)


def rule_files():
    return [path for path in sorted((ROOT / "rules").iterdir())
            if path.suffix in (".rules", ".txt") and path.name != "taso_axioms.txt"]  # equations are no rules


def rules(program, files, *flags):
    print(f"{'rules':24}{'rules':>7}{'identity':>9}{'tested':>8}{'refuted':>9}{'unstable':>10}{'overstated':>12}  error <")
    for path in files:
        r = isomer(program, "rules", "check", "--json", str(path), *flags)
        error = r["error_probability"]
        print(f"{path.name:24}{r['rules']:7}{r['identities']:9}{r['tested']:8}{r['refuted']:9}{r['unstable']:10}"
              f"{r['stability_overstated']:12}  {'-' if error is None else f'{error:.0e}'}")


def optimized(model, out, heads, hidden, flags):
    subprocess.run([sys.executable, "-m", "onnxruntime.transformers.optimizer", "--input", model, "--output", out,
                    "--model_type", "bert", "--num_heads", str(heads), "--hidden_size", str(hidden), "--opt_level", "0",
                    *flags], check=True, capture_output=True)


def compare(program, original, other, *flags):
    """What `isomer verify` says, as the columns from the verdict on."""
    r = isomer(program, "verify", "--json", str(original), str(other), *flags)
    place = r["first_difference"]
    where = f"{place['value_a']}: {place['operator_a']} / {place['operator_b']}" if place else ""
    return f"{'equivalent' if r['equivalent'] else 'different':13}{r['max_relative_error']:10.2g}  {where}"


def peer(program, name, size, folder):
    subprocess.run([sys.executable, str(ROOT / "bench/models/make_models.py"), folder, "--only", name, "--size", size],
                   check=True, capture_output=True)
    original = str(Path(folder) / f"{name}.{size}.onnx")
    for how, flags in (("as it comes", []), ("mask kept", ["--use_raw_attention_mask"])):
        out = str(Path(folder) / "peer.onnx")
        optimized(original, out, *HEADS[name, size], flags)
        print(f"{name + '.' + size:20}{how:14}{compare(program, original, out)}")


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("names", nargs="*", default=["bert_base", "bert_large"], metavar="NAME")
    ap.add_argument("--size", choices=("ci", "paper"), default="ci")
    ap.add_argument("--program", default=str(ROOT / "build/release/isomer"))
    args = ap.parse_args()
    rules(args.program, rule_files())
    print(f"\n{'network':20}{'optimizer':14}{'isomer verify':13}{'error':>10}  first difference")
    for name in args.names:
        with tempfile.TemporaryDirectory(prefix="isomer-trust-") as folder:
            peer(args.program, name, args.size, folder)


if __name__ == "__main__":
    main()
