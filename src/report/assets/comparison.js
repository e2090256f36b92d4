// Two runs beside each other: rows that differ are coloured, times are bars of one scale.
"use strict";

(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { make } = isomerParts;
  const $ = (id) => document.getElementById(id);
  const number = (v) => (v !== 0 && Math.abs(v) < 1e-3 ? v.toExponential(3) : Number.isInteger(v) ? v.toLocaleString("en") : Number(v.toPrecision(4)).toLocaleString("en", { maximumSignificantDigits: 4 }));
  const say = (v, unit) => (v === null ? "–" : typeof v === "number" ? `${number(v)}${unit ? ` ${unit}` : ""}` : v === true ? "yes" : v === false ? "no" : `${v}`);

  function table(first, rows) {
    const head = make("tr", {}, ...[first, ...data.runs].map((t) => make("th", { scope: "col" }, t)));
    return make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows));
  }
  const row = (differs, what, cells) => make("tr", differs ? { class: "differs" } : {}, make("td", {}, what), ...cells.map((c) => make("td", {}, c)));

  $("figures").append(table("figure", data.figures.map((f) => row(f.differs, f.what, f.values.map((v) => say(v, f.unit))))));

  const longest = Math.max(1e-9, ...data.steps.flatMap((s) => s.seconds.filter((t) => t !== null)));
  const bar = (seconds, outcome) => {
    const cell = make("span", {});
    if (seconds === null) cell.append("–");
    else {
      const meter = make("span", { class: "meter plain" });
      meter.style.width = `${(9 * seconds) / longest}rem`;
      cell.append(meter, ` ${seconds.toFixed(seconds < 1 ? 3 : 2)} s`);
    }
    if (outcome) cell.append(make("span", { class: "outcome" }, outcome));
    return cell;
  };
  $("steps").append(table("step", data.steps.map((s) => row(s.differs, s.step, [0, 1].map((i) => bar(s.seconds[i], s.outcomes[i]))))));

  $("rules").append(data.rules.length ? table("rule, and how often it was applied", data.rules.map((r) => row(r.differs, make("code", {}, r.rule), r.counts.map(String))))
    : make("p", {}, "Both applied the same rules as often."));

  const [a, b] = data.rewrites;
  $("rewrites").append(make("p", {}, `${number(data.common_rewrites)} are in both, ${number(a.length)} in ${data.runs[0]} alone, ${number(b.length)} in ${data.runs[1]} alone.`));
  if (a.length || b.length)
    $("rewrites").append(make("div", { class: "sides" }, ...data.rewrites.map((list, i) => make("div", { class: "side" }, make("h3", {}, `${data.runs[i]} alone`),
      ...list.map((r) => make("details", { class: "rewrite" }, make("summary", {}, make("code", {}, r.rule), ` at ${(r.places || []).join(", ")}`),
        make("code", {}, `${r.before}`), make("code", {}, `→ ${r.after}`)))))));
  isomerParts.themeSwitch();
})();
