// How a search grew the e-graph: rules by step, cost against size and time, the first step's tree, the e-graphs.
"use strict";

window.isomerGrowth = (search, { make, table, curve, count, cost, digits }) => {
  const $ = (id) => document.getElementById(id);
  const steps = search.steps;
  let before = search.start_nodes;
  const added = steps.map((s) => {
    const more = Math.max(0, s.e_nodes - before);
    before = s.e_nodes;
    return more;
  });

  // ---- Rules by step
  {
    const rules = d3.rollups(steps.map((s, i) => [s.rule, i]), (v) => v.map(([, i]) => i), ([rule]) => rule)
      .map(([rule, at]) => ({ rule, at, added: d3.sum(at, (i) => added[i]) }))
      .sort((a, b) => b.at.length - a.at.length || b.added - a.added);
    const most = 40, shown = rules.slice(0, most);
    if (shown.length) {
      const cell = Math.max(5, Math.min(16, 900 / steps.length)), line = 15, left = 230, top = 6;
      const w = left + cell * steps.length + 60, h = top + line * shown.length + 4;
      const svg = d3.create("svg").attr("class", "chart heat-map").attr("width", w).attr("height", h).attr("role", "img").attr("aria-label", "rules by step");
      const shade = d3.scaleLinear().domain([0, Math.log1p(d3.max(added) || 1)]).range([0.22, 1]);
      shown.forEach((r, y) => {
        svg.append("text").attr("x", left - 6).attr("y", top + line * y + 11).attr("text-anchor", "end").text(r.rule.length > 34 ? `${r.rule.slice(0, 33)}…` : r.rule).append("title").text(r.rule);
        svg.append("line").attr("x1", left).attr("x2", left + cell * steps.length).attr("y1", top + line * (y + 1) - 0.5).attr("y2", top + line * (y + 1) - 0.5).attr("class", "rule-line");
        for (const i of r.at)
          svg.append("rect").attr("class", "step-cell").attr("x", left + cell * i).attr("y", top + line * y + 1).attr("width", cell - 1).attr("height", line - 3).attr("fill-opacity", shade(Math.log1p(added[i])))
            .append("title").text(`step ${i + 1}: ${r.rule}, ${count(added[i])} e-nodes added, cost ${cost(steps[i].cost)}`);
        svg.append("text").attr("x", left + cell * steps.length + 8).attr("y", top + line * y + 11).text(`${r.at.length}×`);
      });
      const what = `From left to right ${steps.length === 1 ? "the one step" : `steps 1 to ${count(steps.length)}`}; the darker, the more e-nodes were added.`;
      const rest = rules.length > most ? ` ${count(rules.length - most)} rules more, taken ${rules[most].at.length}× at most, are not drawn.` : "";
      $("growth-rules").append(make("div", { class: "scroll" }, svg.node()), make("p", { class: "hint" }, what + rest));
    } else {
      $("growth-rules").parentElement.hidden = true;
    }
  }

  // ---- Cost against size and time
  if (steps.length) {
    const first = { e_nodes: search.start_nodes, cpu_seconds: 0, cost: search.start_cost, rule: "the start" };
    for (const [key, label] of [["e_nodes", "e-nodes"], ["cpu_seconds", "CPU seconds"]])
      $("growth-curves").append(make("div", {}, curve([first, ...steps].map((s) => ({ at: s[key], cost: s.cost, what: s.rule })), { x: (p) => p.at, y: (p) => p.cost, xLabel: label, yLabel: "cost", steps: true })));
  } else {
    $("growth-curves").parentElement.hidden = true;
  }

  // ---- The tree before the first step
  if (search.tree.length > 1) {
    const root = d3.stratify().id((d) => d.number).parentId((d) => (d.number ? d.parent : null))(search.tree.map((n, number) => ({ ...n, number })));
    const leaves = root.leaves().length, w = Math.max(560, 15 * leaves), h = 46 + 64 * root.height;
    d3.tree().size([w - 40, h - 46])(root);
    const svg = d3.create("svg").attr("class", "chart search-tree").attr("width", w).attr("height", h).attr("role", "img").attr("aria-label", "search tree");
    const all = svg.append("g").attr("transform", "translate(20,22)");
    all.append("path").attr("class", "tree-edge").attr("d", root.links().map(({ source: s, target: t }) => `M${s.x},${s.y}C${s.x},${(s.y + t.y) / 2} ${t.x},${(s.y + t.y) / 2} ${t.x},${t.y}`).join(""));
    const visited = root.descendants().filter((d) => !d.data.saturated), worths = visited.slice(1).map((d) => d.data.worth);
    const [least, greatest] = [d3.min(worths) ?? 0, d3.max(worths) ?? 0];
    const shade = greatest > least ? d3.scaleLinear().domain([least, greatest]).range([0.25, 1]) : () => 0.6;
    const most = search.tree[0].visits || 1;
    for (const d of root.descendants()) {
      const r = 2.5 + 9 * Math.sqrt(d.data.visits / most);
      all.append("circle").attr("class", d.data.saturated ? "tree-node void" : "tree-node").attr("cx", d.x).attr("cy", d.y).attr("r", r).attr("fill-opacity", d.data.saturated ? 0 : d.depth ? shade(d.data.worth) : 1)
        .append("title").text(d.depth ? `${d.data.rule}: ${count(Math.round(d.data.visits))} visits, worth ${digits(d.data.worth)}, cost ${cost(d.data.cost)}${d.data.saturated ? "; led to nothing new" : ""}` : `the start: ${count(Math.round(d.data.visits))} visits`);
    }
    $("growth-tree").append(make("div", { class: "scroll" }, svg.node()), make("p", { class: "hint" }, "Each circle is a rule that was tried (hover for its name): the larger, the more visits; the darker, the more it was worth; hollow: it changed nothing."));
  } else {
    $("growth-tree").parentElement.hidden = true;
  }

  // ---- E-graphs
  const drawn = (egraph) => {
    const cell = 12, { boxes, nodes, operators } = egraph;
    const members = boxes.map(() => []);
    nodes.forEach((n) => members[n[0]].push(n));
    const x0 = d3.min(boxes, (b) => b[0]) - 1, x1 = d3.max(boxes, (b) => b[0] + b[2]) + 1, y1 = d3.max(boxes, (b) => b[1] + b[3]) + 1;
    const svg = d3.create("svg").attr("class", "egraph").attr("role", "img").attr("aria-label", "e-graph");
    const all = svg.append("g");
    const uses = d3.rollups(nodes, (v) => v.length, (n) => n[1]).sort((a, b) => b[1] - a[1]).map(([op]) => op);
    const hues = new Map(uses.map((op, i) => [op, i < 10 ? d3.schemeTableau10[i] : "#8b95a3"]));
    const light = [], dark = [], cells = [];
    boxes.forEach((b, c) => {
      all.append("rect").attr("class", "class-box").attr("x", b[0] * cell - 2).attr("y", b[1] * cell - 2).attr("width", b[2] * cell + 4).attr("height", b[3] * cell + 4).attr("rx", 4);
      members[c].forEach((n, i) => {
        const x = (b[0] + (i % b[2]) + 0.5) * cell, y = (b[1] + Math.floor(i / b[2]) + 0.5) * cell;
        cells.push({ n, x, y, size: members[c].length });
        for (const child of n.slice(3)) {
          const to = boxes[child];
          (n[2] ? dark : light).push(`M${x},${y}L${(to[0] + to[2] / 2) * cell},${to[1] * cell - 2}`);
        }
      });
    });
    all.append("path").attr("class", "egraph-edge").attr("d", light.join(""));
    all.append("path").attr("class", "egraph-edge picked").attr("d", dark.join(""));
    for (const { n, x, y, size } of cells)
      all.append("rect").attr("class", n[2] ? "egraph-node picked" : "egraph-node").attr("x", x - 4.5).attr("y", y - 4.5).attr("width", 9).attr("height", 9).attr("rx", 2).attr("fill", hues.get(n[1]))
        .append("title").text(`${operators[n[1]]}${n[2] ? ", picked" : ""}; class of ${count(size)}`);
    const zoom = d3.zoom().scaleExtent([0.02, 8]).filter((e) => (e.type === "wheel" ? e.ctrlKey : !e.button)).on("zoom", (e) => all.attr("transform", e.transform));
    svg.call(zoom).on("dblclick.zoom", null);
    const area = make("div", { class: "area" }, svg.node());
    const fit = () => {
      const { width, height } = area.getBoundingClientRect();
      if (!width || !boxes.length) return;
      const k = Math.min(2, width / ((x1 - x0) * cell), height / ((y1 + 1) * cell));
      svg.call(zoom.transform, d3.zoomIdentity.translate(width / 2 - ((x0 + x1) / 2) * cell * k, cell * k).scale(k));
    };
    new ResizeObserver(fit).observe(area);
    const legend = make("div", { class: "egraph-legend" }, ...uses.slice(0, 10).map((op) => make("span", {}, make("i", { style: `background:${hues.get(op)}` }), operators[op])));
    if (uses.length > 10) legend.append(make("span", {}, make("i", { style: "background:#8b95a3" }), "others"));
    return { area, legend };
  };
  const bar = $("growth-egraph");
  const shown = make("div", { class: "panel" });
  const names = { first: "the first", last: "the last" };
  const buttons = Object.keys(names).map((key) => {
    const e = search[key], classes = e.boxes.length;
    const b = make("button", { type: "button", "aria-pressed": "false" }, `${names[key]}: ${count(e.nodes.length)} e-nodes in ${count(classes)} classes${e.left_out ? ` (${count(e.left_out)} left out)` : ""}`);
    b.addEventListener("click", () => {
      buttons.forEach((other) => other.setAttribute("aria-pressed", String(other === b)));
      const { area, legend } = drawn(e);
      shown.replaceChildren(legend, area);
    });
    return b;
  });
  bar.append(make("div", { class: "toolbar" }, ...buttons), shown, make("p", { class: "hint" }, "A box is a class, a square an e-node coloured by its operator; outlined squares and dark lines are the cheapest program by the cost that the search went by. Drag to move, Ctrl and scroll to zoom."));
  buttons[buttons.length - 1].click();
};
