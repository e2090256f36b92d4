#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "mugraph/block_plan.h"
#include "mugraph/drawing.h"
#include "mugraph/kernel_cost.h"
#include "mugraph/numerics.h"
#include "support/markup.h"
#include "support/units.h"

namespace isomer::mugraph {
namespace {

constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --ink: #1d2330; --soft: #667085; --paper: #fff; --panel: #f6f7f9; --line: #d5d9e0;
  --input: #e4eefc; --kernel: #fdeccc; --thread: #e2f4e4; --after: #f3e6fa; --output: #fde3e0; --loop: #eef2f8;
  --barrier: #c6362c; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --soft: #9aa3b2; --paper: #14171c; --panel: #1c2027;
  --line: #3a414d; --input: #22344f; --kernel: #4d3c1c; --thread: #1f4026; --after: #3e2a4d; --output: #522924;
  --loop: #20262f; --barrier: #ff8a80; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 1180px;
  margin: 2rem auto; padding: 0 1.2rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2.5rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.6rem 0 .4rem; } p { margin: .3rem 0; color: var(--soft); }
.panel { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: 12px; overflow-x: auto; }
svg { display: block; margin: 0 auto; } svg text { font: 12px ui-monospace, monospace; fill: var(--ink);
  text-anchor: middle; } svg text.name { font-weight: 600; } svg text.left { text-anchor: start; fill: var(--soft); }
svg text.bar { text-anchor: start; fill: var(--barrier); }
.box { stroke: var(--line); } .input { fill: var(--input); } .kernel { fill: var(--kernel); }
.thread { fill: var(--thread); } .after { fill: var(--after); } .output { fill: var(--output); }
.loop { fill: var(--loop); stroke: var(--line); stroke-dasharray: 4 3; }
.edge { fill: none; stroke: var(--soft); stroke-width: 1.2; } .end { marker-end: url(#arrow); }
.barrier { stroke: var(--barrier); stroke-dasharray: 6 4; } .axis { stroke: var(--line); }
.arrow { fill: var(--soft); } p.poor { color: var(--barrier); }
table { border-collapse: collapse; margin-top: .6rem; } td, th { padding: .1rem .9rem .1rem 0; text-align: right;
  font: 13px ui-monospace, monospace; } th { color: var(--soft); font-weight: 400; border-bottom: 1px solid var(--line); }
)";

std::string label(const Sizes& s) { return fmt::format("[{}]", fmt::join(s, ",")); }

std::string label_of_map(const std::array<int, 3>& map) {
  std::string out;
  for (size_t d = 0; d < 3; ++d)
    if (map[d] != kWhole) out += fmt::format(" {}:{}", "xyz"[d], map[d]);
  return out.empty() ? " whole" : out;
}

std::string svg(double width, double height, const std::string& body) {
  return fmt::format(
      "<div class=\"panel\"><svg width=\"{:.0f}\" height=\"{:.0f}\" viewBox=\"0 0 {:.0f} {:.0f}\">{}</svg>"
      "</div>\n",
      width, height, width, height, body);
}

std::string kernel_level(const MuGraph& g) {
  Drawing d;
  std::map<uint32_t, size_t> box_of;
  std::vector<size_t> row_of(g.values.size());
  for (uint32_t v = 0; v < g.inputs; ++v) {
    box_of[v] = d.boxes.size();
    d.boxes.push_back({{fmt::format("%{}", v), label(g.values[v])}, 0, "input"});
  }
  size_t last = 0;
  for (size_t k = 0; k < g.nodes.size(); ++k) {
    const KernelNode& n = g.nodes[k];
    size_t row = 1;
    for (uint32_t o : n.operands) row = std::max(row, row_of[o] + 1);
    last = std::max(last, row);
    DrawnBox box{{}, row, "kernel"};
    if (n.block) {
      box.lines = {fmt::format("kernel {}", k), fmt::format("grid {} loops {}", fmt::join(n.block->grid, "x"),
                                                            fmt::join(n.block->loops, "x"))};
    } else {
      box.lines = {fmt::format("kernel {}: {}", k, g.ops->get(n.op).name)};
    }
    for (uint32_t r : n.results) {
      box.lines.push_back(fmt::format("%{} {}", r, label(g.values[r])));
      box_of[r] = d.boxes.size();
      row_of[r] = row;
    }
    for (uint32_t o : n.operands) d.edges.emplace_back(box_of[o], d.boxes.size());
    d.boxes.push_back(std::move(box));
  }
  for (uint32_t o : g.outputs) {
    d.edges.emplace_back(box_of[o], d.boxes.size());
    d.boxes.push_back({{fmt::format("output %{}", o)}, last + 1, "output"});
  }
  const Drawn drawn = draw(d);
  return svg(drawn.width, drawn.height, drawn.svg);
}

/// "t5 = exp(t4) [2,64]"
std::string line_of(const MuOpTable& ops, const BlockGraph& b, uint32_t v) {
  const BlockNode& n = b.node(v);
  if (shares_thread(b, v)) return fmt::format("t{}: output {} {}", v, n.output, label(n.sizes));
  std::string operands;
  for (uint32_t o : n.operands) operands += fmt::format("{}t{}", operands.empty() ? "" : ", ", o);
  const std::string what =
      n.thread ? fmt::format("{} threads", fmt::join(n.thread->grid, "x")) : ops.get(n.op).name;
  return fmt::format("t{} = {}({}) {}", v, what, operands, label(n.sizes));
}

/// What a box says of a tile that is loaded: of what, which dimensions grid (or threads) and loops cut.
std::vector<std::string> input_lines(const BlockGraph& b, uint32_t i, const std::string& of,
                                     const std::string& parts) {
  std::string loop;
  for (size_t l = 0; l < b.loops.size(); ++l)
    if (b.inputs[i].fmap[l] != kWhole) loop += fmt::format(" {}", b.inputs[i].fmap[l]);
  return {fmt::format("t{} of {} {}", i, of, label(b.inputs[i].tile)), parts + label_of_map(b.inputs[i].imap),
          "loop" + (loop.empty() ? " whole" : loop)};
}

/// What one thread does with its part of tiles; `first`: the first of the values that it makes.
std::string thread_level(const MuOpTable& ops, const BlockGraph& block, uint32_t first) {
  const BlockNode& node = block.node(first);
  const BlockGraph& t = *node.thread;
  Drawing d;
  std::vector<size_t> row_of(t.values());
  size_t last = 0;
  for (uint32_t v = 0; v < t.values(); ++v) {
    if (v < t.inputs.size()) {
      d.boxes.push_back(
          {input_lines(t, v, fmt::format("the block's t{}", node.operands[v]), "threads"), 0, "input"});
      continue;
    }
    const BlockNode& n = t.node(v);
    for (uint32_t o : n.operands) {
      row_of[v] = std::max(row_of[v], row_of[o] + 1);
      d.edges.emplace_back(o, v);
    }
    last = std::max(last, row_of[v]);
    const bool after = n.after_accum && !accumulates(ops, n);
    d.boxes.push_back({{line_of(ops, t, v)}, row_of[v], after ? "after" : "thread"});
  }
  for (uint32_t o = 0; o < t.outputs.size(); ++o) {
    d.edges.emplace_back(t.outputs[o].value, d.boxes.size());
    d.boxes.push_back(
        {{fmt::format("the block's t{}", first + o), "threads" + label_of_map(t.outputs[o].omap)},
         last + 1,
         "output"});
  }
  std::ranges::sort(d.edges);
  const auto again = std::ranges::unique(d.edges);
  d.edges.erase(again.begin(), again.end());
  const Drawn drawn = draw(d);
  return svg(drawn.width, drawn.height, drawn.svg);
}

/// Loads, thread graphs by step, what is saved; barriers stand between steps.
std::string block_level(const MuGraph& g, const KernelNode& n, const BlockPlan& plan) {
  const BlockGraph& b = *n.block;
  const auto inputs = static_cast<uint32_t>(b.inputs.size());
  Drawing d;
  std::vector<size_t> box_of(b.values());
  for (uint32_t i = 0; i < inputs; ++i) {
    box_of[i] = d.boxes.size();
    d.boxes.push_back({input_lines(b, i, fmt::format("%{}", n.operands[i]), "grid"), 0, "input"});
  }
  int steps = 0, loop_steps = 0;
  for (const ThreadGraph& t : plan.threads) {
    steps = std::max(steps, t.step + 1);
    if (!t.after_loop) loop_steps = std::max(loop_steps, t.step + 1);
    DrawnBox box{{}, static_cast<size_t>(t.step) + 1, t.after_loop ? "after" : "thread"};
    for (uint32_t v : t.values) {
      box.lines.push_back(line_of(*g.ops, b, v));
      box_of[v] = d.boxes.size();
    }
    d.boxes.push_back(std::move(box));
  }
  for (const ThreadGraph& t : plan.threads)
    for (uint32_t v : t.values)
      for (uint32_t o : b.nodes[v - inputs].operands)
        if (box_of[o] != box_of[v]) d.edges.emplace_back(box_of[o], box_of[v]);
  for (size_t o = 0; o < b.outputs.size(); ++o) {
    d.edges.emplace_back(box_of[b.outputs[o].value], d.boxes.size());
    d.boxes.push_back({{fmt::format("%{} from t{}", n.results[o], b.outputs[o].value),
                        "grid" + label_of_map(b.outputs[o].omap)},
                       static_cast<size_t>(steps) + 1,
                       "output"});
  }
  std::ranges::sort(d.edges);
  const auto again = std::ranges::unique(d.edges);
  d.edges.erase(again.begin(), again.end());
  const Drawn drawn = draw(d);
  const double left = 90, width = drawn.width + left + 70;
  std::string body = fmt::format(
      "<rect class=\"loop\" x=\"4\" y=\"2\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"8\"/>"
      "<text class=\"left\" x=\"12\" y=\"20\">{}</text>",
      width - 8, drawn.between[static_cast<size_t>(loop_steps) + 1] - 4,
      b.range() == 1 ? std::string("once") : fmt::format("{} times", fmt::join(b.loops, " x ")));
  const auto barrier = [&](double y) {
    body += fmt::format(
        "<path class=\"barrier\" d=\"M12,{:.1f}H{:.1f}\"/><text class=\"bar\" x=\"{:.1f}\" "
        "y=\"{:.1f}\">barrier</text>",
        y, width - 70, width - 64, y + 4);
  };
  if (plan.loop_barriers > loop_steps) barrier(drawn.between[1]);
  for (int s = 0; s < steps; ++s) {
    const auto row = static_cast<size_t>(s) + 1;
    body += fmt::format("<text class=\"left\" x=\"12\" y=\"{:.1f}\">step {}</text>",
                        (drawn.between[row] + drawn.between[row + 1]) / 2 + 4, s);
    barrier(drawn.between[row + 1]);
  }
  body += fmt::format("<g transform=\"translate({:.0f},0)\">{}</g>", left - 16, drawn.svg);
  return svg(width, drawn.height, body);
}

/// Steps to the right, addresses upwards.
std::string memory(const BlockPlan& plan) {
  int steps = 1;
  for (const Lifetime& b : plan.buffers) steps = std::max(steps, b.death + 1);
  const double left = 90, step = std::min(170.0, 900.0 / steps), height = 260, top = 12;
  const double scale = plan.memory.bytes > 0 ? height / static_cast<double>(plan.memory.bytes) : 0;
  std::string body;
  for (int s = 0; s <= steps; ++s)
    body += fmt::format("<path class=\"axis\" d=\"M{:.1f},{}V{}\"/>", left + s * step, top, top + height);
  for (int s = 0; s < steps; ++s)
    body += fmt::format("<text x=\"{:.1f}\" y=\"{}\">{}</text>", left + (s + 0.5) * step, top + height + 18,
                        s + 1 == steps && steps > 1 ? std::string("save") : fmt::format("step {}", s));
  std::string rows;
  for (size_t i = 0; i < plan.stored.size(); ++i) {
    const Lifetime& b = plan.buffers[i];
    const double y = top + height - static_cast<double>(plan.memory.offsets[i] + b.bytes) * scale;
    const double h = static_cast<double>(b.bytes) * scale;
    const double x = left + b.birth * step, w = (b.death - b.birth + 1) * step;
    body += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"hsl({},55%,60%)\" "
        "fill-opacity=\".55\" stroke=\"var(--ink)\" stroke-width=\".6\"><title>t{}: {} bytes at "
        "{}</title></rect>",
        x + 1, y, w - 2, std::max(h, 1.0), (i * 137) % 360, plan.stored[i], b.bytes, plan.memory.offsets[i]);
    if (h >= 13)
      body +=
          fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">t{}</text>", x + w / 2, y + h / 2 + 4, plan.stored[i]);
    rows += fmt::format("<tr><td>t{}</td><td>{}</td><td>{}</td><td>{} to {}</td></tr>\n", plan.stored[i],
                        plan.memory.offsets[i], b.bytes, b.birth, b.death);
  }
  body += fmt::format(
      "<text class=\"left\" x=\"4\" y=\"{}\">{}</text><text class=\"left\" x=\"4\" y=\"{}\">0</text>",
      top + 10, format_bytes(static_cast<uint64_t>(plan.memory.bytes)), top + height);
  return svg(left + steps * step + 10, top + height + 28, body) +
         "<table><tr><th>tile</th><th>at</th><th>bytes</th><th>steps</th></tr>\n" + rows + "</table>\n";
}

}  // namespace

