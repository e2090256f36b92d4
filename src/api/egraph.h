// An e-graph of a program from outside: grown by rule sets, or match by match; asked; copied. What a search
// that is written elsewhere works on. Whoever asks while another thread works waits for it. Growing and
// matching are the engine's own (rewrite/saturate.h, problems/rule_matcher.h); here is what holds their parts
// together.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/graph.h"
#include "api/rule_set.h"
#include "problems/rule_matcher.h"
#include "rewrite/tensor_egraph.h"
#include "support/float_promise.h"

namespace isomer::api {

struct ENode : Operator {
  uint32_t id = 0, eclass = 0;
  std::vector<uint32_t> children;  ///< classes
  std::string text;                ///< "transpose{perm=[1,0]}"
  std::string rule;                ///< that made it; empty: the program's own
};

struct EClass {
  uint32_t id = 0;
  ValueType type;
  bool is_weight = false;  ///< known at compile time
  std::vector<uint32_t> nodes;
};

struct GrowOptions {
  uint64_t iterations = 15, node_limit = 50'000;
  double seconds = 60;
  std::string scheduler = "backoff", cycles = "efficient";
  bool grouping = false;     ///< operators that share an operand are joined (rewrite/grouping.h)
  uint32_t multi_steps = 1;  ///< iterations with multi-pattern rules
  bool allow_unstable = false;
  unsigned threads = 1;
};

struct GrowReport {
  std::string stop_reason;
  uint64_t iterations = 0, e_nodes = 0, e_classes = 0, matches = 0, applied = 0;
  double seconds = 0;                     ///< CPU, of the calling thread
  std::map<std::string, uint64_t> rules;  ///< those that changed something, and how often
};

/// Matches of rules in one e-graph. They hold as it grows, and in its copies, until those grew apart from
/// what the matches were found in.
struct Matches {
  std::shared_ptr<Workspace> workspace;
  std::shared_ptr<const rewrite::RuleSet> rules;   ///< that the matcher's point into
  std::shared_ptr<problems::RuleMatcher> matcher;  ///< whose rules these are
  uint64_t moment = 0;                             ///< of the e-graph's history
  std::vector<uint32_t> rule;                      ///< by match
  std::vector<size_t> first{0};                    ///< by match: in `values`; roots, then bindings
  std::vector<uint32_t> values;

  size_t size() const { return rule.size(); }
  const rewrite::CompiledRule& rule_of(size_t m) const { return matcher->rule(rule[m]); }
  std::vector<egraph::ClassId> roots(size_t m) const;
  egraph::Subst subst(size_t m) const;
};

/// One of them, in standard types.
struct MatchInfo {
  std::string rule;
  std::vector<uint32_t> roots;
  std::map<std::string, uint32_t> tensors;      ///< variable -> class
  std::map<std::string, Attribute> attributes;  ///< those that are bound
};

class EGraph {
 public:
  /// `floats`: strict, finite or fast (docs/floats.md): which applications are refused.
  EGraph(Graph graph, const std::string& floats);
  /// As it was saved, beside the program that it was grown from. Throws InputError.
  static std::unique_ptr<EGraph> load(const std::string& path, Graph graph, const std::string& floats);
  std::unique_ptr<EGraph> clone() const;

  const Graph& source() const { return source_; }
  size_t size() const;
  size_t classes() const;
  std::vector<uint32_t> roots() const;

  /// Throws VerificationError where rules join values of different types: one of them is wrong.
  GrowReport run(const RuleSet& rules, const GrowOptions& options, const StopToken& stop);
  /// `only_new`: those that may be applied and change something. At most `most`, rule by rule.
  std::shared_ptr<const Matches> matches(const RuleSet& rules, bool only_new, size_t most);
  /// How many of these (numbers) changed something. Congruence holds afterwards, and cycles are filtered as
  /// by `run`. Throws UsageError, before any change, for matches of another e-graph and for wrong numbers; as
  /// `run` does where rules are wrong.
  size_t apply(const Matches& matches, const std::vector<size_t>& numbers);
  MatchInfo info(const Matches& matches, size_t m) const;

  /// Adds the outputs of a program of the same workspace (Graph::parse beside the source); their classes.
  std::vector<uint32_t> add(const Graph& graph);
  /// The class that a value of the source is in now.
  uint32_t class_of(uint32_t node) const;
  uint32_t find(uint32_t eclass) const;
  bool equal(uint32_t a, uint32_t b) const;
  EClass eclass(uint32_t id) const;
  ENode enode(uint32_t id) const;
  std::vector<uint32_t> class_ids() const;
  /// Live ones that are not filtered.
  std::vector<uint32_t> node_ids() const;
  /// Empty where all is as it should be; slow.
  std::string check_invariants() const;

  rewrite::TensorEGraph& program() { return program_; }
  const rewrite::TensorEGraph& program() const { return program_; }
  /// Of an e-node: the rule that made it.
  const std::string& origin(egraph::NodeId n) const;
  const std::shared_ptr<Workspace>& workspace() const { return source_.workspace(); }

  /// While one is there, the e-graph may be looked at, but not be changed.
  class Reading {
   public:
    explicit Reading(EGraph& of) : of_(of) { ++of_.readers_; }
    ~Reading() { --of_.readers_; }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

   private:
    EGraph& of_;
  };
  EGraph& operator=(const EGraph&) = delete;

 private:
  EGraph(const EGraph& other) = default;
  const rewrite::EGraph& e() const { return program_.graph(); }
  egraph::ClassId at(uint32_t eclass) const;
  /// Throws UsageError unless they were found in what this e-graph once was, and have this number.
  void require(const Matches& matches, size_t m) const;
  /// Before a change.
  rewrite::EGraph& changing();
  /// After it: congruence, and no cycles.
  void settle();
  /// Throws VerificationError where there are more than `before` it.
  void refuse_contradictions(uint64_t before) const;
  void note_origins(size_t from, const rewrite::Alternatives& alternatives);

  Graph source_;
  rewrite::TensorEGraph program_;
  std::shared_ptr<std::vector<std::string>> names_;  ///< of rules; shared by copies
  std::vector<uint32_t> origin_;                     ///< by e-node, in `names_`
  std::optional<problems::OperatorIndex> index_;     ///< since it was asked for
  std::vector<uint64_t> history_;  ///< a token for each change, ascending; no two are the same
  int readers_ = 0;
};

}  // namespace isomer::api
