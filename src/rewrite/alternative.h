// "These values may also be computed by this fragment": what rules, groups of operators, and whoever else
// knows of equal programs tell the engine, in one form. It is the one way in which something new comes into
// an e-graph of tensor programs, and what is remembered of each alternative is asked of its source: who said
// it, what exactly it says, whether that holds.
//
// That rewrites, passes and generated kernels are alternatives in one graph is the idea of equality
// saturation (Tate et al., "Equality saturation: a new approach to optimization", POPL 2009) and of HloEnv's
// dry mode; that each names a source which can state and check it again is ours.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rewrite/tensor_egraph.h"
#include "verify/equivalence.h"

namespace isomer::rewrite {

/// A variable, or an operator over earlier nodes.
struct FragmentNode {
  bool is_variable = false;
  uint32_t variable = 0;
  ir::OpId op;
  std::vector<uint32_t> children;

  friend bool operator==(const FragmentNode&, const FragmentNode&) = default;
};

/// Operators over variables, children first. Their payloads stand apart: one fragment of a rule serves all of
/// its applications.
struct Fragment {
  std::vector<FragmentNode> nodes;
  std::vector<uint32_t> roots;  ///< one for each value that it gives

  /// Computes it over any kind of values: `made[i]` is node i's. `make(i, node, operands)` makes an
  /// operator's.
  template <class Value, class Make>
  void build(std::span<const Value> variables, std::vector<Value>& made, Make&& make) const {
    std::array<Value, 8> few;  // nearly always enough: no allocation for each match
    std::vector<Value> many;
    made.clear();
    for (size_t i = 0; i < nodes.size(); ++i) {
      const FragmentNode& n = nodes[i];
      if (n.is_variable) {
        made.push_back(variables[n.variable]);
        continue;
      }
      const size_t count = n.children.size();
      if (count > few.size()) many.resize(count);
      Value* const operands = count > few.size() ? many.data() : few.data();
      for (size_t k = 0; k < count; ++k) operands[k] = made[n.children[k]];
      made.push_back(make(i, n, std::span<const Value>(operands, count)));
    }
  }
};

/// A fragment with its payloads, by node; invalid for variables.
struct ExactFragment {
  Fragment fragment;
  std::vector<ir::PayloadId> payloads;
};

/// What one alternative says: both sides give equal values, over variables of these types.
struct Equation {
  std::string title;
  std::vector<std::string> names;    ///< of the variables
  std::vector<TensorFacts> tensors;  ///< what is known of them
  ExactFragment before, after;       ///< as many roots each
};

/// Variables with a known splat value: constants of that value, or inputs like the others.
enum class Splats : uint8_t { kConstants, kVariables };
/// The two sides as programs over the variables. Both have one output a root.
std::pair<ir::Graph, ir::Graph> as_programs(ir::Context& ctx, const Equation& equation,
                                            Splats splats = Splats::kConstants);

/// Types and attributes at which a source's statement was used.
struct Instance {
  std::vector<ir::AttrId> attributes;
  std::vector<TensorFacts> tensors;  ///< by variable
  std::vector<TensorFacts> roots;
};

/// One alternative that changed the e-graph.
struct Application {
  uint32_t source = 0;  ///< Alternatives::source
  Instance instance;
  /// E-nodes that stood for the variables, then those of the fragment, in order.
  std::vector<uint32_t> nodes;
};

struct Rule;
struct CompiledRule;

/// Who says that values are equal.
class Source {
 public:
  virtual ~Source() = default;
  virtual const std::string& name() const = 0;
  /// Sources of one family are left out together, where a result is tried without them: a file of rules, the
  /// groups of one kind, a pass.
  virtual std::string family() const = 0;
  virtual Equation equation(ir::Context& ctx, const Instance& instance) const = 0;
  /// Whether the equation holds, at these types or smaller ones.
  virtual verify::Verdict check(ir::Context& ctx, const Instance& instance,
                                const verify::EquivalenceOptions& options) const = 0;
  /// "x: f32[2,3], w: f32[3,4] constant, p = [1, 0]"
  virtual std::string describe(ir::Context& ctx, const Instance& instance) const = 0;
  /// The rule that says all of it, if one does: that can be checked at other instances too.
  virtual const CompiledRule* rule() const { return nullptr; }
};

/// An equation that somebody states as it is, types and all: one alternative of a pass, or a kernel. Checked
/// whole.
class StatedSource final : public Source {
 public:
  StatedSource(std::string name, std::string family, Equation equation)
      : name_(std::move(name)), family_(std::move(family)), equation_(std::move(equation)) {}
  const std::string& name() const override { return name_; }
  std::string family() const override { return family_; }
  Equation equation(ir::Context&, const Instance&) const override { return equation_; }
  verify::Verdict check(ir::Context& ctx, const Instance& instance,
                        const verify::EquivalenceOptions& options) const override;
  std::string describe(ir::Context& ctx, const Instance& instance) const override;
  const Equation& equation() const { return equation_; }

 private:
  std::string name_, family_;
  Equation equation_;
};

/// Why an alternative is not there now.
enum class Applied : uint8_t { kNothingNew, kChanged, kCondition, kIllTyped, kNotFinite, kRefused };

/// One alternative, as it is put in place: views of what its source has.
struct Alternative {
  uint32_t source = 0;
  const Fragment* fragment = nullptr;
  std::span<const ir::PayloadId> payloads;  ///< by node of the fragment
  std::span<const ir::AttrId> ranges;       ///< by node, what more is known of its values; empty: nothing
  std::span<const egraph::ClassId> variables{};  ///< the classes that they stand for
  std::span<const egraph::ClassId> roots{};      ///< what the fragment computes otherwise
};

/// The alternatives of an e-graph: where they come in, and what is remembered of them.
class Alternatives {
 public:
  explicit Alternatives(TensorEGraph& program) : program_(program) {}

  TensorEGraph& program() const { return program_; }
  /// Its number. The source must outlive this.
  uint32_t add_source(const Source& source);
  const Source& source(uint32_t number) const { return *sources_[number]; }
  size_t sources() const { return sources_.size(); }

  /// Fragment and roots must have equal types (RightSides::prepare, or `insert` below, sees to it).
  /// kChanged or kNothingNew.
  Applied insert(const Alternative& what, const Instance& instance);
  /// An equation that its source states as it is, at these classes. Typed here: kIllTyped where it does not
  /// fit them.
  Applied insert(uint32_t source, const StatedSource& stated, std::span<const egraph::ClassId> variables,
                 std::span<const egraph::ClassId> roots);

  const std::vector<Application>& applications() const { return applications_; }
  const Source& source_of(const Application& a) const { return source(a.source); }
  /// Number of the application that made the e-node; kNone for the program's own.
  uint32_t maker(egraph::NodeId n) const { return n.index() < maker_.size() ? maker_[n.index()] : kNone; }
  static constexpr uint32_t kNone = 0xFFFFFFFFu;

 private:
  TensorEGraph& program_;
  std::vector<const Source*> sources_;
  std::vector<Application> applications_;
  std::vector<uint32_t> maker_;
  std::vector<egraph::ClassId> variables_, made_;  // of insert
};

}  // namespace isomer::rewrite
