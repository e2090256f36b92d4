// Drawing of programs: layered layout by dagre, SVG and zoom by D3.
//
// A network is long and narrow: at many places only one value passes from what comes before to what comes
// after. The graph is cut there, each piece is laid out by itself, and pieces of one form (repeated layers)
// are laid out once: that is what makes a thousand operators quick. Values that are used far away are named
// there instead of being led along the whole graph. Pieces in which nothing changed can be folded.
"use strict";

const isomerGraph = (() => {
  const kHeight = 38, kGap = 30;
  const kFar = 150, kFarShared = 40;  // positions after which a value is named rather than led
  const kFoldFrom = 5;                // fewer operators are not worth folding

  const shortType = (type) => {
    const m = /^(\w+)\[(.*)\]$/.exec(type);
    if (!m) return type.length > 26 ? type.slice(0, 25) + "…" : type;
    return m[2] === "" ? m[1] : m[2].replaceAll(",", "×").replaceAll(" ", "");
  };
  const clip = (text, n) => (text.length > n ? text.slice(0, n - 1) + "…" : text);

  // Operands before users, each input just before its first use.
  function order(nodes, outputs) {
    const at = new Int32Array(nodes.length).fill(-1);
    const sorted = [];
    const visit = (root) => {
      const stack = [[root, 0]];
      if (at[root] !== -1) return;
      at[root] = -2;
      while (stack.length) {
        const top = stack[stack.length - 1];
        const operands = nodes[top[0]].in;
        if (top[1] < operands.length) {
          const next = operands[top[1]++];
          if (at[next] === -1) {
            at[next] = -2;
            stack.push([next, 0]);
          }
          continue;
        }
        at[top[0]] = sorted.length;
        sorted.push(top[0]);
        stack.pop();
      }
    };
    outputs.forEach((o) => visit(o.node));
    nodes.forEach((_, i) => visit(i));
    return sorted;
  }

  // What is drawn: nodes, names in place of far values, outputs; in an order with operands first.
  function boxes(graph) {
    const { nodes, outputs } = graph;
    const sorted = order(nodes, outputs);
    const position = new Int32Array(nodes.length);
    sorted.forEach((n, i) => (position[n] = i));
    const uses = nodes.map(() => []);
    nodes.forEach((n, i) => n.in.forEach((o) => uses[o].push(i)));
    const outputOf = new Map();
    outputs.forEach((o) => outputOf.set(o.node, [...(outputOf.get(o.node) || []), o.name]));

    const list = [], boxOf = new Array(nodes.length);
    const width = (...texts) => Math.max(56, Math.min(190, 7.1 * Math.max(...texts.map((t) => t.length)) + 18));
    for (const n of sorted) {
      const node = nodes[n], from = [];
      const far = (o) => {
        const span = position[n] - position[o];
        return span > kFar || (span > kFarShared && uses[o].length > 2 && position[uses[o][0]] !== position[n]);
      };
      for (const o of node.in) {
        if (!far(o)) {
          from.push(boxOf[o]);
          continue;
        }
        const label = clip(nodes[o].name || nodes[o].op, 22);
        from.push({ kind: "link", node: o, label, type: "from above", from: [], w: width(label, "from above") });
        list.push(from[from.length - 1]);
      }
      const label = clip(node.op === "input" ? node.name || "input" : node.op, 24);
      const type = clip(shortType(node.type), 26);
      const box = { kind: node.op === "input" ? "input" : "node", node: n, label, type, from, w: width(label, type) };
      boxOf[n] = box;
      list.push(box);
      for (const name of outputOf.get(n) || []) {
        const text = clip(name || "output", 24);
        list.push({ kind: "output", node: n, label: text, type: "output", from: [box], w: width(text) });
      }
    }
    list.forEach((b, i) => (b.at = i));
    return { list, boxOf };
  }

  // Boxes through which everything passes, as positions; first and last are always among them.
  function cuts(list) {
    const reach = list.map((_, i) => i);
    list.forEach((b, i) => b.from.forEach((f) => (reach[f.at] = Math.max(reach[f.at], i))));
    const out = [];
    let furthest = 0;
    for (let i = 0; i < list.length; ++i) {
      if (furthest <= i && (i === 0 || i === list.length - 1 || reach[i] > i)) out.push(i);
      furthest = Math.max(furthest, reach[i]);
    }
    return out.length ? out : [0];
  }

  const plain = (graph, box) => box.kind === "link" || box.kind === "output" || graph.nodes[box.node].state === "kept";

  // Pieces [first, last] of positions that share their ends; `fold`: drawn as one box.
  function pieces(graph, list, folding, opened) {
    const at = cuts(list), out = [];
    for (let k = 0; k + 1 < at.length; ++k) out.push({ first: at[k], last: at[k + 1] });
    if (at[0] > 0) out.unshift({ first: 0, last: at[0] });
    if (at[at.length - 1] < list.length - 1) out.push({ first: at[at.length - 1], last: list.length - 1 });
    if (!folding) return out;
    const merged = [];
    for (let k = 0; k < out.length;) {
      let end = k;
      const kept = (p) => {
        for (let i = p.first; i <= p.last; ++i) if (!plain(graph, list[i])) return false;
        return true;
      };
      while (end < out.length && kept(out[end])) ++end;
      let inner = 0;
      if (end > k)
        for (let i = out[k].first + 1; i < out[end - 1].last; ++i)
          inner += list[i].kind === "node" || list[i].kind === "input";
      if (end > k && inner >= kFoldFrom && !opened.has(out[k].first)) {
        merged.push({ first: out[k].first, last: out[end - 1].last, fold: true, inner });
      } else {
        merged.push(...out.slice(k, Math.max(end, k + 1)));
      }
      k = Math.max(end, k + 1);
    }
    return merged;
  }

  function layPiece(items, edges) {
    const g = new dagre.graphlib.Graph({ multigraph: false });
    g.setGraph({ rankdir: "TB", ranksep: kGap, nodesep: 16, edgesep: 8 });
    g.setDefaultEdgeLabel(() => ({}));
    items.forEach((b, i) => g.setNode(String(i), { width: b.w, height: kHeight }));
    edges.forEach(([a, b]) => g.setEdge(String(a), String(b)));
    dagre.layout(g);
    return {
      nodes: items.map((_, i) => [g.node(String(i)).x, g.node(String(i)).y]),
      edges: edges.map(([a, b]) => g.edge(String(a), String(b)).points.map((p) => [p.x, p.y])),
    };
  }

  // Positions of boxes and points of edges. Boxes that a fold hides get no position.
  function layout(graph, drawn, folding, opened, cache) {
    const { list } = drawn;
    list.forEach((b) => (b.x = b.y = undefined));
    const edges = [], folds = [];
    if (!list.length) return { edges, folds };
    const put = (b, x, y) => ((b.x = x), (b.y = y));
    const all = pieces(graph, list, folding, opened);
    if (!all.length) put(list[0], 0, 0);
    for (const piece of all) {
      const first = list[piece.first], last = list[piece.last];
      const opening = first.y === undefined, closing = piece === all[all.length - 1];
      if (opening) put(first, 0, kHeight / 2);
      if (piece.fold) {
        const label = `${piece.inner} unchanged`;
        const box = { kind: "folded", piece, label, type: "click to unfold", w: 130, x: first.x, y: first.y + kHeight + kGap };
        folds.push(box);
        put(last, first.x, box.y + kHeight + kGap);
        edges.push({ from: first, to: box, points: null }, { from: box, to: last, points: null });
        continue;
      }
      const items = list.slice(piece.first, piece.last + 1);
      const inside = [];
      items.forEach((b, i) => b.from.forEach((f) => {
        const j = f.at - piece.first;
        if (j >= 0) inside.push([j, i]);
      }));
      if (items.length === 2 && inside.length <= 1) {
        put(last, first.x, first.y + kHeight + kGap);
        if (inside.length) edges.push({ from: first, to: last, points: null });
        continue;
      }
      const key = items.map((b) => Math.round(b.w)).join() + "|" + inside.join(";");
      let lay = cache.get(key);
      if (!lay) cache.set(key, (lay = layPiece(items, inside)));
      // The piece hangs at its first box. Ends that are alone on their levels go to one axis, so that long
      // graphs do not drift. Inputs that the layout has above the first box go below it, where nothing is yet.
      const top = Math.min(...lay.nodes.map((p) => p[1])), above = top < lay.nodes[0][1] - 1;
      const dy = first.y - (above ? top - kHeight - kGap : lay.nodes[0][1]), axis = first.x, end = items.length - 1;
      const alone = (i) => lay.nodes.every((p, j) => j === i || Math.abs(p[1] - lay.nodes[i][1]) > 1);
      const middle = opening || !alone(0) ? lay.nodes[0][0] : (lay.nodes[0][0] + lay.nodes[end][0]) / 2;
      items.forEach((b, i) => {
        if (i === 0) return;
        put(b, i === end && !closing && alone(i) ? axis : axis + lay.nodes[i][0] - middle, lay.nodes[i][1] + dy);
      });
      inside.forEach(([a, b], i) => {
        const points = lay.edges[i].slice(1, -1).map(([x, y]) => [axis + x - middle, y + dy]);
        edges.push({ from: items[a], to: items[b], points });
      });
    }
    return { edges, folds };
  }

  const line = d3.line().curve(d3.curveMonotoneY);
  function edgePath(e) {
    const a = [e.from.x, e.from.y + kHeight / 2], b = [e.to.x, e.to.y - kHeight / 2];
    const middle = (e.points || []).filter((p) => p[1] > a[1] && p[1] < b[1]);
    if (!middle.length) {
      const bend = (b[1] - a[1]) / 2;
      return `M${a[0]},${a[1]}C${a[0]},${a[1] + bend} ${b[0]},${b[1] - bend} ${b[0]},${b[1]}`;
    }
    return line([a, ...middle, b]);
  }

  function extent(shown) {
    let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
    for (const b of shown) {
      x0 = Math.min(x0, b.x - b.w / 2);
      x1 = Math.max(x1, b.x + b.w / 2);
      y0 = Math.min(y0, b.y - kHeight / 2);
      y1 = Math.max(y1, b.y + kHeight / 2);
    }
    return shown.length ? { x0, y0, x1, y1 } : { x0: 0, y0: 0, x1: 1, y1: 1 };
  }

  // Boxes and edges into a <g>, by plain DOM calls: at a thousand operators the helpers cost more than the
  // drawing.
  const kSvg = "http://www.w3.org/2000/svg";
  function paint(root, graph, shown, edges, heat) {
    const make = (parent, tag, attributes, text) => {
      const e = document.createElementNS(kSvg, tag);
      for (const k in attributes) e.setAttribute(k, attributes[k]);
      if (text !== undefined) e.textContent = text;
      parent.appendChild(e);
      return e;
    };
    const lines = document.createElementNS(kSvg, "g"), body = document.createElementNS(kSvg, "g");
    for (const e of edges) {
      e.element = make(lines, "path", { class: e.from.kind === "link" ? "edge link" : "edge", d: edgePath(e) });
    }
    for (const b of shown) {
      const node = b.node === undefined ? null : graph.nodes[b.node];
      const state = node && (b.kind === "node" || b.kind === "input") ? node.state : "kept";
      const g = make(body, "g", { class: `node ${b.kind} ${state}`, transform: `translate(${b.x},${b.y})` });
      make(g, "rect", { class: "box", x: -b.w / 2, y: -kHeight / 2, width: b.w, height: kHeight, rx: b.kind === "node" ? 5 : 17 });
      const share = heat && b.kind === "node" && node.cost ? node.cost / heat : 0;
      if (share > 0.004)
        make(g, "rect", { class: "heat", x: -b.w / 2 + 3, y: kHeight / 2 - 4.5, width: Math.max(1.5, (b.w - 6) * share), height: 3, rx: 1 });
      make(g, "text", { y: b.type ? -2 : 4 }, b.label);
      if (b.type) make(g, "text", { class: "type", y: 11 }, b.type);
      g.__box = b;
      b.element = g;
    }
    root.replaceChildren(lines, body);
  }

  // A small drawing without controls: both sides of a rewrite.
  function still(graph) {
    const drawn = boxes(graph.outputs.length > 1 ? graph : { nodes: graph.nodes, outputs: [] });
    const { edges } = layout(graph, drawn, false, new Set(), new Map());
    const box = extent(drawn.list), margin = 4;
    const svg = d3.create("svg")
      .attr("viewBox", [box.x0 - margin, box.y0 - margin, box.x1 - box.x0 + 2 * margin, box.y1 - box.y0 + 2 * margin])
      .attr("width", box.x1 - box.x0 + 2 * margin).attr("aria-hidden", "true").node();
    const root = document.createElementNS(kSvg, "g");
    svg.appendChild(root);
    paint(root, graph, drawn.list, edges, 0);
    return svg;
  }

  // A graph in a panel: move, zoom, overview, selection. `hooks`: hover(box or null, event), select(node).
  function view(area, graph, heat, hooks) {
    const drawn = boxes(graph), cache = new Map(), opened = new Set();
    let folding = false, edges = [], folds = [], shown = [], bounds = extent([]), selected = null;
    const svg = d3.select(area).append("svg").attr("class", "graph").attr("tabindex", 0).attr("role", "application");
    const root = svg.append("g").node();
    const map = d3.select(area).append("canvas").attr("aria-hidden", "true").node();
    let transform = d3.zoomIdentity;
    const size = () => [area.clientWidth - 54, area.clientHeight];
    const zoom = d3.zoom().scaleExtent([0.02, 3])
      .filter((e) => (e.type === "wheel" ? e.ctrlKey || e.metaKey : !e.button))
      .on("zoom", (e) => {
        transform = e.transform;
        root.setAttribute("transform", transform);
        svg.classed("far", transform.k < 0.32);
        overview();
      });
    svg.call(zoom).on("dblclick.zoom", null);
    svg.on("wheel.move", (e) => {
      if (e.ctrlKey || e.metaKey) return;
      const [w, h] = size(), k = transform.k, unit = e.deltaMode === 1 ? 30 : 1;
      const clampTo = (t, low, high) => Math.max(Math.min(low, high), Math.min(Math.max(low, high), t));
      const y = clampTo(transform.y - e.deltaY * unit, 40 - bounds.y0 * k, h - 40 - bounds.y1 * k);
      const x = clampTo(transform.x - e.deltaX * unit, w / 2 - bounds.x0 * k, w / 2 - bounds.x1 * k);
      if (Math.abs(y - transform.y) + Math.abs(x - transform.x) < 0.5) return;  // at the end: the page scrolls
      e.preventDefault();
      svg.call(zoom.transform, d3.zoomIdentity.translate(x, y).scale(k));
    }, { passive: false });

    const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    let palette = null;
    const before = area.parentElement.classList.contains("before");
    let base = null;
    function overview() {
      const h = area.clientHeight, w = 54, ratio = window.devicePixelRatio || 1;
      const scale = Math.min((w - 8) / (bounds.x1 - bounds.x0), (h - 8) / (bounds.y1 - bounds.y0));
      const sy = (h - 8) / (bounds.y1 - bounds.y0), useY = Math.min(sy, Math.max(scale, 1));
      const ox = w / 2, oy = 4, place = (x, y) => [ox + (x - (bounds.x0 + bounds.x1) / 2) * scale, oy + (y - bounds.y0) * useY];
      if (!base) {
        palette = { kept: colour("--node-line"), alone: colour(before ? "--gone-line" : "--new-line"), changed: colour("--other-line"), view: colour("--accent"), select: colour("--found") };
        base = document.createElement("canvas");
        base.width = w * ratio;
        base.height = h * ratio;
        const c = base.getContext("2d");
        c.scale(ratio, ratio);
        for (const pass of ["kept", "changed", "alone"])
          for (const b of shown) {
            const state = b.kind === "node" ? graph.nodes[b.node].state : "kept";
            if (state !== pass) continue;
            const [x, y] = place(b.x, b.y);
            c.fillStyle = palette[state];
            c.globalAlpha = state === "kept" ? 0.55 : 1;
            const bw = Math.max(state === "kept" ? 2 : 5, b.w * scale);
            c.fillRect(x - bw / 2, y - 1, bw, Math.max(state === "kept" ? 1 : 2, kHeight * useY * 0.7));
          }
      }
      if (map.width !== base.width || map.height !== base.height) {
        map.width = base.width;
        map.height = base.height;
      }
      const c = map.getContext("2d");
      c.setTransform(1, 0, 0, 1, 0, 0);
      c.clearRect(0, 0, map.width, map.height);
      c.drawImage(base, 0, 0);
      c.scale(ratio, ratio);
      const [vw, vh] = size();
      const [x0, y0] = place(...transform.invert([0, 0])), [x1, y1] = place(...transform.invert([vw, vh]));
      c.strokeStyle = palette.view;
      c.lineWidth = 1.5;
      c.strokeRect(Math.max(1, x0), Math.max(1, y0), Math.min(w - 2, x1) - Math.max(1, x0), Math.max(3, Math.min(h - 1, y1) - Math.max(1, y0)));
      map.__toGraph = (py) => bounds.y0 + (py - oy) / useY;
    }
    d3.select(map).call(d3.drag().on("start drag", (e) => {
      const y = map.__toGraph(e.y);
      const [, h] = size();
      svg.call(zoom.transform, d3.zoomIdentity.translate(transform.x, h / 2 - y * transform.k).scale(transform.k));
    }));

    function draw() {
      ({ edges, folds } = layout(graph, drawn, folding, opened, cache));
      shown = drawn.list.filter((b) => b.y !== undefined).concat(folds);
      bounds = extent(shown);
      base = null;
      paint(root, graph, shown, edges, heat);
      if (selected !== null) mark(selected);
      overview();
    }
    const fit = () => {
      const [w, h] = size();
      const k = Math.min(1.2, (w - 16) / (bounds.x1 - bounds.x0), (h - 16) / (bounds.y1 - bounds.y0));
      svg.call(zoom.transform, d3.zoomIdentity.translate(w / 2 - ((bounds.x0 + bounds.x1) / 2) * k, h / 2 - ((bounds.y0 + bounds.y1) / 2) * k).scale(k));
    };
    // Wide enough to read, around a node or from the top.
    const start = (node = null) => {
      const [w, h] = size();
      if ((bounds.y1 - bounds.y0) * 0.55 < h && (bounds.x1 - bounds.x0) * 0.55 < w) return fit();
      const k = Math.max(0.5, Math.min(1, (w - 16) / (bounds.x1 - bounds.x0)));
      if (node !== null && drawn.boxOf[node]) return centre(node, k);
      svg.call(zoom.transform, d3.zoomIdentity.translate(w / 2, 10 - bounds.y0 * k).scale(k));
    };
    function unfold(node) {
      const b = drawn.boxOf[node];
      if (!b || b.y !== undefined) return;
      for (const f of folds) if (b.at > f.piece.first && b.at < f.piece.last) opened.add(f.piece.first);
      draw();
    }
    function centre(node, scale) {
      unfold(node);
      const b = drawn.boxOf[node];
      if (!b) return;
      const [w, h] = size(), k = scale || Math.max(transform.k, 0.6);
      svg.call(zoom.transform, d3.zoomIdentity.translate(w / 2 - b.x * k, h / 2 - b.y * k).scale(k));
    }
    function mark(node) {
      root.querySelectorAll(".selected, .hot").forEach((e) => e.classList.remove("selected", "hot"));
      selected = node;
      if (node === null) return;
      const b = drawn.boxOf[node];
      if (b && b.element) b.element.classList.add("selected");
      for (const e of edges)
        if (e.from.node === node || (e.to.node === node && e.to.kind !== "link")) e.element.classList.add("hot");
    }
    function find(nodes) {
      root.querySelectorAll(".match").forEach((e) => e.classList.remove("match"));
      for (const n of nodes) {
        const b = drawn.boxOf[n];
        if (b && b.y !== undefined && b.element) b.element.classList.add("match");
      }
    }
    const boxAt = (event) => {
      const g = event.target.closest && event.target.closest(".node");
      return g ? g.__box : null;
    };
    svg.on("pointermove", (e) => hooks.hover(e.buttons ? null : boxAt(e), e));
    svg.on("pointerleave", (e) => hooks.hover(null, e));
    svg.on("click", (e) => {
      const b = boxAt(e);
      if (!b) return;
      if (b.kind === "folded") {
        opened.add(b.piece.first);
        hooks.hover(null, e);
        draw();
      } else {
        hooks.select(b.node);
        if (b.kind === "link") centre(b.node);
      }
    });
    svg.on("keydown", (e) => {
      const step = { ArrowUp: -1, ArrowDown: 1, ArrowLeft: -2, ArrowRight: 2 }[e.key];
      if (e.key === "+" || e.key === "-") svg.call(zoom.scaleBy, e.key === "+" ? 1.3 : 1 / 1.3);
      if (!step) return;
      e.preventDefault();
      let next = null;
      if (selected === null) {
        next = shown.find((b) => b.kind === "node" || b.kind === "input");
      } else {
        const b = drawn.boxOf[selected];
        if (step === -1) next = b.from.map((f) => (f.kind === "link" ? drawn.boxOf[f.node] : f))[0];
        if (step === 1) next = drawn.list.find((u) => u.kind === "node" && u.from.includes(b));
        if (Math.abs(step) === 2) {
          const level = shown.filter((u) => u.kind !== "folded" && Math.abs(u.y - b.y) < 2).sort((p, q) => p.x - q.x);
          next = level[level.indexOf(b) + step / 2];
        }
      }
      if (!next) return;
      hooks.select(next.node);
      centre(next.node);
    });
    new ResizeObserver(() => {
      base = null;
      overview();
    }).observe(area);
    return {
      graph, draw, fit, start, centre, mark, find, unfold,
      zoomBy: (k) => svg.call(zoom.scaleBy, k),
      repaint: () => ((base = null), overview()),
      fold: (on) => ((folding = on), opened.clear(), draw()),
      label: (text) => svg.attr("aria-label", text),
      order: () => drawn.list.filter((b) => b.kind === "node" || b.kind === "input").map((b) => b.node),
      shown: () => shown.length,
      element: (node) => drawn.boxOf[node] && drawn.boxOf[node].element,
    };
  }

  return { view, still, shortType };
})();
