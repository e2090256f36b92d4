#include "verify/by_operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ir/graph_copy.h"
#include "ir/needed.h"
#include "ir/same_structure.h"

namespace isomer::verify {
namespace {

using ir::ValueId;

constexpr size_t kMostNodes = 512;

/// Attributes without what only tells equal nodes apart.
std::vector<ir::AttrId> attributes(const ir::Graph& graph, ValueId v) {
  std::vector<ir::AttrId> out;
  const auto attrs = graph.attrs(v);
  for (size_t i = 0; i < attrs.size(); ++i)
    if (graph.def(v).attrs[i].role != ir::AttrRole::kIdentity) out.push_back(attrs[i]);
  return out;
}

class Pairing {
 public:
  Pairing(const ir::Graph& a, const ir::Graph& b, const EquivalenceOptions& options, Paired paired)
      : a_(a), b_(b), options_(options), procedures_(paired == Paired::kProceduresToo) {
    options_.keep_inputs = false;  // of parts of the programs
    verdict_ = proved_by_structure("structure");
  }

  Verdict run() {
    const std::vector<ValueId> left = nodes(a_);
    free_ = nodes(b_);
    if (left.size() > kMostNodes || free_.size() > kMostNodes)
      return unknown(fmt::format("more than {} operators without a meaning", kMostNodes));
    for (const ValueId v : left)
      if (!pair(v)) return verdict_;
    // Effects count even where nothing uses what they give.
    for (const ValueId w : free_)
      if (const std::string why = say(b_, w) + " of the second has no counterpart"; unknown_to_all(b_, w))
        return refuted(why);
      else
        return unknown(why);
    for (size_t o = 0; o < a_.outputs().size(); ++o) {
      const Verdict v = same(a_.outputs()[o], b_.outputs()[o], options_);
      if (!v.equivalent()) {
        const ValueId free = taken_as_free(a_.outputs()[o]);
        if (!free.valid()) return verdict_ = v;
        return unknown(fmt::format("not equal whatever {} gives, which has a meaning elsewhere: {}",
                                   say(a_, free), v.counterexample.empty() ? v.note : v.counterexample));
      }
      weaken(v);
    }
    return verdict_;
  }

 private:
  /// An operator of ONNX's own that the value depends on: its results are taken as any values, which they are
  /// not (places of maxima are no numbers of their own), so that a difference shows nothing.
  ValueId taken_as_free(ValueId output) const {
    std::vector<bool> marked(a_.size());
    marked[output.index()] = true;
    const std::vector<bool> below = ir::needed_for(a_, std::move(marked));
    for (size_t i = output.index() + 1; i-- > 0;)
      if (below[i] && to_be_paired(a_, ValueId(i)) && !unknown_to_all(a_, ValueId(i))) return ValueId(i);
    return {};
  }

  bool to_be_paired(const ir::Graph& graph, ValueId v) const {
    const ir::MeaningKind kind = graph.def(v).kind;
    return kind == ir::MeaningKind::kOpaque || (procedures_ && kind == ir::MeaningKind::kProcedural);
  }
  std::vector<ValueId> nodes(const ir::Graph& graph) const {
    const std::vector<bool> needed = ir::needed_values(graph);
    std::vector<ValueId> out;
    for (size_t i = 0; i < graph.size(); ++i)
      if (needed[i] && to_be_paired(graph, ValueId(i))) out.emplace_back(i);
    return out;
  }
  /// Operators of ONNX's own that have no meaning here have one elsewhere: without a counterpart they may
  /// still be what the other program computes in other words. What has effects, as all foreign operators
  /// have for all that is known, is there or is not.
  static bool unknown_to_all(const ir::Graph& graph, ValueId v) {
    const auto attrs = graph.attrs(v);
    for (size_t i = 0; i < attrs.size(); ++i)
      if (graph.def(v).attrs[i].role == ir::AttrRole::kIdentity) return attrs[i].valid();
    return false;
  }
  static std::string say(const ir::Graph& graph, ValueId v) {
    std::string out = graph.def(v).is(ir::Core::kOpaque)
                          ? std::get<std::string>(graph.context().get(graph.attrs(v)[1]))
                          : graph.def(v).name;
    if (!graph.name(v).empty()) out += fmt::format(" '{}'", graph.name(v));
    return out;
  }

  Verdict unknown(std::string note) {
    verdict_ = {};
    verdict_.note = std::move(note);
    return verdict_;
  }
  Verdict refuted(std::string why) {
    verdict_ = {};
    verdict_.kind = VerdictKind::kRefuted;
    verdict_.evidence = Evidence::kOperands;
    verdict_.method = "operands";
    verdict_.counterexample = std::move(why);
    return verdict_;
  }
  void weaken(const Verdict& v) {
    verdict_.max_relative_error = std::max(verdict_.max_relative_error, v.max_relative_error);
    verdict_.log2_error = std::max(verdict_.log2_error, v.log2_error);
    if (v.kind > verdict_.kind || (v.kind == verdict_.kind && v.evidence != Evidence::kStructure)) {
      const double error = verdict_.max_relative_error, log2 = verdict_.log2_error;
      verdict_ = v;
      verdict_.max_relative_error = error;
      verdict_.log2_error = log2;
    }
  }

