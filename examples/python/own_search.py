"""A search of one's own: e-graphs are states, a step applies one rule wherever it matches. Saturation applies all rules
in turn until its limit of e-nodes is met; this one takes the step that makes the cheapest program cheapest, and so
spends the same e-nodes where they pay. TENSAT's rules ask for no promise about floats ("fast").

    python own_search.py [MODEL [NODE_LIMIT]]
"""

import pathlib
import sys

import isomer

MODEL = pathlib.Path(__file__).resolve().parents[2] / "tests" / "data" / "tensat" / "models" / "dag" / "nasrnn.dag"
COST = "roofline:a100"
STEPS = 20


def saturated(graph: isomer.Graph, rules: isomer.RuleSet, node_limit: int) -> isomer.EGraph:
    egraph = isomer.EGraph(graph, "fast")
    print(egraph.run(rules, node_limit=node_limit))
    return egraph


def searched(graph: isomer.Graph, rules: isomer.RuleSet, node_limit: int) -> isomer.EGraph:
    """Greedy search over rules: of all steps the one whose e-graph has the cheapest program; of equal ones the one that
    adds most, since others build on it."""
    single = [rules.filter([name]) for name in rules.names]
    state = isomer.EGraph(graph, "fast")
    for _ in range(STEPS):
        best = None
        for rule in single:
            trial = state.clone()
            trial.run(rule, iterations=1, node_limit=node_limit)
            if len(trial) == len(state) or len(trial) > node_limit:
                continue
            rank = (trial.cost(COST), -len(trial))
            if best is None or rank < best[0]:
                best = (rank, trial, rule.names[0])
        if best is None:
            break
        (cost, _), state, name = best
        print(f"  {name}: cost {cost:.5g}, {len(state)} e-nodes")
    return state


def main() -> None:
    model = sys.argv[1] if len(sys.argv) > 1 else MODEL
    node_limit = int(sys.argv[2]) if len(sys.argv) > 2 else 1500
    graph = isomer.Graph.load(model)
    rules = isomer.RuleSet.shipped("tensat")
    by_saturation = saturated(graph, rules, node_limit).extract(COST)
    by_search = searched(graph, rules, node_limit).extract(COST)
    print(f"{graph.cost(COST):.5g} ms; by saturation {by_saturation.cost:.5g}, by this search {by_search.cost:.5g}")
    assert by_search.cost < by_saturation.cost


if __name__ == "__main__":
    main()
