// An e-graph that one can read: classes as boxes, folded to the e-node that was chosen; what is not asked for is
// not drawn. Layout by dagre, drawing and zoom by D3, as on the page of a run.
"use strict";

(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const { make } = isomerParts;
  const clip = (text, n) => (text.length > n ? text.slice(0, n - 1) + "…" : text);
  const digits = (v) => (v !== 0 && Math.abs(v) < 1e-4 ? v.toExponential(2) : Number(v.toPrecision(4)).toString());
  const kMostFirst = 150, kMostShown = 600, kMostFound = 200, kRow = 22, kMostRows = 14, kReadable = 0.6;

  const { nodes, classes } = data;
  classes.forEach((c) => Object.assign(c, { nodes: [], users: new Set(), picked: null }));
  nodes.forEach((n, i) => {
    n.id = i;
    classes[n.of].nodes.push(n);
    if (n.picked) classes[n.of].picked = n;
    n.in.forEach((child) => classes[child].users.add(n.of));
  });
  const isConstant = (c) => classes[c].nodes.every((n) => n.op === "constant" || n.op === "weight");
  const hidden = (c) => !$("constants").checked && isConstant(c) && !classes[c].root;
  $("size").textContent = `${nodes.length.toLocaleString("en")} e-nodes in ${classes.length.toLocaleString("en")} classes`;

  // ---- What is shown: classes, and which of them with all their e-nodes
  let shown = new Set(), open = new Set(), selected = null, matches = new Set();

  const chosen = () => {
    shown = new Set();
    open = new Set();
    const queue = classes.flatMap((c, i) => (c.root ? [i] : []));
    for (const c of queue) {
      if (shown.has(c) || shown.size >= kMostFirst) continue;
      shown.add(c);
      const pick = classes[c].picked || classes[c].nodes[0];
      if (pick) queue.push(...pick.in);
    }
  };
  const reveal = (n) => n.in.forEach((c) => shown.add(c));
  // A class that may be far away, with the shortest way down to it from what is shown.
  const bring = (target) => {
    const next = new Map([[target, null]]);
    for (const c of next.keys()) {
      if (!shown.has(c)) {
        for (const user of classes[c].users) if (!next.has(user)) next.set(user, c);
        continue;
      }
      for (let at = c; at !== null; at = next.get(at)) {
        shown.add(at);
        const below = next.get(at), pick = classes[at].picked || classes[at].nodes[0];
        if (below !== null && !(pick && pick.in.includes(below))) open.add(at);
      }
      return;
    }
    shown.add(target);
  };

  // ---- Drawing
  const svg = d3.create("svg").attr("role", "img").attr("aria-label", "e-graph");
  const all = svg.append("g");
  $("area").append(svg.node());
  const zoom = d3.zoom().scaleExtent([0.05, 4]).on("zoom", (e) => all.attr("transform", e.transform));
  svg.call(zoom).on("dblclick.zoom", null);
  let boxes = new Map();

  const rowsOf = (c) => {
    const { nodes: members, picked } = classes[c];
    if (!open.has(c)) return [picked || members[0]].filter(Boolean);
    return [...members].sort((a, b) => (b.picked || 0) - (a.picked || 0) || a.cost - b.cost).slice(0, kMostRows);
  };
  const labelOf = (n) => clip(n.text || n.op, 34);

  const place = () => {
    const g = new dagre.graphlib.Graph().setGraph({ nodesep: 26, ranksep: 46 }).setDefaultEdgeLabel(() => ({}));
    const visible = [...shown].filter((c) => !hidden(c)).slice(0, kMostShown);
    const inside = new Set(visible);
    for (const c of visible) {
      const rows = rowsOf(c);
      const width = Math.max(70, ...rows.map((n) => 7 * labelOf(n).length + 26), 6.2 * clip(classes[c].type, 30).length + 60);
      g.setNode(String(c), { width, height: kRow * rows.length + 26 });
    }
    for (const c of visible)
      for (const n of rowsOf(c)) for (const child of n.in) if (inside.has(child) && child !== c) g.setEdge(String(c), String(child));
    dagre.layout(g);
    boxes = new Map(visible.map((c) => {
      const { x, y, width, height } = g.node(String(c));
      return [c, { x: x - width / 2, y: y - height / 2, width, height }];
    }));
  };

  const draw = (keep = null) => {
    const anchor = keep !== null && boxes.get(keep);
    place();
    all.selectAll("*").remove();
    const edges = all.append("g"), rows = all.append("g");
    for (const [c, box] of boxes) {
      const e = classes[c], more = e.nodes.length - rowsOf(c).length;
      const group = rows.append("g").attr("class", `eclass${e.root ? " root" : ""}${selected === c ? " selected" : ""}${matches.has(c) ? " match" : ""}`).attr("transform", `translate(${box.x},${box.y})`);
      group.append("rect").attr("class", "box").attr("width", box.width).attr("height", box.height).attr("rx", 7)
        .on("click", () => toggle(c)).append("title").text(`class ${e.name}${e.type ? " : " + e.type : ""}\n${e.nodes.length} e-nodes`);
      group.append("text").attr("class", "soft").attr("x", 7).attr("y", 14).text(clip(e.type || e.name, 30));
      if (more > 0) group.append("text").attr("class", "soft").attr("x", box.width - 7).attr("y", 14).attr("text-anchor", "end").text(`+${more}`);
      rowsOf(c).forEach((n, i) => {
        const y = 20 + kRow * i;
        group.append("rect").attr("class", `row${n.picked ? " picked" : ""}`).attr("x", 5).attr("y", y).attr("width", box.width - 10).attr("height", kRow - 4).attr("rx", 4)
          .on("click", () => { selected = c; reveal(n); open.add(c); draw(c); describe(c); })
          .append("title").text(`${n.text || n.op}\ncost ${digits(n.cost)}${n.rule ? `\nmade by ${n.rule}` : ""}`);
        group.append("text").attr("x", box.width / 2).attr("y", y + 13).attr("text-anchor", "middle").text(labelOf(n));
        for (const child of n.in) {
          const to = boxes.get(child);
          if (!to) continue;
          const [x0, y0, x1, y1] = [box.x + box.width / 2, box.y + y + kRow - 4, to.x + to.width / 2, to.y];
          const down = Math.max(20, Math.abs(y1 - y0) / 2);
          edges.append("path").attr("class", `eedge${n.picked ? " picked" : ""}`).attr("d", `M${x0},${y0}C${x0},${y0 + down} ${x1},${y1 - down} ${x1},${y1}`);
        }
      });
    }
    const now = keep !== null && boxes.get(keep);
    if (anchor && now) {
      const t = d3.zoomTransform(svg.node());
      svg.call(zoom.transform, t.translate(anchor.x - now.x, anchor.y - now.y));
    }
  };

  // All of it, or, where that is too small to read, the first result at the top.
  const fit = () => {
    const { width, height } = $("area").getBoundingClientRect();
    const x1 = d3.max(boxes.values(), (b) => b.x + b.width) || 1, y1 = d3.max(boxes.values(), (b) => b.y + b.height) || 1;
    const k = Math.max(kReadable, Math.min(1.2, width / (x1 + 40), height / (y1 + 40)));
    const top = k * x1 > width ? boxes.get(classes.findIndex((c) => c.root)) : null;
    const middle = top ? top.x + top.width / 2 : x1 / 2;
    svg.call(zoom.transform, d3.zoomIdentity.translate(width / 2 - middle * k, 16).scale(k));
  };
  const center = (c) => {
    const b = boxes.get(c), { width, height } = $("area").getBoundingClientRect();
    if (b) svg.call(zoom.transform, d3.zoomIdentity.translate(width / 2 - b.x - b.width / 2, height / 2 - b.y - b.height / 2));
  };

  function toggle(c) {
    selected = c;
    if (open.has(c)) open.delete(c);
    else open.add(c);
    draw(c);
    describe(c);
  }
  function go(c) {
    selected = c;
    bring(c);
    draw();
    center(c);
    describe(c);
  }

  // ---- Beside: the class that was clicked, or what a search found
  function describe(c) {
    const e = classes[c];
    const link = (k) => {
      const b = make("button", { type: "button" }, `${classes[k].name}: ${clip((classes[k].picked || classes[k].nodes[0] || { op: "?" }).op, 16)}`);
      b.addEventListener("click", () => go(k));
      return b;
    };
    const list = make("ul", {}, ...[...e.nodes].sort((a, b) => (b.picked || 0) - (a.picked || 0) || a.cost - b.cost).map((n) =>
      make("li", {}, make(n.picked ? "strong" : "span", {}, n.text || n.op), make("div", { class: "soft" }, `cost ${digits(n.cost)}${n.rule ? `, made by ${n.rule}` : ""}${n.picked ? ", chosen" : ""}`), ...[...new Set(n.in)].map(link))));
    $("aside").replaceChildren(make("h2", {}, `Class ${e.name}`), make("div", { class: "soft" }, `${e.type}${e.root ? " · a result of the program" : ""}`), list,
      make("div", { class: "soft" }, `read by ${e.users.size} ${e.users.size === 1 ? "class" : "classes"}`), make("div", {}, ...[...e.users].slice(0, 30).map(link)));
  }
  const search = () => {
    const words = $("search").value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const found = !words.length ? [] : nodes.filter((n) => {
      const text = `${n.op} ${n.text} ${n.rule} ${classes[n.of].type} ${classes[n.of].name}`.toLowerCase();
      return words.every((w) => text.includes(w));
    });
    matches = new Set(found.map((n) => n.of));
    $("found").textContent = words.length ? `${found.length} e-nodes` : "";
    if (words.length)
      $("aside").replaceChildren(make("h2", {}, `${found.length} e-nodes in ${matches.size} classes`), make("ul", {}, ...found.slice(0, kMostFound).map((n) => {
        const b = make("button", { type: "button" }, "show");
        b.addEventListener("click", () => { open.add(n.of); go(n.of); });
        return make("li", {}, b, ` ${clip(n.text || n.op, 60)}`, make("div", { class: "soft" }, `${classes[n.of].type}${n.rule ? `, made by ${n.rule}` : ""}${n.picked ? ", chosen" : ""}`));
      })));
    draw();
  };

  $("search").addEventListener("input", search);
  $("chosen").addEventListener("click", () => { chosen(); draw(); fit(); });
  $("unfold").addEventListener("click", () => { for (const c of [...shown]) { open.add(c); classes[c].nodes.forEach(reveal); } draw(); fit(); });
  $("fold").addEventListener("click", () => { open.clear(); draw(selected); });
  $("constants").addEventListener("change", () => draw(selected));
  isomerParts.themeSwitch();
  chosen();
  draw();
  fit();
  // PAGE#CLASS begins with that class.
  const asked = classes.findIndex((c) => `#${c.name}` === location.hash), first = classes.findIndex((c) => c.root);
  if (asked >= 0) {
    open.add(asked);
    go(asked);
  } else if (first >= 0) {
    describe(first);
  }
})();
