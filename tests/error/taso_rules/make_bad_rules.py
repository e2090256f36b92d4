#!/usr/bin/env python3
"""Writes the files of this folder: collections of TASO's substitutions (src/rewrite/taso_rules.proto), each with one
fault. Standard library only; fields are written by hand, so that files can be wrong in any way."""

from pathlib import Path

HERE = Path(__file__).parent


def varint(n: int) -> bytes:
    n &= (1 << 64) - 1
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def number(field: int, n: int) -> bytes:
    return varint(field << 3) + varint(n)


def message(field: int, *parts: bytes) -> bytes:
    body = b"".join(parts)
    return varint(field << 3 | 2) + varint(len(body)) + body


def operator(side: int, kind: int, inputs, parameters=()) -> bytes:
    parts = [number(1, kind)]
    parts += [message(2, number(1, op), number(2, output)) for op, output in inputs]
    parts += [message(3, number(1, key), number(2, value)) for key, value in parameters]
    return message(side, *parts)


def mapped(source: int, target: int, source_output: int = 0, target_output: int = 0) -> bytes:
    return message(3, number(1, source), number(2, target), number(3, source_output), number(4, target_output))


def rule(*parts: bytes) -> bytes:
    return message(1, *parts)


SOURCE, TARGET = 1, 2
RELU, CONCAT, SPLIT, EWADD, MATMUL = 8, 12, 13, 16, 18
ADD = operator(SOURCE, EWADD, [(-1, 0), (-2, 0)])
SWAPPED = operator(TARGET, EWADD, [(-2, 0), (-1, 0)])
GOOD = rule(ADD, SWAPPED, mapped(0, 0))

FILES = {
    "empty": b"",
    "text": b"(ewadd ?x ?y)=>(ewadd ?y ?x)\n",
    "truncated": GOOD[:-3],
    "unknown_type": GOOD + rule(operator(SOURCE, 99, [(-1, 0)]), SWAPPED, mapped(0, 0)),
    "wrong_arity": rule(operator(SOURCE, EWADD, [(-1, 0)]), SWAPPED, mapped(0, 0)),
    "later_operator": rule(operator(SOURCE, RELU, [(1, 0)]), ADD, SWAPPED, mapped(0, 0)),
    "no_parameter": rule(operator(SOURCE, MATMUL, [(-1, 0), (-2, 0)]), SWAPPED, mapped(0, 0)),
    "second_output": rule(ADD, operator(TARGET, RELU, [(-1, 0)]), operator(TARGET, RELU, [(0, 1)]), mapped(0, 1)),
    "third_part": rule(ADD, operator(TARGET, SPLIT, [(-1, 0)], [(11, 0)]), mapped(0, 0, 0, 2)),
    "unbound": rule(ADD, operator(TARGET, EWADD, [(-1, 0), (-3, 0)]), mapped(0, 0)),
    "no_output": rule(ADD, SWAPPED),
    "output_outside": rule(ADD, SWAPPED, mapped(0, 4)),
    "no_source": rule(SWAPPED, mapped(0, 0)),
    # Each operator has the one before it twice: written out, the term doubles every time.
    "doubling": rule(ADD, *[operator(SOURCE, EWADD, [(i, 0), (i, 0)]) for i in range(40)], SWAPPED, mapped(40, 0)),
}

for name, data in FILES.items():
    (HERE / f"{name}.pb").write_bytes(data)
