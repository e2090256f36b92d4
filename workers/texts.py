"""Texts that are worth a try as inputs of two models: those that they name in attributes and constants, what these match
where they are patterns, and several of them joined.

What tells two programs of texts apart is mostly a word that one of them names; words from a list of ours never are.
"""

import random

try:
    from re import _parser as patterns
except ImportError:  # before Python 3.11
    import sre_parse as patterns

MOST = 256         # texts
LONGEST = 200      # characters of one
REPEATS = 40       # of a part of a pattern, at most
VARIANTS = 12      # of what a pattern matches
ANY = "x-7 "       # what stands for any character


def texts_of(paths):
    """Texts of these models; none where the package that reads them is missing."""
    try:
        import onnx  # noqa: PLC0415: not every runtime's environment has it
    except ImportError:
        return []
    named = {}
    for path in paths:
        collect(onnx.load(path, load_external_data=False).graph, onnx.TensorProto.STRING, named)
    out = dict.fromkeys(named)
    for text in named:
        for other in (text.lower(), text.upper(), " " + text, text + " ", text[:-1], text + text):
            out.setdefault(other)
        out.update(dict.fromkeys(f"a{text}b{text}c{text}d"[:n] for n in (1, 2 + len(text), 3 + 2 * len(text), LONGEST)))
        out.update(dict.fromkeys(matching(text)))
    words = list(named)
    out.update(dict.fromkeys(f"{a} {b}" for a in words[:8] for b in words[:8]))
    return [text for text in out if len(text) <= LONGEST][:MOST]


def collect(graph, string, out):
    tensors = list(graph.initializer)
    for node in graph.node:
        for a in node.attribute:
            for raw in ([a.s] if a.s else []) + list(a.strings):
                out.setdefault(raw.decode("utf-8", "replace"))
            tensors += [t for t in (a.t, *a.tensors) if t.data_type]
            for inner in ([a.g] if a.g.node else []) + list(a.graphs):
                collect(inner, string, out)
    for tensor in tensors:
        if tensor.data_type == string:
            for raw in tensor.string_data:
                out.setdefault(raw.decode("utf-8", "replace"))


def matching(pattern):
    """A few texts that the pattern matches, its ends among them; itself alone where it is none."""
    try:
        parsed = patterns.parse(pattern)
    except Exception:  # noqa: BLE001: most texts are no patterns
        return []
    out = []
    for variant in range(VARIANTS):
        rng = random.Random(variant)
        text = written(parsed, variant, rng)
        out += [text, text[:-1], text + "x", "x" + text]
    return out


def written(parsed, variant, rng):
    out = ""
    for kind, what in parsed:
        name = str(kind)
        if name == "LITERAL":
            out += chr(what)
        elif name == "NOT_LITERAL":
            out += "x" if what != ord("x") else "y"
        elif name == "ANY":
            out += rng.choice(ANY)
        elif name == "IN":
            out += one_of(what, variant, rng)
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            least, most, part = what
            most = min(int(most), least + REPEATS)
            times = (most, least, rng.randint(least, most))[variant % 3]
            out += "".join(written(part, variant, rng) for _ in range(times))
        elif name == "SUBPATTERN":
            out += written(what[-1], variant, rng)
        elif name == "BRANCH":
            out += written(rng.choice(what[1]), variant, rng)
        if len(out) > LONGEST:
            break
    return out


def one_of(members, variant, rng):
    choices = []
    for kind, what in members:
        if str(kind) == "LITERAL":
            choices.append(chr(what))
        elif str(kind) == "RANGE":
            choices += [chr(what[0]), chr(what[1]), chr((what[0] + what[1]) // 2), chr(rng.randint(*what))]
        elif str(kind) == "CATEGORY":
            choices.append({"CATEGORY_DIGIT": "7", "CATEGORY_SPACE": " "}.get(str(what), "a"))
    if not choices or str(members[0][0]) == "NEGATE":
        return rng.choice(ANY)
    return choices[variant % len(choices)] if variant < 6 else rng.choice(choices)
