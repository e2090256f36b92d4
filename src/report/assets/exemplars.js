// The page of exemplars: for each program two results side by side, and the decisions that led to them.
"use strict";

(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { make } = isomerParts;
  const time = (s) => (s === null ? "–" : s >= 1e-3 ? `${(1e3 * s).toPrecision(4)} ms` : `${(1e6 * s).toPrecision(4)} µs`);

  // The whole of an instruction where the pointer rests on its box. A wide drawing shrinks as far as it can be read, then it scrolls.
  function drawing(graph) {
    const svg = isomerGraph.still(graph);
    svg.style.minWidth = `${0.6 * svg.getAttribute("width")}px`;
    svg.querySelectorAll(".node").forEach((g) => {
      const node = graph.nodes[g.__box.node];
      if (!node) return;
      const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
      title.textContent = [node.attributes || node.op, ...(node.constants || []).map((c) => `constant: ${c}`)].join("\n");
      g.append(title);
    });
    return svg;
  }

  function steps(own, other) {
    const there = new Set(other.steps.flat());
    const list = make("ol");
    for (const step of own.steps) {
      const item = make("li");
      step.forEach((taken, i) => {
        if (i) item.append(", ");
        item.append(make("span", there.has(taken) ? {} : { class: "only" }, taken));
      });
      list.append(item);
    }
    return list;
  }

  // Results of whole pipelines have no steps.
  function decisions(own, other) {
    if (!own.steps.length) return other.steps.length ? [make("p", {}, "nothing is decided: the module as it was")] : [];
    return [make("details", {}, make("summary", {}, own.steps.length === 1 ? "decisions of 1 step" : `decisions of ${own.steps.length} steps`), steps(own, other))];
  }

  function side(kind, title, own, other) {
    return make("div", { class: `side ${kind}` },
      make("h3", {}, title, make("span", {}, ` ${time(own.cost)}, ${own.instructions} instructions`)),
      drawing(own.graph),
      ...decisions(own, other));
  }

  function differences(e) {
    const rows = e.differences;
    if (!rows.length) return e.ordinary.steps.length ? [make("p", {}, "Both took the same rules as often, elsewhere or in another order.")] : [];
    const head = make("tr", {}, ...["rule", data.ordinary, data.found].map((t, i) => make("th", i ? { class: "n" } : {}, t)));
    const body = rows.map((d) => make("tr", {}, make("td", {}, make("code", {}, d.rule)), make("td", { class: "n" }, `${d.ordinary}`), make("td", { class: "n" }, `${d.found}`)));
    return [make("table", {}, make("caption", {}, "Rules that one of them took more often"), make("thead", {}, head), make("tbody", {}, ...body))];
  }

  document.getElementById("note").textContent = data.note;
  for (const id of ["ordinary", "found"]) document.getElementById(`alone-${id}`).textContent = `only in: ${data[id]}`;
  for (const e of data.exemplars) {
    const share = e.found.cost / e.ordinary.cost;
    document.getElementById("exemplars").append(make("section", { class: "exemplar" },
      make("h2", {}, e.name, make("span", {}, ` ${share.toFixed(3)} of the cost of ${data.ordinary}; as it was, the module costs ${time(e.start_cost)}`)),
      ...differences(e),
      make("div", { class: "sides" }, side("before", data.ordinary, e.ordinary, e.found), side("after", data.found, e.found, e.ordinary))));
  }
  isomerParts.themeSwitch();
})();
