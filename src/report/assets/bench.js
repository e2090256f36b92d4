// A bench of many models: rows of models, a column for each search, cost and target.
"use strict";

(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { make } = isomerParts;
  const $ = (id) => document.getElementById(id);
  const AXES = ["search", "cost", "target"];
  const columnOf = (cell) => JSON.stringify(AXES.map((axis) => cell[axis]));
  const number = (v, digits = 3) => (v === null || v === undefined ? "–" : Number(v.toPrecision(digits)).toLocaleString("en", { maximumSignificantDigits: digits }));

  const columns = data.summaries.map(columnOf);
  // A column is called by what tells it from the others.
  const differing = AXES.filter((axis) => new Set(data.summaries.map((s) => s[axis])).size > 1);
  const nameOf = (summary) => (differing.length ? differing : AXES).map((axis) => summary[axis]).join(", ");
  const models = new Map();
  for (const cell of [...data.runs, ...data.missing]) {
    if (!models.has(cell.model)) models.set(cell.model, {});
    models.get(cell.model)[columnOf(cell)] = cell;
  }

  const headings = ["", "models", "ended", "failed", "rewritten", "speed-up", "cheaper by costs", "seconds, median", "most"];
  const table = (head, rows) => make("table", {}, make("thead", {}, make("tr", {}, ...head.map((h) => make("th", { scope: "col" }, h)))), make("tbody", {}, ...rows));
  $("summaries").append(table(headings, data.summaries.map((s) => make("tr", {}, make("td", {}, nameOf(s)),
    ...[s.cells, s.ended, s.failed, s.changed].map((v) => make("td", {}, `${v}`)),
    ...[s.speedup, s.cheaper, s.median_seconds, s.most_seconds].map((v) => make("td", {}, number(v)))))));

  // What a cell says, its class, and the number it is sorted by.
  function worded(cell) {
    if (!cell || !("result" in cell)) return ["not run", "missing", -1];
    if (cell.status !== 0) return [`status ${cell.status}`, "failed", 0];
    const r = cell.result;
    if (!r.changed) return ["as it was", "", 1];
    return r.speedup === null ? ["not timed", "faster", 1.0001] : [number(r.speedup, 4), "faster", r.speedup];
  }

  const say = (v) => (Array.isArray(v) ? v.join("; ") : typeof v === "object" ? Object.entries(v).map(([k, n]) => `${k} ${n}`).join(", ") : typeof v === "number" ? number(v, 5) : `${v}`);
  const FACTS = ["decision", "why", "verification", "runtime", "latency_before_ms", "latency_after_ms", "speedup", "speedup_low", "speedup_high", "speedup_all_cores",
    "cost_model", "cost_before", "cost_after", "cost_found", "nodes_before", "nodes_after", "sizes", "opaque_operators", "rules_applied", "stop_reason", "seconds", "warnings"];
  function details(model, cell) {
    const facts = make("dl", { class: "facts" });
    const fact = (what, value) => {
      const empty = value === null || value === undefined || value === "" || (typeof value === "object" && !Object.keys(value).length);
      if (!empty) facts.append(make("dt", {}, what.replaceAll("_", " ").replace(/ ms$/, ", ms")), make("dd", {}, say(value)));
    };
    for (const axis of AXES) fact(axis, cell[axis]);
    fact("settings", cell.settings);
    fact("failure", cell.failure);
    for (const key of FACTS) fact(key, (cell.result || {})[key]);
    $("details").replaceChildren(make("h2", {}, model), facts, cell.page ? make("p", {}, make("a", { href: cell.page }, "its report")) : "");
    $("details").scrollIntoView({ block: "nearest" });
  }

  const rows = [...models].map(([model, cells]) => {
    const row = make("tr", {}, make("td", {}, model));
    for (const column of columns) {
      const cell = cells[column], [text, kind] = worded(cell), td = make("td", kind ? { class: kind } : {});
      if (cell && "result" in cell) {
        const button = make("button", { type: "button" }, text), r = cell.result;
        if (r && r.changed && r.speedup !== null) button.title = `95 %: ${number(r.speedup_low, 4)} to ${number(r.speedup_high, 4)}`;
        button.addEventListener("click", () => {
          document.querySelectorAll("td.chosen").forEach((other) => other.classList.remove("chosen"));
          td.classList.add("chosen");
          details(model, cell);
        });
        td.append(button);
      } else td.append(text);
      row.append(td);
    }
    return { row, model, cells, text: `${model} ${JSON.stringify(cells)}`.toLowerCase() };
  });
  const body = make("tbody", {}, ...rows.map((r) => r.row));
  const valueOf = (r, column) => worded(r.cells[column])[2];
  let sortedBy = null;
  const heading = (text, compare) => {
    const button = make("button", { type: "button" }, text);
    button.addEventListener("click", () => {
      const turned = sortedBy === text;
      sortedBy = turned ? null : text;
      rows.sort((a, b) => (turned ? compare(b, a) : compare(a, b)));
      body.append(...rows.map((r) => r.row));
    });
    return make("th", { scope: "col" }, button);
  };
  $("models").append(make("table", {}, make("thead", {}, make("tr", {}, heading("model", (a, b) => a.model.localeCompare(b.model)),
    ...data.summaries.map((s, i) => heading(nameOf(s), (a, b) => valueOf(b, columns[i]) - valueOf(a, columns[i]))))), body));

  $("search").addEventListener("input", () => {
    const words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const shown = rows.filter((r) => {
      r.row.hidden = !words.every((word) => r.text.includes(word));
      return !r.row.hidden;
    });
    $("found").textContent = words.length ? `${shown.length} of ${rows.length}` : "";
  });
  isomerParts.themeSwitch();
})();
