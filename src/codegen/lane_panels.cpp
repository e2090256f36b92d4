#include "codegen/lane_panels.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "codegen/accesses.h"
#include "codegen/make_loops.h"
#include "codegen/on_stack.h"
#include "meaning/nest.h"

namespace isomer::codegen {
namespace {

using ir::IndexExpr;

/// Expressions for variables.
void put(Access& access, const std::map<int, IndexExpr>& by) {
  for_each_index(access, [&](IndexExpr& i) {
    i = substituted(i, [&](int v) { return by.contains(v) ? by.at(v) : IndexExpr::var(v); });
  });
}

/// Calls with each read of the buffer.
template <class Visit>
void for_each_read_of(std::vector<Statement>& body, int buffer, Visit&& visit) {
  for_each_store(body, [&](Store& store) {
    for (const int r : reads_of(store))
      if (Access& read = store.reads[static_cast<size_t>(r)]; read.buffer == buffer) visit(read);
  });
}

/// Neighbours of all panels of a group, one step after the other: rows of the source are read as far as the
/// group goes.
Statement copy(const LoopProgram& program, const LanePanels& panels, int group, int64_t each,
               const IndexExpr& end) {
  const Buffer& b = program.buffers[static_cast<size_t>(panels.buffer)];
  std::vector<IndexExpr> index = {IndexExpr::var(panels.panel)};
  std::vector<std::pair<int, int64_t>> steps;
  for (size_t i = 0; i < panels.steps.size(); ++i) {
    index.push_back(IndexExpr::var(panels.steps[i]));
    steps.emplace_back(panels.steps[i], b.sizes[i + 1]);
  }
  index.push_back(IndexExpr::var(panels.lane));
  Store s;
  s.target = access_of(panels.buffer, std::move(index));
  s.reads = {panels.source};
  s.value = read_program(meaning::sort_of(b.dtype), 0);
  const IndexExpr of_all = IndexExpr::var(group) * each + IndexExpr::var(panels.panel);
  put(s.reads[0], {{panels.panel, of_all}});
  Statement lanes{make_loop(panels.lane, 0, b.sizes.back(), LoopKind::kVector, one({std::move(s)}))};
  Statement row{make_loop(panels.panel, 0, end, LoopKind::kSerial, one(std::move(lanes)))};
  return loops_around(steps, LoopKind::kSerial, std::move(row));
}

/// What goes through loops around is no dimension of it any more.
void own(LoopProgram& program, std::vector<Statement>& body, const LanePanels& panels) {
  Buffer& b = program.buffers[static_cast<size_t>(panels.buffer)];
  const auto outside = static_cast<std::ptrdiff_t>(panels.outside.size());
  b.memory = Memory::kPrivate;
  b.sizes.erase(b.sizes.begin(), b.sizes.begin() + outside);
  for_each_read_of(body, panels.buffer,
                   [&](Access& read) { read.index.erase(read.index.begin(), read.index.begin() + outside); });
}

/// The loop, of no body yet, around what each of the loops that far in holds.
void go_by_rows(LoopProgram& program, std::vector<Statement>& body, size_t rows, const Loop& loop) {
  for (Statement& s : body) {
    auto& outer = std::get<Loop>(s.node);
    if (rows > 0) {
      go_by_rows(program, outer.body, rows - 1, loop);
      continue;
    }
    Loop inner = loop;
    inner.variable = add_variable(program, program.variables[static_cast<size_t>(loop.variable)]);
    inner.body = std::move(outer.body);
    substitute(inner.body, [&](int v) { return IndexExpr::var(v == loop.variable ? inner.variable : v); });
    outer.body = one({std::move(inner)});
  }
}

}  // namespace

LanePanels panels_of(LoopProgram& program, Access& operand, int lane, std::span<const int> space,
                     std::span<const int> reduce, int64_t lanes, std::vector<int64_t>& extents) {
  const auto variable = [&](const char* name, int64_t extent) {
    extents.push_back(extent);
    return add_variable(program, name);
  };
  LanePanels out;
  std::vector<int64_t> sizes;
  std::vector<IndexExpr> index;
  const auto dimension = [&](int64_t size, const IndexExpr& from) {
    sizes.push_back(size);
    index.push_back(from);
  };
  out.source = operand;
  for (const int v : space)
    if (v != lane && mentions(operand, v)) {
      out.outside.push_back(v);
      dimension(extents[static_cast<size_t>(v)], IndexExpr::var(v));
    }
  const int64_t panels = extents[static_cast<size_t>(lane)] / lanes;
  out.panel = variable("p", panels);
  out.lane = variable("v", lanes);
  std::map<int, IndexExpr> by = {{lane, IndexExpr::var(out.panel) * lanes + IndexExpr::var(out.lane)}};
  dimension(panels, IndexExpr::var(lane).floor_div(lanes));
  for (const int v : reduce)
    if (mentions(operand, v)) {
      dimension(extents[static_cast<size_t>(v)], IndexExpr::var(v));
      out.steps.push_back(variable("q", sizes.back()));
      by.emplace(v, IndexExpr::var(out.steps.back()));
    }
  dimension(lanes, IndexExpr::var(lane).mod(lanes));
  put(out.source, by);
  const ir::DType dtype = program.buffers[static_cast<size_t>(operand.buffer)].dtype;
  out.buffer = add_private(program, "panels", dtype, std::move(sizes));
  program.buffers.back().memory = Memory::kScratch;  // an operand, until it is made
  operand = access_of(out.buffer, std::move(index));
  return out;
}

int64_t room_for_panels(const ScheduleOptions& options, bool skips) {
  constexpr int64_t kPart = 8, kLongPart = 4;  // of the cache
  return std::min(options.far_bytes / (skips ? kLongPart : kPart), kMostOnStack);
}

int64_t panels_at_once(const LoopProgram& program, const LanePanels& panels, int64_t all, int64_t around,
                       std::span<const int64_t> extents, const ScheduleOptions& options) {
  // Enough for two threads. In one thread 32 groups took 1.08 of the time of a product of 512 by 64 by 1024:
  // rows of the result are written in shorter pieces.
  constexpr int64_t kMost = 8, kGroups = 8;
  const Buffer& b = program.buffers[static_cast<size_t>(panels.buffer)];
  int64_t elements = b.sizes.back();
  bool skips = false;
  for (const int v : panels.steps) {
    elements *= extents[static_cast<size_t>(v)];
    skips = skips || skips_pages(program, panels.source, v, extents);
  }
  const int64_t room = room_for_panels(options, skips) / ir::byte_size(b.dtype, elements),
                groups = std::max<int64_t>(kGroups / around, 1);
  const int64_t each = std::clamp<int64_t>(std::min(room, all / groups), 1, kMost);
  const int64_t parts = (all + each - 1) / each;
  return (all + parts - 1) / parts;
}

std::vector<Statement> whole_and_rest(LoopProgram& program, Statement copy, const IndexExpr& panel,
                                      const IndexExpr& lane, int64_t count, std::vector<int64_t>& extents) {
  const auto p = static_cast<int>(panel.value()), l = static_cast<int>(lane.value());
  const int64_t lanes = extents[static_cast<size_t>(l)], whole = count / lanes;
  std::vector<Statement> rest = one(copy), out = one(std::move(copy));
  const auto shorten = [&](std::vector<Statement>& nest, int variable, int64_t end, int instead) {
    for (std::vector<Statement>* at = &nest; auto* loop = std::get_if<Loop>(&at->front().node);
         at = &loop->body)
      if (loop->variable == variable) {
        loop->end = end;
        loop->variable = instead;
      }
  };
  const int last = add_variable(program, "p"), left = add_variable(program, "t");
  extents.insert(extents.end(), {1, count - whole * lanes});
  shorten(rest, p, 1, last);
  shorten(rest, l, count - whole * lanes, left);
  substitute(
      rest, [&](int v) { return v == p ? IndexExpr::var(last) + whole : IndexExpr::var(v == l ? left : v); });
  extents[static_cast<size_t>(p)] = whole;
  shorten(out, p, whole, p);
  out.push_back(std::move(rest.front()));
  return out;
}

Statement copied_in_groups(LoopProgram& program, Loop main, size_t rows, const LanePanels& panels,
                           int64_t each) {
  own(program, main.body, panels);
  const int64_t all = main.end.value(), groups = (all + each - 1) / each;
  const int panel = main.variable,
            group = add_variable(program, program.variables[static_cast<size_t>(panel)] + "b");
  const IndexExpr of_all = IndexExpr::var(group) * each + IndexExpr::var(panel);
  main.end = all % each == 0 ? IndexExpr(each) : min(each, IndexExpr::var(group) * -each + all);
  substitute(main.body, [&](int v) { return v == panel ? of_all : IndexExpr::var(v); });
  for_each_read_of(main.body, panels.buffer, [&](Access& read) { read.index[0] = IndexExpr::var(panel); });
  program.buffers[static_cast<size_t>(panels.buffer)].sizes[0] = each;
  std::vector<Statement> body = one(copy(program, panels, group, each, main.end));
  std::vector<Statement> of_rows = std::exchange(main.body, {});
  go_by_rows(program, of_rows, rows, main);
  std::ranges::move(of_rows, std::back_inserter(body));
  return {make_loop(group, 0, groups, LoopKind::kSerial, std::move(body))};
}

void read_at_source(std::vector<Statement>& body, const LanePanels& panels, int64_t lanes) {
  for_each_read_of(body, panels.buffer, [&](Access& read) {
    std::map<int, IndexExpr> by;
    size_t d = 0;
    for (const int v : panels.outside) by.emplace(v, read.index[d++]);
    const IndexExpr& panel = read.index[d++];
    for (const int v : panels.steps) by.emplace(v, read.index[d++]);
    const bool whole = panel.kind() == IndexExpr::Kind::kFloorDiv && panel.value() == lanes;
    by.emplace(panels.panel, 0);
    by.emplace(panels.lane, whole ? panel.lhs() : panel * lanes + read.index[d]);
    read = panels.source;
    put(read, by);
  });
}

}  // namespace isomer::codegen