std::string page(std::span<const MuGraph> graphs, size_t first, const std::string& title,
                 const Target& target, const StopToken& stop) {
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\"><title>muGraphs: {0}</title><style>{1}</style></head><body>\n"
      "<svg width=\"0\" height=\"0\"><defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" "
      "markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path class=\"arrow\" "
      "d=\"M0,0L8,4L0,8z\"/></marker>"
      "</defs></svg>\n<h1>muGraphs of {0}</h1>\n<p>Tensors (%0) and tiles (t0) with their sizes. \"grid "
      "x:0\": "
      "the blocks along x cut dimension 0, or write side by side along it; \"loop 1\": iterations cut "
      "dimension "
      "1; \"whole\": each has all of it. A green box (in each iteration) or a violet one (after the loop) is "
      "what one thread runs in its registers.</p>\n",
      markup_text(title), kStyle);
  Pricing pricing(target, graphs.empty() ? standard_mu_ops() : *graphs[0].ops);
  for (size_t i = 0; i < graphs.size(); ++i) {
    const MuGraph& g = graphs[i];
    const MuCost cost = pricing.price(g);
    out += fmt::format(
        "<h2>muGraph {}</h2>\n<p>{} by the cost model on {}, {} between device memory and blocks</p>\n",
        first + i, format_seconds(cost.seconds), target.machine.name,
        format_bytes(static_cast<uint64_t>(cost.bytes())));
    NumericsOptions numerics;
    numerics.limits.stop = stop;
    const auto errors = format_errors(g, numerics);
    const bool poor = std::ranges::any_of(errors, &FormatError::poor);
    out += fmt::format("<p{}>error of the result {} (inputs in [-1, 1){})</p>\n",
                       poor ? " class=\"poor\"" : "", print(errors), poor ? ": numerically poor" : "");
    out += "<h3>Kernels</h3>\n" + kernel_level(g);
    for (size_t k = 0; k < g.nodes.size(); ++k) {
      const KernelNode& n = g.nodes[k];
      if (!n.block) continue;
      const KernelCost& c = cost.kernels[k];
      const BlockPlan plan =
          plan_block(*g.ops, *n.block, {.element_bytes = target.memory.element_bytes, .ahead = c.ahead});
      out +=
          fmt::format("<h3>Kernel {}: what a block does</h3>\n<p>{} blocks, {} at a time on a {}; {}.</p>\n",
                      k, c.blocks, c.resident, target.machine.processor,
                      n.block->range() == 1 ? "one iteration"
                      : c.ahead             ? "tiles of the next iteration are loaded during this one"
                                            : "each iteration waits for its tiles");
      out += block_level(g, n, plan);
      for (auto v = static_cast<uint32_t>(n.block->inputs.size()); v < n.block->values(); ++v) {
        const auto& threads = n.block->node(v).thread;
        if (!threads || shares_thread(*n.block, v)) continue;
        out += fmt::format("<h3>Kernel {}, t{}: what a thread does</h3>\n<p>{} threads; {}</p>\n", k, v,
                           fmt::join(threads->grid, " x "),
                           threads->range() == 1 ? std::string("once")
                                                 : fmt::format("{} times", fmt::join(threads->loops, " x ")));
        out += thread_level(*g.ops, *n.block, v);
      }
      out += fmt::format(
          "<h3>Kernel {}: {}</h3>\n<p>{} bytes; {}</p>\n", k, target.machine.near_memory, plan.memory.bytes,
          plan.memory.optimal() ? std::string("no plan needs less")
                                : fmt::format("no plan needs less than {}", plan.memory.bound));
      out += memory(plan);
    }
  }
  return out + "</body></html>\n";
}

}  // namespace isomer::mugraph
