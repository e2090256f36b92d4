"""An extractor of one's own: a function that picks an e-node for each class. Greedy extraction prices a class as a tree,
and so pays for what is shared once for each use. This one lets all that may read a class pay a share of it.

    python own_extractor.py
"""

import math

import isomer

# Four products of one x. The engine joins them to one product and a split, which greedy extraction does not take: to each
# of the four results alone it costs more.
PROGRAM = """
graph heads {
  %0 = input{name="x"} : f32[32,64]
  %1 = weight{name="a"} : f32[64,16]
  %2 = weight{name="b"} : f32[64,16]
  %3 = weight{name="c"} : f32[64,16]
  %4 = weight{name="d"} : f32[64,16]
  %5 = matmul(%0, %1) : f32[32,16]
  %6 = matmul(%0, %2) : f32[32,16]
  %7 = matmul(%0, %3) : f32[32,16]
  %8 = matmul(%0, %4) : f32[32,16]
  return %5, %6, %7, %8
}
"""


def amortised(problem: isomer.ExtractionProblem) -> list[int]:
    """Picks by class: the node that is cheapest where each class costs its possible readers a share."""
    a = problem.arrays()
    reads = [sorted({int(c) for c in a["children"][a["first_child"][n]:a["first_child"][n + 1]]})
             for n in range(problem.node_count)]
    readers: list[set[int]] = [set() for _ in range(problem.class_count)]
    for n, children in enumerate(reads):
        for c in children:
            readers[c].add(int(a["eclass"][n]))
    price = [math.inf] * problem.class_count
    picks = [-1] * problem.class_count
    changed = True
    while changed:
        changed = False
        for n, children in enumerate(reads):
            home = int(a["eclass"][n])
            cost = float(a["cost"][n]) + sum(price[c] / len(readers[c]) for c in children)
            if cost < price[home] - 1e-9:
                price[home], picks[home], changed = cost, n, True
    return picks


def main() -> None:
    graph = isomer.Graph.parse(PROGRAM)
    egraph = isomer.EGraph(graph)
    egraph.run(isomer.RuleSet.shipped("default"), grouping=True)
    costs = {}
    for name, extractor in (("greedy", "greedy"), ("amortised", amortised), ("proved optimal", "auto")):
        found = egraph.extract("ast-size", extractor)
        costs[name] = found.cost
        print(f"{name}: cost {found.cost:g}, {found.graph.operators}")
        assert found.graph.equivalent(graph)
    assert costs["proved optimal"] <= costs["amortised"] < costs["greedy"]


if __name__ == "__main__":
    main()
