"""A rule of one's own: stated, judged, applied to a small model, and the result held to the original.

    python own_rule.py
"""

import isomer

PROGRAM = """
graph ratio {
  %0 = input{name="a"} : f32[8,16]
  %1 = input{name="b"} : f32[8,16]
  %2 = exp(%0) : f32[8,16]
  %3 = exp(%1) : f32[8,16]
  %4 = div(%2, %3) : f32[8,16]
  return %4
}
"""

RULES = """
rule quotient-of-exponentials {
  origin "algebra";
  stability unstable;  # large ?x and ?y overflow on the left alone
  (div (exp ?x) (exp ?y)) => (exp (sub ?x ?y));
}
rule a-slip-of-the-pen {
  origin "a mistake";
  stability unstable;
  (div (exp ?x) (exp ?y)) => (exp (sub ?y ?x));
}
"""


def main() -> None:
    rules = isomer.RuleSet.parse(RULES)
    verdicts = rules.check(instances=32)
    for verdict in verdicts:
        print(f"{verdict.rule}: {verdict.summary}")
    right = rules.filter([verdict.rule for verdict in verdicts if verdict.holds])
    assert right.names == ["quotient-of-exponentials"], "the slip is refuted"
    assert not any(verdict.overstated for verdict in verdicts), "no rule is less stable than it says"

    graph = isomer.Graph.parse(PROGRAM)
    egraph = isomer.EGraph(graph)
    print(egraph.run(right, allow_unstable=True))
    found = egraph.extract("ast-size")
    print(f"{graph.operators} became {found.graph.operators}, by {found.rules}")
    assert found.cost < graph.cost("ast-size")

    same = found.graph.equivalent(graph)
    print(same)
    assert same


if __name__ == "__main__":
    main()
