// What the pages have in common: elements, the switch between light and dark, a note beside the pointer, and a
// program in a panel of its own (graph.js draws it) with its buttons and a search over it.
"use strict";

const isomerParts = (() => {
  const $ = (id) => document.getElementById(id);
  const count = (v) => v.toLocaleString("en");
  const make = (tag, attributes = {}, ...children) => {
    const e = document.createElement(tag);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    e.append(...children.filter((c) => c !== null && c !== undefined));
    return e;
  };

  // `then` draws again what does not follow the style sheet by itself.
  function themeSwitch(then = () => {}) {
    $("theme").addEventListener("click", () => {
      const root = document.documentElement, dark = matchMedia("(prefers-color-scheme: dark)").matches;
      root.dataset.theme = (root.dataset.theme || (dark ? "dark" : "light")) === "dark" ? "light" : "dark";
      then();
    });
  }

  // A title and pairs of words; pairs without a second word are left out.
  function showTip(event, title, pairs = []) {
    const tip = $("tip"), list = make("dl");
    for (const [k, v] of pairs) if (v) list.append(make("dt", {}, k), make("dd", {}, v));
    tip.replaceChildren(make("b", {}, title), list);
    tip.hidden = false;
    const { innerWidth: w, innerHeight: h } = window, t = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(w - t.width - 8, event.clientX + 16))}px`;
    tip.style.top = `${event.clientY + 18 + t.height > h ? Math.max(4, event.clientY - t.height - 12) : event.clientY + 18}px`;
  }
  const hideTip = () => ($("tip").hidden = true);
  const aboutNode = (n) => [["name", n.name], ["shape", n.type], ["attributes", n.attributes], ["constants", (n.constants || []).join(", ")]];

  // A panel in #panels. `hooks(side)`: hover(box or null, event) and select(node), for isomerGraph.view.
  function panel(name, title, graph, heat, hooks) {
    const area = make("div", { class: "area" }), side = { name, graph };
    const button = (text, label, act) => {
      const b = make("button", { type: "button", "aria-label": label, title: label }, text);
      b.addEventListener("click", act);
      return b;
    };
    const buttons = make("span", {}, button("−", "Zoom out", () => side.view.zoomBy(1 / 1.4)), button("+", "Zoom in", () => side.view.zoomBy(1.4)),
      button("top", "From the top, readable", () => side.view.start()), button("fit", "The whole graph", () => side.view.fit()));
    const operators = graph.nodes.filter((n) => n.op !== "input").length;
    $("panels").append(make("div", { class: `panel ${name}` },
      make("div", { class: "bar" }, make("h3", {}, title, make("span", { class: "count" }, ` ${count(operators)} operators drawn`)), buttons), area));
    side.view = isomerGraph.view(area, graph, heat, hooks(side));
    side.view.label(`${title}: ${operators} operators. Arrow keys walk along the edges, plus and minus zoom.`);
    return side;
  }

  // #search goes over operators, names, shapes and attributes of all sides; Enter goes from one that was found to the next.
  function search(sides) {
    let at = -1, hits = [];
    $("search").addEventListener("input", () => {
      const words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
      at = -1;
      hits = [];
      for (const s of sides) {
        s.found = !words.length ? [] : s.view.order().filter((n) => {
          const node = s.graph.nodes[n], text = `${node.op} ${node.name} ${node.type} ${isomerGraph.shortType(node.type)} ${node.attributes || ""}`.toLowerCase();
          return words.every((w) => text.includes(w));
        });
        s.view.find(s.found);
        hits.push(...s.found.map((n) => [s, n]));
      }
      $("found").textContent = words.length ? sides.map((s) => count(s.found.length)).join(" | ") + " found" : "";
    });
    $("search").addEventListener("keydown", (e) => {
      if (e.key !== "Enter" || !hits.length) return;
      at = (at + (e.shiftKey ? hits.length - 1 : 1)) % hits.length;
      const [s, n] = hits[at];
      s.view.centre(n);
      sides.forEach((x) => x.view.find(x.found));
      s.view.mark(n);
    });
  }

  return { make, themeSwitch, showTip, hideTip, aboutNode, panel, search };
})();
