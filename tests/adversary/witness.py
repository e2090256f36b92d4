"""Checks by itself what `*.expect.json` says of the adversary's rules.

A wrong rule must differ at its witness: both sides are evaluated there by the interpreter of tensor_ops.py, and one element
must be apart by more than 1e-3 of itself, or defined on the left and not on the right. A true rule must agree at many random
instances. Deterministic; nothing of the program under test is used. See README.md for the form of the expectations.

    python witness.py [--set second] [--only WORD] [--verbose]
"""
import argparse
import json
import re
import sys
import time
import zlib
from pathlib import Path

import numpy as np

from score import SETS
from rule_language import Facts, Scope, evaluate, parse_rules
from tensor_ops import apply
from tensors import IllTyped, Tensor, Undefined, is_float, is_integer, rounded

HERE = Path(__file__).resolve().parent
INSTANCES = 24     # of a true rule
ATTEMPTS = 400     # to find them
LEAST = 4          # fewer: the rule applies too rarely to have been tested
SIZES = (1, 1, 2, 2, 3, 3, 5, 5, 7, 7, 0)
APART = 1e-3
EQUAL = 1e-9
SPECIALS = (np.inf, -np.inf, np.nan, 0.0, -0.0, 1.0, -1.0)
MAY_FAIL_AT_SPECIALS = {"infinity", "nan", "zero", "overflow"}


class DoesNotApply(Exception):
    """The rule's left side, conditions or types do not fit the instance."""


# Instances

SPEC = re.compile(r"(?P<const>const )?(?P<dtype>\w+)\[(?P<dims>[^\]]*)\](?: (?P<fill>\w+)(?:\((?P<numbers>[^)]*)\))?)?$")


def _numbers(text):
    return [float(word) for word in text.split(",")] if text else []