  bool pair(ValueId v) {
    const std::vector<ir::AttrId> wanted = attributes(a_, v);
    // Near is not equal: nothing is known of how such an operator magnifies a difference.
    EquivalenceOptions exact = options_;
    exact.tolerance = std::min(exact.tolerance, 1e-9);
    exact.rounded_tolerance = std::min(exact.rounded_tolerance, 5e-7);
    std::string why;
    bool open = false;
    for (auto it = free_.begin(); it != free_.end(); ++it) {
      const ValueId w = *it;
      if (a_.op(v) != b_.op(w) || a_.operands(v).size() != b_.operands(w).size() ||
          attributes(b_, w) != wanted)
        continue;
      bool equal = true;
      std::vector<Verdict> seen;
      for (size_t i = 0; equal && i < a_.operands(v).size(); ++i) {
        seen.push_back(same(a_.operands(v)[i], b_.operands(w)[i], exact));
        equal = seen.back().equivalent();
        if (!equal) {
          open |= seen.back().kind == VerdictKind::kUnknown;
          why = fmt::format("; operand {}: {}", i, summary(seen.back()));
        }
      }
      if (!equal) continue;
      for (const Verdict& s : seen) weaken(s);
      pairs_.emplace_back(v, w);
      free_.erase(it);
      return true;
    }
    if (open || !unknown_to_all(a_, v))
      unknown(say(a_, v) + " could not be paired" + why);
    else
      refuted(say(a_, v) + " of the first has no counterpart" + why);
    return false;
  }

  /// The value as a program of its own: paired nodes are inputs.
  ir::Graph program(const ir::Graph& graph, ValueId output, bool first) const {
    ir::Builder builder(graph.context(), graph.title());
    ir::GraphCopy copy(builder, graph);
    copy.inputs();
    for (size_t p = 0; p < pairs_.size(); ++p)
      copy[first ? pairs_[p].first : pairs_[p].second] =
          builder.input(fmt::format("result {} of no meaning", p), a_.type_id(pairs_[p].first));
    for (size_t i = 0; i <= output.index(); ++i) {
      const ValueId v(i);
      // What is not paired yet is not met on the way: operands come before users.
      if (copy[v].valid() || to_be_paired(graph, v)) continue;
      if (std::ranges::all_of(copy.operands(v), [](ValueId o) { return o.valid(); })) copy.add(v);
    }
    if (!copy[output].valid()) return builder.finish({});
    return ir::prune(builder.finish({copy[output]}));
  }

  Verdict same(ValueId v, ValueId w, const EquivalenceOptions& options) const {
    const ir::Graph left = program(a_, v, true), right = program(b_, w, false);
    Verdict out;
    if (left.outputs().size() != right.outputs().size() || left.outputs().empty()) {
      out.kind = VerdictKind::kRefuted;
      out.evidence = Evidence::kOperands;
      out.method = "operands";
      out.counterexample = "one of them depends on an operator without a counterpart";
      return out;
    }
    const auto input = [](const ir::Graph& graph) {
      const auto it = std::ranges::find(graph.inputs(), graph.outputs()[0]);
      return it == graph.inputs().end() ? -1 : it - graph.inputs().begin();
    };
    if (input(left) >= 0 && input(right) >= 0 && input(left) != input(right)) {
      out.kind = VerdictKind::kRefuted;
      out.evidence = Evidence::kOperands;
      out.method = "operands";
      out.counterexample =
          fmt::format("{} against {}", left.name(left.outputs()[0]), right.name(right.outputs()[0]));
      return out;
    }
    if (ir::same_structure(left, right, ir::Identities::kRenamed)) return proved_by_structure("structure");
    return check_equivalent(left, right, options);
  }

  const ir::Graph &a_, &b_;
  EquivalenceOptions options_;
  const bool procedures_;
  std::vector<ValueId> free_;  // of b
  std::vector<std::pair<ValueId, ValueId>> pairs_;
  Verdict verdict_;
};

}  // namespace

Verdict check_by_operands(const ir::Graph& a, const ir::Graph& b, const EquivalenceOptions& options,
                          Paired paired) {
  if (a.inputs().size() != b.inputs().size() || a.outputs().size() != b.outputs().size())
    return refuted_by_signature("other numbers of inputs or outputs");
  return Pairing(a, b, options, paired).run();
}

}  // namespace isomer::verify
