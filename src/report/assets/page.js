// The page: reads the data within it and fills the sections of page.html.
"use strict";

(() => {
  const began = performance.now();
  const data = JSON.parse(document.getElementById("data").textContent);
  const r = data.result;
  const $ = (id) => document.getElementById(id);

  // ---- Words and numbers
  const known = (v) => typeof v === "number" && Number.isFinite(v);
  const digits = (v, n = 4) => (known(v) && v !== 0 && Math.abs(v) < 1e-4 ? v.toExponential(n - 1) : known(v) ? Number(v.toPrecision(n)).toLocaleString("en", { maximumSignificantDigits: n }) : "–");
  const count = (v) => (known(v) && v >= 0 ? v.toLocaleString("en") : "–");
  const million = (v) => (known(v) ? `${digits(v / 1e6)} M` : "–");
  const inMilliseconds = r.cost_model !== "ast-size";
  const time = (ms) => {
    if (!known(ms)) return "–";
    if (ms === 0) return "0";
    return ms >= 1000 ? `${digits(ms / 1000, 3)} s` : ms >= 1 ? `${digits(ms, 3)} ms` : `${digits(ms * 1000, 3)} µs`;
  };
  const cost = (v) => (inMilliseconds ? time(v) : digits(v));
  const bytes = (v) => {
    if (!known(v)) return "–";
    const units = ["B", "KiB", "MiB", "GiB"];
    let k = 0;
    while (v >= 1024 && k < 3) (v /= 1024), ++k;
    return `${digits(v, 3)} ${units[k]}`;
  };
  const ratio = (a, b) => (known(a) && known(b) && b > 0 ? a / b : NaN);
  const times = (v) => (known(v) ? `${v.toFixed(3)}×` : "–");
  const base = (path) => path.split("/").pop();
  const ended = (reason) =>
    ({ saturated: "no rule changes the e-graph any more", "iteration-limit": "its iterations were used up", "time-limit": "its time was up", "node-limit": "the e-graph has as many nodes as it may have", "memory-limit": "its memory was used up" })[reason] || reason;
  const sentence = (text) => (text ? text[0].toUpperCase() + text.slice(1) : "");

  // ---- Small elements
  const { make } = isomerParts;
  const facts = (pairs) => {
    const list = make("dl", { class: "facts" });
    for (const [k, v] of pairs) if (v !== "" && v !== null && v !== undefined) list.append(make("dt", {}, k), make("dd", {}, v));
    return list;
  };
  const table = (caption, columns, rows) => {
    const head = make("tr", {}, ...columns.map((c) => make("th", { scope: "col", class: c.number ? "n" : "" }, c.title)));
    const body = rows.map((row) => make("tr", {}, ...row.map((cell, i) => make("td", { class: columns[i].number ? "n" : "wrap" }, cell))));
    return make("div", { class: "scroll" }, make("table", {}, make("caption", {}, caption), make("thead", {}, head), make("tbody", {}, ...body)));
  };
  // "1.2 ms → 0.9 ms", which a line may break at the arrow alone.
  const change = (before, after) => before === after ? make("span", { class: "figure" }, before)
    : make("span", {}, make("span", { class: "figure" }, `${before} →`), " ", make("span", { class: "figure" }, after));
  const meter = (share, kind) => make("span", { class: `meter ${kind}`, style: `width:${Math.max(0, Math.min(1, share)) * 7}rem` });

  // ---- Summary
  const sizes = (of) => Object.entries(of || {}).map(([name, size]) => `${name} = ${size}`).join(", ");
  const gain = r.changed ? ratio(r.cost_before, r.cost_after) : NaN;
  const speed = known(r.speedup) ? r.speedup : NaN;
  {
    const verdict = $("verdict");
    verdict.className = r.changed ? "good" : "warn";
    let headline = r.changed ? "The model was rewritten" : "The model is written as it was";
    if (r.changed && known(speed)) headline += `: ${times(speed)} as fast`;
    else if (r.changed && known(gain)) headline += `: ${times(gain)} by cost`;
    verdict.append(make("strong", {}, headline),
      r.why ? make("div", { id: "why" }, `${r.changed ? "Why" : "What was found"}: ${r.why}.`) : null,
      make("div", {}, `Written: ${r.decision}.`),
      make("div", {}, make("span", { class: r.verified ? "good" : "warning" }, r.verified ? "✓ Verified: " : "Not verified: "), `${r.verification || "–"}.`));
    const cards = [
      ["Operators", change(count(r.nodes_before), count(r.nodes_after)), ""],
      ["Multiply-adds", known(r.macs_before) ? change(million(r.macs_before), million(r.macs_after)) : "–", ""],
      ["Weights", change(bytes(r.weight_bytes_before), bytes(r.weight_bytes_after)), ""],
      ["Cost", known(r.cost_before) ? change(cost(r.cost_before), cost(r.cost_after)) : "not asked for", `${known(gain) ? times(gain) + " " : ""}by ${r.cost_model}`, r.changed && gain > 1],
    ];
    if (known(r.cost_found) && known(r.cost_candidate) && r.cost_found < r.cost_candidate)
      cards.push(["Cheapest found", cost(r.cost_found), `${r.changed ? "the program that was written" : `what was timed (${cost(r.cost_candidate)})`} is faster as a whole`]);
    else if (!r.changed && known(r.cost_found) && r.cost_found < r.cost_before)
      cards.push(["Cost of what was found", cost(r.cost_found), "cheaper by the model, but not written: see the verdict"]);
    if (known(r.latency_before_ms))
      cards.push(["Latency", change(time(r.latency_before_ms), time(r.latency_after_ms)),
        known(speed) ? `${r.changed ? "" : "of what was found, not written: "}${times(speed)} (95 %: ${times(r.speedup_low)} to ${times(r.speedup_high)}) in ${r.runtime}` : r.runtime, r.changed && speed > 1]);
    else cards.push(["Latency", "not measured", r.runtime]);
    for (const [title, value, note, good] of cards)
      $("cards").append(make("div", { class: "card" }, make("h3", {}, title), make("div", { class: `value${good ? " good" : ""}` }, value), make("div", { class: "note" }, note)));
    const found = r.cost_found;
    const gap = known(r.bound) && known(found) && found > 0 ? Math.max(0, (found - r.bound) / found) : NaN;
    $("facts").append(facts([
      ["Input", r.input], ["Output", r.output],
      ...(sizes(r.sizes) ? [["Sizes", `priced, timed and verified at ${sizes(r.sizes)}; the model stays dynamic${(r.verified_sizes || []).slice(1).map((s) => `; also verified at ${sizes(s)}`).join("")}`]] : []),
      ["E-graph", r.e_nodes ? `${count(r.e_nodes)} e-nodes in ${count(r.e_classes)} classes after ${count(r.iterations)} iterations; the search ended: ${ended(r.stop_reason)}` : "not grown"],
      ["Extraction", r.optimal ? "proved optimal in this e-graph" : known(gap) ? `lower bound ${cost(r.bound)}, gap ${(gap * 100).toFixed(2)} %` : "–"],
      ["Time", `${digits(r.seconds, 3)} s`],
    ]));
    for (const w of r.warnings || []) $("facts").append(make("div", { class: "warning" }, `Warning: ${w}`));
  }

  // ---- Graphs
  const sides = [];
  const heat = Math.max(0, ...["before", "after"].flatMap((s) => (data.graphs[s] ? data.graphs[s].nodes.map((n) => n.cost || 0) : [])));
  const totals = {};
  const states = { kept: "unchanged", changed: "computed otherwise on the other side" };

  function hover(side, box, event) {
    if (!box) return isomerParts.hideTip();
    if (box.kind === "folded") return isomerParts.showTip(event, `${box.piece.inner} operators that did not change`);
    const n = side.graph.nodes[box.node], rows = isomerParts.aboutNode(n);
    if (known(n.cost) && n.op !== "input") rows.push(["cost", `${cost(n.cost)}${totals[side.name] > 0 ? ` (${((100 * n.cost) / totals[side.name]).toFixed(1)} %)` : ""}`]);
    if (sides.length > 1) rows.push(["state", states[n.state] || (side.name === "before" ? "only before" : "only after")]);
    isomerParts.showTip(event, n.op, rows);
  }

  // The nearest node that both sides have, from a node on where `next` leads; null where there is none.
  function nearestShared(side, node, next) {
    const queue = [node], seen = new Set(queue);
    for (let i = 0; i < queue.length && i < 400; ++i) {
      if (side.graph.nodes[queue[i]].twin !== undefined) return queue[i];
      for (const n of next(queue[i])) if (!seen.has(n)) seen.add(n), queue.push(n);
    }
    return null;
  }

  // The other side's place for a node: that of the nearest node below that both have.
  function nearestTwin(side, node) {
    const { nodes } = side.graph;
    side.users ||= nodes.reduce((all, n, i) => (n.in.forEach((o) => all[o].push(i)), all), nodes.map(() => []));
    const found = nearestShared(side, node, (n) => side.users[n]);
    return found === null ? null : { twin: nodes[found].twin, exact: found === node };
  }

  function select(side, node) {
    side.view.mark(node);
    const other = sides.find((s) => s !== side);
    if (!other) return;
    const twin = nearestTwin(side, node);
    if (!twin) return;
    other.view.centre(twin.twin);
    other.view.mark(twin.exact ? twin.twin : null);
  }

  function panel(name, title) {
    const graph = data.graphs[name];
    totals[name] = d3.sum(graph.nodes, (n) => n.cost || 0);
    sides.push(isomerParts.panel(name, title, graph, heat,
      (side) => ({ hover: (b, e) => hover(side, b, e), select: (n) => select(side, n) })));
  }

  // Runs of changed nodes, in drawing order.
  function changes(side) {
    const runs = [];
    let last = -99;
    side.view.order().forEach((n, i) => {
      if (side.graph.nodes[n].state === "kept") return;
      if (i - last > 6) runs.push([]);
      runs[runs.length - 1].push(n);
      last = i;
    });
    return runs;
  }

  if (data.graphs.before) {
    panel("before", "Before");
    if (data.graphs.after) panel("after", r.changed ? "After" : "Found, but not written");
    else $("panels").classList.add("single");
    const many = sides.some((s) => s.graph.nodes.length > 120) && sides.length > 1;
    $("fold").checked = many;
    $("fold").parentElement.hidden = sides.length < 2;
    document.querySelector(".legend").hidden = sides.length < 2;
    const lead = sides[sides.length - 1], runs = sides.length > 1 ? changes(lead) : [];
    // Both sides where most changed, at the last node above that both have; from the top where nothing did.
    const { nodes } = lead.graph, most = d3.greatest(runs, (run) => run.length) || [];
    const first = most.find((n) => nodes[n].twin === undefined) ?? most[0];
    const above = first === undefined ? null : nearestShared(lead, first, (n) => nodes[n].in);
    const open = (folded) => {
      for (const s of sides) {
        s.view.fold(folded);
        s.view.start(above === null || s === lead ? above : nodes[above].twin);
      }
    };
    open(many);
    $("fold").addEventListener("change", () => open($("fold").checked));

    let current = -1;
    const go = (step) => {
      if (!runs.length) return;
      current = (current + step + runs.length) % runs.length;
      const run = runs[current], node = run[Math.floor(run.length / 2)];
      lead.view.centre(node);
      select(lead, node);
      $("change").textContent = `${current + 1} of ${runs.length}`;
    };
    $("change").textContent = runs.length === 1 ? "1 change" : `${runs.length} changes`;
    $("next").parentElement.hidden = sides.length < 2;
    $("next").addEventListener("click", () => go(1));
    $("previous").addEventListener("click", () => go(current < 0 ? 0 : -1));

    isomerParts.search(sides);
  } else {
    document.querySelectorAll("#graphs .toolbar, #graphs .hint").forEach((e) => (e.hidden = true));
    const why = data.graphs.omitted ? `${count(data.graphs.omitted)} operators are too many` : "no time was left";
    $("panels").append(make("p", {}, `The graphs are not drawn: ${why}.`));
  }
  document.documentElement.dataset.drawn = Math.round(performance.now() - began);

  // ---- Charts
  function curve(points, { x, y, xLabel, yLabel, steps, bound }) {
    const w = 560, h = 190, left = 66, bottom = 34, top = 12, right = 14;
    const svg = d3.create("svg").attr("class", "chart").attr("viewBox", [0, 0, w, h]).attr("role", "img").attr("aria-label", `${yLabel} against ${xLabel}`).style("width", "100%").style("max-width", `${w}px`);
    const sx = d3.scaleLinear().domain([Math.min(0, d3.min(points, x)), Math.max(d3.max(points, x), 1e-9)]).nice().range([left, w - right]);
    const ys = points.map(y).concat(known(bound) ? [bound] : []);
    const low = d3.min(ys), high = d3.max(ys), pad = (high - low) * 0.12 || high * 0.05 || 1;
    const sy = d3.scaleLinear().domain([Math.max(0, low - pad), high + pad]).range([h - bottom, top]);
    svg.append("g").attr("transform", `translate(0,${h - bottom})`).call(d3.axisBottom(sx).ticks(6).tickSizeOuter(0));
    svg.append("g").attr("transform", `translate(${left},0)`).call(d3.axisLeft(sy).ticks(4).tickFormat((v) => cost(v)).tickSizeOuter(0));
    svg.append("text").attr("x", w - right).attr("y", h - 3).attr("text-anchor", "end").text(xLabel);
    if (known(bound)) {
      svg.append("line").attr("class", "bound").attr("x1", left).attr("x2", w - right).attr("y1", sy(bound)).attr("y2", sy(bound));
      svg.append("text").attr("x", w - right).attr("y", sy(bound) - 4).attr("text-anchor", "end").text("lower bound");
    }
    const path = d3.line(points.length ? (p) => sx(x(p)) : null, (p) => sy(y(p)));
    if (steps) path.curve(d3.curveStepAfter);
    svg.append("path").attr("class", "curve").attr("d", path(points));
    svg.selectAll("circle").data(points.length > 60 ? [] : points).join("circle").attr("cx", (p) => sx(x(p))).attr("cy", (p) => sy(y(p))).attr("r", 3).append("title").text((p) => `${p.what}: ${cost(y(p))}`);
    return svg.node();
  }

  // ---- The chain
  {
    // "(matmul{a=1} ?x (add ?y ?z)); ?x" as a graph to draw.
    const parse = (text) => {
      const nodes = [], outputs = [], seen = new Map();
      let at = 0;
      const skip = () => { while (text[at] === " ") ++at; };
      const term = () => {
        skip();
        const begin = at;
        if (text[at] === "(") {
          ++at;
          let word = at;
          while (at < text.length && !"{ )".includes(text[at])) ++at;
          const op = text.slice(word, at);
          let attributes = "";
          if (text[at] === "{") {
            let depth = 0, quoted = false;
            word = at + 1;
            do {
              if (text[at] === '"' && text[at - 1] !== "\\") quoted = !quoted;
              if (!quoted) depth += { "{": 1, "}": -1 }[text[at]] || 0;
              ++at;
            } while (depth > 0 && at < text.length);
            attributes = text.slice(word, at - 1);
          }
          const operands = [];
          const extra = [];
          for (skip(); at < text.length && text[at] !== ")"; skip()) {
            if (text[at] === "(" || text[at] === "?") operands.push(term());
            else extra.push(text[at++]);
          }
          ++at;
          const key = text.slice(begin, at);
          if (!seen.has(key)) {
            seen.set(key, nodes.length);
            nodes.push({ op, name: "", type: attributes || extra.join(""), in: operands, state: "kept" });
          }
          return seen.get(key);
        }
        while (at < text.length && !" );".includes(text[at])) ++at;
        const name = text.slice(begin, at);
        if (!seen.has(name)) {
          seen.set(name, nodes.length);
          nodes.push({ op: "input", name: name.replace("?", ""), type: "", in: [], state: "kept" });
        }
        return seen.get(name);
      };
      for (skip(); at < text.length; skip()) {
        outputs.push({ name: `result${outputs.length ? outputs.length + 1 : ""}`, node: term() });
        if (text[at] === ";") ++at;
        else break;
      }
      return { nodes, outputs };
    };
    const side = (title, text) => {
      const box = make("div", { class: "side" }, make("h4", {}, title));
      try {
        const graph = parse(text);
        if (graph.nodes.length < 80) box.append(isomerGraph.still(graph));
      } catch (error) {
        console.warn("not drawn:", text, error);
      }
      box.append(make("code", {}, text));
      return box;
    };
    const chain = data.rewrites, steps = d3.sum(chain, (g) => g.steps.length);
    const explain = (data.phases || []).find((p) => p.name === "explain");
    $("chain-note").textContent = chain.length
      ? `${count(steps)} steps${chain.length < steps ? `, of which ${count(chain.length)} differ` : ""}. Each acts on the program that the one before left${explain && /superfluous/.test(explain.outcome) ? "; none could be left out" : ""}. Computations on constants alone are folded at the end.`
      : explain && explain.outcome.startsWith("no chain") ? `${sentence(explain.outcome)}.` : "No rewrite was applied.";
    const points = [{ at: 0, cost: r.cost_before, what: "the original" }];
    chain.forEach((g) => g.steps.forEach((s, i) => points.push({ at: s + 1, cost: g.costs[i], what: g.rule })));
    points.sort((a, b) => a.at - b.at);
    if (points.length > 2 && points.every((p) => known(p.cost)))
      $("chain-chart").append(curve(points, { x: (p) => p.at, y: (p) => p.cost, xLabel: "rewrites applied", yLabel: "cost", steps: true }));
    const gains = r.gains || [], most = d3.max(gains, (g) => g.saved);
    if (gains.length) {
      $("gains").append(table("What the steps achieve, what is worth most first. Worth is how much more the cheapest program costs that was found without them. These do not add up, since one group may make room for another.",
        [{ title: "aim" }, { title: "steps", number: true }, { title: "worth", number: true }, { title: "" }, { title: "rules" }],
        gains.map((g) => [sentence(g.what), count(g.steps), known(g.saved) ? (Math.abs(g.saved) < 1e-12 ? "nothing by itself" : cost(g.saved)) : "–",
          most > 0 && g.saved > 0 ? meter(g.saved / most, "plain") : "", g.rules.join(", ")])));
    }
    const costAfter = new Map(points.map((p) => [p.at, p.cost]));
    chain.forEach((g, index) => {
      const places = g.places.slice(0, 3).join(", ") + (g.places.length > 3 ? ` and ${g.places.length - 3} more` : "");
      const saved = d3.sum(g.steps, (s) => (costAfter.get(s) ?? NaN) - (costAfter.get(s + 1) ?? NaN));
      const priced = g.steps.every((s) => known(costAfter.get(s)) && known(costAfter.get(s + 1)));
      const summary = make("summary", {}, make("span", { class: "number" }, `${g.steps[0] + 1}.`), make("b", {}, g.rule),
        g.backward ? make("span", { class: "where" }, "from right to left") : null,
        g.steps.length > 1 ? make("span", { class: "where" }, `${g.steps.length} times`) : null,
        make("span", { class: "where" }, places ? `at ${places}` : ""),
        make("span", { class: "gain" }, priced ? (Math.abs(saved) < 1e-12 ? "same cost" : `${saved > 0 ? "−" : "+"}${cost(Math.abs(saved))}`) : ""));
      const details = make("details", {}, summary);
      const fill = () => {
        if (!details.open || details.children.length > 1) return;
        const body = make("div", { class: "body" }, make("div", { class: "sides" }, side("before", g.before), side("after", g.after)));
        if (g.variables) body.append(make("div", { class: "mono" }, `with ${g.variables}`));
        if (g.places.length > 3) body.append(make("details", {}, make("summary", {}, `all ${g.places.length} places`), make("div", { class: "mono" }, g.places.join(", "))));
        details.append(body);
      };
      details.addEventListener("toggle", fill);
      $("chain").append(make("li", {}, details));
      if (index === 0) {
        details.open = true;
        fill();
      }
    });
  }

  // ---- Rules, anytime, costs
  {
    const rules = Object.entries(r.rules_applied || {}).sort((a, b) => b[1] - a[1]);
    const most = rules.length ? rules[0][1] : 1;
    $("rules").append(rules.length
      ? table("applications that the result needs", [{ title: "rule" }, { title: "times", number: true }, { title: "" }, { title: "its two sides are" }], rules.map(([name, n]) => [name, count(n), meter(n / most, "plain"), (r.rules_arithmetic || {})[name] || "–"]))
      : "None.");
    const log = (data.steps || []).filter((s) => known(s.cost));
    if (log.length) {
      const points = log.map((s) => ({ at: s.seconds, cost: s.cost, what: s.what }));
      if (points.length > 1) $("anytime").append(curve(points, { x: (p) => p.at, y: (p) => p.cost, xLabel: "seconds", yLabel: "cost", steps: true, bound: r.bound }));
      $("anytime").append(table("what was the best when", [{ title: "at", number: true }, { title: "" }, { title: "cost", number: true }], points.map((p) => [`${digits(p.at, 3)} s`, p.what, cost(p.cost)])));
    } else {
      $("anytime").append("Nothing was priced.");
    }

    const kinds = new Map();
    for (const s of sides)
      for (const n of s.graph.nodes) {
        if (n.op === "input") continue;
        const k = kinds.get(n.op) || { before: [0, 0], after: [0, 0] };
        k[s.name][0] += 1;
        k[s.name][1] += n.cost || 0;
        kinds.set(n.op, k);
      }
    const priced = heat > 0, both = sides.length > 1;
    const rows = [...kinds].sort((a, b) => Math.max(b[1].before[1], b[1].after[1]) - Math.max(a[1].before[1], a[1].after[1]) || b[1].before[0] - a[1].before[0]);
    const top = Math.max(1e-30, ...rows.map(([, k]) => Math.max(k.before[1], k.after[1])));
    const columns = [{ title: "operator" }, { title: "before", number: true }];
    if (both) columns.push({ title: "after", number: true });
    if (priced) {
      columns.push({ title: "cost before", number: true }, { title: "" });
      if (both) columns.push({ title: "cost after", number: true }, { title: "" });
    }
    $("operators").append(table(priced ? `operators and their summed cost by ${r.cost_model}` : "operators; costs were not asked for", columns, rows.map(([op, k]) => {
      const row = [op, count(k.before[0])];
      if (both) row.push(count(k.after[0]));
      if (priced) {
        row.push(k.before[0] ? cost(k.before[1]) : "", meter(k.before[1] / top, "before"));
        if (both) row.push(k.after[0] ? cost(k.after[1]) : "", meter(k.after[1] / top, "after"));
      }
      return row;
    })));
    for (const s of sides) {
      const order = s.graph.nodes.map((n, i) => [n, i]).filter(([n]) => n.cost > 0).sort((a, b) => b[0].cost - a[0].cost).slice(0, 8);
      if (!order.length) continue;
      const link = ([n, i]) => {
        const b = make("button", { type: "button" }, n.name || n.op);
        b.addEventListener("click", () => {
          s.view.centre(i);
          select(s, i);
          $("graphs").scrollIntoView({ behavior: "smooth" });
        });
        return b;
      };
      $(`top-${s.name}`).append(table(s.name, [{ title: "value" }, { title: "operator" }, { title: "shape" }, { title: "cost", number: true }, { title: "share", number: true }],
        order.map((e) => [link(e), e[0].op, isomerGraph.shortType(e[0].type), cost(e[0].cost), `${((100 * e[0].cost) / totals[s.name]).toFixed(1)} %`])));
    }
    if (!heat) document.querySelector("#costs h3").hidden = true;
  }

  // ---- The search
  if (data.search) {
    $("growth").hidden = $("growth-link").hidden = false;
    const texts = data.texts || {}, taken = texts.search, steps = data.search.steps.length, rollouts = (data.numbers || {})["search.rollouts"];
    const reason = ended(texts["search.stop_reason"]);
    $("growth-note").textContent = (steps ? `${count(steps)} ${steps === 1 ? "step" : "steps"} of Monte Carlo tree search, ` : `Monte Carlo tree search took no step${reason ? `, since ${reason}` : ""}: `)
      + `${count(rollouts)} ${rollouts === 1 ? "rollout" : "rollouts"}.${taken ? ` The result is from the e-graph of ${taken === "mcts" ? "this search" : taken}.` : ""}`;
    isomerGrowth(data.search, { make, table, curve, count, cost, digits });
  }

  // ---- Checks and the run
  {
    const texts = data.texts || {};
    $("verification").append(facts([
      ["Result", `${r.verified ? "✓ " : ""}${r.verification || "not verified"}`],
      ["Rewrites", texts.rewrites || ""],
      ["Largest error", known(r.max_relative_error) ? `${digits(r.max_relative_error, 3)} of an output's largest element` : ""],
      ["Measured", known(speed) ? `${times(speed)}, 95 % interval ${times(r.speedup_low)} to ${times(r.speedup_high)}, original and result in turn` : ""],
      ...Object.entries(texts).filter(([k]) => k !== "rewrites").map(([k, v]) => [sentence(k), v]),
    ]));
    const longest = Math.max(1e-9, ...(data.phases || []).map((p) => p.wall_seconds || 0));
    $("phases").append(table("seconds of wall and of CPU time", [{ title: "phase" }, { title: "wall", number: true }, { title: "CPU", number: true }, { title: "" }, { title: "outcome" }],
      (data.phases || []).map((p) => [p.name, digits(p.wall_seconds, 3), digits(p.cpu_seconds, 3), meter((p.wall_seconds || 0) / longest, "plain"), p.outcome])));
    const shown = (v) => (Array.isArray(v) ? v.join(", ") : String(v ?? ""));
    const set = (data.options || []).filter((o) => o.set);
    $("environment").append(facts([
      ["Isomer", data.version], ["Runtime", r.runtime], ["Cost model", r.cost_model], ["Promise of floats (--float)", r.float],
      ...Object.entries(data.machine || {}).map(([k, v]) => [sentence(k), v]),
      ["Options set", set.length ? make("span", { class: "mono" }, set.map((o) => `${o.flag}${o.value === true ? "" : ` ${shown(o.value)}`}`).join("  ")) : "none"],
    ]));
    $("options").append(table("all options of this run", [{ title: "option" }, { title: "value" }, { title: "meaning" }], (data.options || []).map((o) => [make("code", {}, o.flag), shown(o.value), o.help])));
    $("numbers").append(table("counters of the run", [{ title: "name" }, { title: "value", number: true }], Object.entries(data.numbers || {}).map(([k, v]) => [k, digits(v, 6)])));
  }

  isomerParts.themeSwitch(() => sides.forEach((s) => s.view.repaint()));
  window.isomer = { data, sides };
  document.documentElement.dataset.ready = Math.round(performance.now() - began);
})();