def fill(dtype, shape, kind, numbers, rng):
    """Elements of a tensor by the word for them."""
    if kind in ("values", "splat"):
        data = np.resize(np.array(numbers, dtype=np.float64), shape)
    elif kind == "choice":
        data = rng.choice(np.array(numbers, dtype=np.float64), shape)
    elif kind == "uniform":
        data = rng.uniform(numbers[0], numbers[1], shape)
    elif kind == "ints":
        data = rng.integers(int(numbers[0]), int(numbers[1]) + 1, shape)
    elif kind == "positive":
        data = rng.uniform(0.5, 2.0, shape)
    elif kind == "distinct":
        data = rng.permutation(int(np.prod(shape, dtype=np.int64))).reshape(shape)
    elif kind == "ramp":
        data = np.arange(int(np.prod(shape, dtype=np.int64))).reshape(shape)
    elif kind == "any":  # every value of an integer type alike
        bits = int(dtype[1:])
        low, high = (0, 2 ** bits - 1) if dtype[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        data = rng.integers(low, high, shape, endpoint=True, dtype=np.int64)
    elif dtype == "bool":
        data = rng.integers(0, 2, shape).astype(bool)
    elif is_integer(dtype):
        data = rng.integers(0 if dtype[0] == "u" else -9, 10, shape)
    else:
        data = rng.normal(size=shape)
    if dtype == "bool":
        return np.asarray(data, dtype=bool)
    return np.asarray(data, dtype=np.int64 if is_integer(dtype) else np.float64)


def sized(value, sizes):
    """Attributes with "=A+1" in them made numbers."""
    if isinstance(value, str) and value.startswith("="):
        return int(eval(value[1:], {"__builtins__": {}}, sizes))  # noqa: S307, of our own data files
    if isinstance(value, list):
        return [sized(v, sizes) for v in value]
    return value


def draw(instance, rng, specials=False):
    """(tensors by name with their facts, attributes) of one instance."""
    sizes = {name: int(rng.choice(instance.get("sizes", {}).get(name, SIZES))) for name in "ABCDEFGHKMN"}
    facts, tensors, attributes = {}, {}, {}
    for name, text in instance.get("tensors", {}).items():
        if isinstance(text, dict):
            text = text["one_of"][int(rng.integers(len(text["one_of"])))]
        match = SPEC.match(text)
        if match is None:
            raise ValueError(f"{name}: not a tensor: {text!r}")
        dims = [d for d in match["dims"].split(",") if d]
        shape = tuple(sized("=" + d, sizes) for d in dims)
        dtype, numbers = match["dtype"], _numbers(match["numbers"])
        data = fill(dtype, shape, match["fill"], numbers, rng)
        if specials and is_float(dtype) and match["fill"] in (None, "uniform"):
            data = np.where(rng.random(shape) < 0.4, rng.choice(np.array(SPECIALS), shape), data)
        is_splat = match["fill"] == "splat"
        facts[name] = Facts(dtype, shape, bool(match["const"]) or is_splat, numbers[0] if is_splat else None)
        tensors[name] = Tensor(dtype, rounded(dtype, data))
    for name, value in instance.get("attributes", {}).items():
        if isinstance(value, dict):
            if "one_of" in value:
                value = value["one_of"][int(rng.integers(len(value["one_of"])))]
            else:
                value = [int(i) for i in rng.permutation(sized(value["perm"], sizes))]
        attributes[name] = sized(value, sizes)
    return facts, tensors, attributes


# Both sides of a rule

def value_of(node, scope, tensors, exact, is_right):
    if node.variable is not None:
        if node.variable not in tensors:
            raise ValueError(f"no tensor {node.variable} in the instance")
        return tensors[node.variable]
    attributes = {}
    for name, expression in node.attributes.items():
        value = evaluate(expression, scope)
        if value is None:
            if not is_right and expression[0] == "variable":
                continue  # absent
            if is_right and expression[0] == "variable" and expression[1] not in scope.attributes:
                continue
            raise DoesNotApply(f"{node.op}: {name} has no value")
        attributes[name] = value
    operands = [value_of(n, scope, tensors, exact, is_right) for n in node.operands]
    try:
        return apply(node.op, attributes, operands, exact)
    except IllTyped as error:
        raise DoesNotApply(f"{node.op}: {error}") from error


def sides(rule, facts, tensors, attributes, exact):
    """The values of all left roots and of all right ones; None for the right ones if they are not defined."""
    scope = Scope(dict(attributes), facts, [])
    left = [value_of(term, scope, tensors, exact, False) for term in rule.left]
    for value in left:
        if isinstance(value, list):
            raise DoesNotApply("a tuple")
        scope.roots.append(Facts(value.dtype, value.shape))
    if rule.dtypes and left[0].dtype not in rule.dtypes:
        raise DoesNotApply("another element type")
    for name, expression in rule.lets:
        scope.attributes[name] = evaluate(expression, scope)
        if scope.attributes[name] is None:
            raise DoesNotApply(f"{name} has no value")
    if not all(evaluate(c, scope) for c in rule.conditions):
        raise DoesNotApply("a condition")
    try:
        right = [value_of(term, scope, tensors, exact, True) for term in rule.right]
    except Undefined:
        return left, None
    for a, b in zip(left, right):
        if a.dtype != b.dtype or a.shape != b.shape:
            raise DoesNotApply(f"types: {a.dtype}{a.shape} and {b.dtype}{b.shape}")
    return left, right


def apart(left, right, bits=False):
    """The largest difference of an element to its own size; infinite where one is finite and the other is not."""
    worst = 0.0
    for a, b in zip(left, right):
        x, y = np.asarray(a.data), np.asarray(b.data)
        if not is_float(a.dtype):
            worst = max(worst, np.inf if np.any(x != y) else 0.0)
            continue
        same = (x == y) | (np.isnan(x) & np.isnan(y))
        if bits:
            same &= (np.signbit(x) == np.signbit(y)) | np.isnan(x)
        if np.all(same):
            continue
        with np.errstate(all="ignore"):
            error = np.abs(x - y) / np.maximum(np.maximum(np.abs(x), np.abs(y)), 1e-300)
        error = np.where(same, 0.0, np.where(np.isfinite(x) & np.isfinite(y), error, np.inf))
        worst = max(worst, float(np.max(error)))
        if bits:
            worst = np.inf
    return worst


def scaled_apart(left, right):
    """The largest difference to the largest element of the output, for what rounding hides in single elements."""
    worst = 0.0
    for a, b in zip(left, right):
        if not is_float(a.dtype):
            worst = max(worst, np.inf if np.any(a.data != b.data) else 0.0)
        elif not np.array_equal(np.isfinite(a.data), np.isfinite(b.data)):
            return np.inf
        elif a.data.size:
            x, y = (np.where(np.isfinite(v), v, 0) for v in (a.data, b.data))
            worst = max(worst, float(np.max(np.abs(x - y)) / max(np.max(np.abs(x)), 1e-300)))
    return worst


# Judgements

def seed_of(name):
    return zlib.crc32(name.encode())


def check_wrong(rule, entry):
    """Empty, or what is amiss."""
    rng = np.random.default_rng(seed_of(rule.name))
    facts, tensors, attributes = draw(entry["witness"], rng)
    modes = (True, False) if entry["fault"] in ("value", "error") else (False,)
    for exact in modes:
        try:
            left, right = sides(rule, facts, tensors, attributes, exact)
        except DoesNotApply as error:
            return f"does not apply to its witness: {error}"
        except Undefined as error:
            return f"its left side is not defined at its witness: {error}"
        if (right is None) != (entry["fault"] == "error"):
            return "its right side is not defined" if right is None else "its right side is defined"
        if right is not None and not apart(left, right) > APART:
            return f"agrees at its witness to {apart(left, right):.2g}"
    return ""


def of_integers(instance, dtype):
    """The instance with integers of one type for its floats; None where it has none."""
    tensors = {}
    for name, text in instance["tensors"].items():
        head, _, filling = text.partition("] ")
        splat = re.fullmatch(r"splat\((-?[\d.]+)\)", filling)
        if "f32[" not in head or (splat and float(splat[1]) != int(float(splat[1]))):
            tensors[name] = text
        else:
            head = head if head.endswith("]") else head + "]"
            tensors[name] = head.replace("f32[", f"{dtype}[") + (f" {filling}" if splat else " any")
    return instance | {"tensors": tensors} if tensors != instance["tensors"] else None


def check_true(rule, entry):
    rng = np.random.default_rng(seed_of(rule.name))
    exact = entry["arithmetic"] != "bit-exact"
    excepted = set(entry.get("except", []))
    bad = check_instances(rule, entry["instances"], rng, exact, excepted, LEAST)
    if bad or rule.dtypes or excepted & {"wrap", "overflow"}:
        return bad
    # A rule that names no element types claims integers too, wherever its operators take them.
    others = [of_integers(i, dtype) for i in entry["instances"] for dtype in ("i8", "u8", "i32")]
    return check_instances(rule, [i for i in others if i], rng, exact, excepted, 0)


def check_instances(rule, instances, rng, exact, excepted, least):
    reason = "none tried"
    for instance in instances:
        found = 0
        for attempt in range(ATTEMPTS if least else INSTANCES):
            specials = not exact and not excepted & MAY_FAIL_AT_SPECIALS and attempt % 3 == 2
            facts, tensors, attributes = draw(instance, rng, specials)
            try:
                left, right = sides(rule, facts, tensors, attributes, exact)
            except (DoesNotApply, Undefined) as error:
                reason = str(error)
                continue
            shapes = {n: t.shape for n, t in tensors.items()}
            if right is None:
                return f"its right side is not defined at {shapes} {attributes}"
            error = scaled_apart(left, right) if exact else apart(left, right, "negative-zero" not in excepted)
            if error > EQUAL:
                return f"differs by {error:.2g} at {shapes} {attributes}"
            found += 1
            if found == INSTANCES:
                break
        if found < least:
            return f"applied {found} times in {ATTEMPTS} attempts: {reason}"
    return ""


def load(truth, which="first"):
    """(file, rules by name, expectations) of each class."""
    for path in sorted((SETS[which] / "rules" / truth).glob("*.rules")):
        rules = {r.name: r for r in parse_rules(path.read_text())}
        expectations = json.loads(path.with_suffix(".expect.json").read_text())
        yield path, rules, expectations


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--set", default="first", choices=SETS)
    parser.add_argument("--only", default="", help="rules or classes in whose name this word occurs")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    begin, failures, counts, seen = time.time(), 0, {"wrong": 0, "true": 0}, set()
    for truth, check in (("wrong", check_wrong), ("true", check_true)):
        for path, rules, expectations in load(truth, args.set):
            stated = [e["rule"] for e in expectations]
            if sorted(stated) != sorted(rules):
                failures += 1
                print(f"{path.name}: rules and expectations differ: {sorted(set(stated) ^ set(rules))}")
            for entry in expectations:
                if entry["rule"] not in rules or args.only not in entry["rule"] + " " + entry["class"]:
                    continue
                if entry["rule"] in seen:
                    failures += 1
                    print(f"{path.name}: a second rule {entry['rule']}")
                seen.add(entry["rule"])
                bad = check(rules[entry["rule"]], entry)
                counts[truth] += 1
                if bad:
                    failures += 1
                if bad or args.verbose:
                    print(f"{truth} {path.stem} {entry['rule']}: {bad or 'as stated'}")
    print(f"{counts['wrong']} wrong and {counts['true']} true rules, {failures} not as stated, {time.time() - begin:.1f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
