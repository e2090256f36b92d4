"""A cost of one's own: a function of an operator. Here the bytes that a program moves, which the number of its
operators says nothing about.

    python own_cost.py
"""

import isomer

PROGRAM = """
graph head {
  %0 = input{name="x"} : f32[512,64]
  %1 = input{name="w"} : f32[64,64]
  %2 = matmul(%0, %1) : f32[512,64]
  %3 = relu(%2) : f32[512,64]
  %4 = slice{starts=[0], ends=[1], axes=[0], steps=[1]}(%3) : f32[1,64]
  return %4
}
"""


def traffic(operator: isomer.Operator) -> float:
    """Bytes read and written; inputs are not asked about, they cost nothing."""
    return operator.bytes


def main() -> None:
    graph = isomer.Graph.parse(PROGRAM)
    egraph = isomer.EGraph(graph)
    egraph.run(isomer.RuleSet.shipped("default"))
    moved = {}
    for name, cost in (("fewest operators", "ast-size"), ("least traffic", traffic)):
        found = egraph.extract(cost)
        moved[name] = sum(node.bytes for node in found.graph.nodes if node.op != "input")
        print(f"{name}: {moved[name] / 1024:.1f} KiB moved, by {found.graph.operators}")
        assert found.graph.equivalent(graph)
    assert moved["least traffic"] < moved["fewest operators"]


if __name__ == "__main__":
    main()
